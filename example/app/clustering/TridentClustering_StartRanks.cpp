// SPDX-License-Identifier: BSD-3-Clause
#include "TridentClustering_StartRanks.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <limits>
#include <stdexcept>

#include "TridentClustering_Interrupted.hpp"
#include "TridentClustering_MclName.hpp"
#include "TridentClustering_Options.hpp"
#include "TridentClustering_RunLauncher.hpp"
#include "TridentClustering_SpoolInput.hpp"
#include "TridentClustering_UsableCores.hpp"
#include "TridentProblems_GeneratorSpec.hpp"
#include "TridentProblems_LoneStart.hpp"
#include "TridentProblems_Types.hpp"

namespace Trident {
namespace Clustering {

namespace {

constexpr const char* starterVariable = "TRIDENT_MCL_STARTER";  // RANKS:NAME, of the streams
constexpr const char* launcherVariable = "TRIDENT_MPIEXEC";     // a path, by users

/// Input from which on ranks are started, and what each is to have. Two ranks save the time of
/// their start from about 16 MB of BLAST hits on; but networks of many weak edges take ten times as
/// long.
constexpr std::int64_t leastBytes = 8 << 20, bytesOfRank = 1 << 20;

/// Returns true if a name leads to a descriptor of this process, which ranks do not have.
bool namesDescriptor(const std::string& argument) {
  return argument.find("/dev/fd/") != std::string::npos ||
         argument.find("/proc/self/") != std::string::npos;
}

bool isOpen(int descriptor) { return fcntl(descriptor, F_GETFD) >= 0; }

/// Returns about how many bytes a plain text of the network would have; standard input becomes a
/// file for that. Below 0 where it cannot.
std::int64_t inputBytes(const Options& options) {
  constexpr std::int64_t packed = 4;  // times as long as gzipped
  const std::string& file = options.file;
  if (file == "-" || file == "/dev/stdin") return spoolStandardInput();
  if (!options.labelledPairs && Problems::looksLikeGenerator(file))
    return std::numeric_limits<std::int64_t>::max();
  struct stat info;
  if (stat(file.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return 0;
  const bool gzipped = file.size() > 3 && file.compare(file.size() - 3, 3, ".gz") == 0;
  return info.st_size * (gzipped ? packed : 1);
}

/// Returns the reason why one rank is to do all, whatever the network is; or an empty text.
std::string whyOne(const std::vector<std::string>& arguments) {
  if (Problems::isLaunched())
    return "it starts no ranks where mpirun or the like has started the program";
  if (Problems::matricesOnDevice) return "the work is a GPU's";
  if (usableCores() < 2) return "the program may use one core";
  if (!hasOwnNumber())
    return "the user's number, " + std::to_string(geteuid()) + ", is that of unknown users, too";
  for (const std::string& argument : arguments)
    if (namesDescriptor(argument) || argument == ":") return "ranks could not open " + argument;
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (!isOpen(stream)) return "a standard stream is closed";
  return "";
}

/// Returns the number of ranks worth their start. \param why gets a reason where it is one
int ranksFor(const Options& options, std::string& why) {
  const std::int64_t bytes = inputBytes(options);
  if (bytes < 0) why = "no file for standard input can be made in TMPDIR";
  if (bytes >= 0 && bytes < leastBytes) why = "the network is small";
  if (!why.empty()) return 1;
  const std::int64_t most = std::min(options.mclThreads, usableCores());
  return static_cast<int>(std::min(most, bytes / bytesOfRank));
}

/// Returns the path of a launcher: that which users name, that of the MPI that this was built with,
/// or one on PATH. Empty where there is none.
std::string findLauncher() {
  const char* const named = std::getenv(launcherVariable);
  if (named != nullptr) return access(named, X_OK) == 0 ? named : "";
  if (access(TRIDENT_MPIEXEC, X_OK) == 0) return TRIDENT_MPIEXEC;
  const char* const folders = std::getenv("PATH");
  std::string rest = folders == nullptr ? "" : folders;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const std::string path = rest.substr(0, end) + "/mpiexec";
    if (path[0] == '/' && access(path.c_str(), X_OK) == 0) return path;
    rest.erase(0, end + 1);
  }
  return "";
}

/// Returns the path of the program that runs.
std::string ownPath() {
  std::string path(4096, '\0');
  const ssize_t length = readlink("/proc/self/exe", &path[0], path.size());
  if (length <= 0 || static_cast<std::size_t>(length) == path.size())
    throw std::runtime_error("the program's own path is not known");
  path.resize(static_cast<std::size_t>(length));
  return path;
}

/// Returns this process' variables and those of the ranks' start; what is set stays. They are for
/// one host: without other hosts' daemons, batch systems or networks, and with several calls at
/// once beside each other, not bound to the same cores.
std::vector<std::string> launcherEnvironment(const std::string& starter) {
  std::vector<std::string> result{starterVariable + ("=" + starter),
                                  calledNameVariable + ("=" + calledName())};
  for (char** variable = environ; *variable != nullptr; ++variable) result.emplace_back(*variable);
  const auto add = [&](const std::string& name, const char* value) {
    if (std::getenv(name.c_str()) == nullptr) result.push_back(name + "=" + value);
  };
  add("OMP_NUM_THREADS", "1");  // -te N is N cores
  if (geteuid() == 0)
    for (const char* of : {"OMPI", "PRTE"}) {
      add(of + std::string("_ALLOW_RUN_AS_ROOT"), "1");
      add(of + std::string("_ALLOW_RUN_AS_ROOT_CONFIRM"), "1");
    }
  add("OMPI_MCA_orte_execute_quiet", "1");
  add("OMPI_MCA_odls_base_sigkill_timeout", "0");  // else a signal takes a second
  add("OMPI_MCA_plm", "isolated");
  add("OMPI_MCA_ras", "^slurm,gridengine,tm,lsf,loadleveler,alps");
  add("OMPI_MCA_hwloc_base_binding_policy", "none");
  add("OMPI_MCA_rmaps_base_oversubscribe", "1");  // a core may be several to the system
  add("OMPI_MCA_mpi_yield_when_idle", "1");       // others may want the cores, too
  add("OMPI_MCA_pml", "ob1");
  add("OMPI_MCA_btl", "self,vader");
  add("OMPI_MCA_btl_vader_single_copy_mechanism", "none");  // containers may forbid it
  add("PRTE_MCA_hwloc_default_binding_policy", "none");
  add("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe");
  return result;
}

/// Returns the first line that has letters, as a reason.
std::string firstWords(const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    if (std::any_of(line.begin(), line.end(), [](unsigned char c) { return std::isalpha(c); }))
      return ": " + line;
    at = end + 1;
  }
  return "";
}

/// A file as it is now, which a new one in its place differs from.
class FileStamp {
 public:
  explicit FileStamp(const std::string& path) { exists_ = stat(path.c_str(), &info_) == 0; }
  bool exists() const { return exists_; }
  bool operator==(const FileStamp& other) const {
    return exists_ == other.exists_ &&
           (!exists_ || (info_.st_ino == other.info_.st_ino &&
                         info_.st_mtim.tv_sec == other.info_.st_mtim.tv_sec &&
                         info_.st_mtim.tv_nsec == other.info_.st_mtim.tv_nsec));
  }

 private:
  struct stat info_ = {};
  bool exists_ = false;
};

/// Ends this process as a signal has ended its ranks. The line how to go on is this process' to
/// say: the launcher kills them before they could.
/// \param before the checkpoint as it was before the run
void endBy(int signal, const Options& options, const FileStamp& before) {
  const FileStamp now(options.checkpoint);
  const bool isThere = now.exists() && (options.resume || !(now == before));
  if (!options.silent && (signal == SIGINT || signal == SIGTERM))
    std::cerr << interruptedLine(options.checkpoint, isThere) << std::endl;
  static_cast<void>(raise(signal));
}

LauncherEnd launch(int ranks, const std::vector<std::string>& arguments) {
  const std::string launcher = findLauncher();
  if (launcher.empty()) throw std::runtime_error("there is no mpiexec");
  StreamOffer offer;
  std::vector<std::string> command{launcher, "-n", std::to_string(ranks), ownPath()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  LauncherEnd end =
      runLauncher(command, launcherEnvironment(std::to_string(ranks) + ":" + offer.name()), offer);
  if (!end.began && end.signal == 0)
    throw std::runtime_error(launcher + " ended with status " + std::to_string(end.status) +
                             firstWords(end.said));
  return end;
}

/// Returns the options; none where they are not as they should be, which is said later. Those of
/// Kokkos are for the ranks.
Options optionsIn(const std::vector<std::string>& arguments) {
  std::vector<std::string> own;
  for (const std::string& argument : arguments)
    if (argument.compare(0, 8, "--kokkos") != 0) own.push_back(argument);
  try {
    return parseOptions(own);
  } catch (const std::exception&) {
    return Options();
  }
}

}  // namespace

StartedRanks startRanks(const std::vector<std::string>& arguments) {
  StartedRanks result;
  if (std::getenv(starterVariable) != nullptr) return result;
  const Options options = optionsIn(arguments);
  if (options.mclThreads < 2 || !options.answer.empty()) return result;
  result.why = whyOne(arguments);
  const int ranks = result.why.empty() ? ranksFor(options, result.why) : 1;
  if (ranks < 2) return result;
  try {
    const FileStamp before(options.checkpoint);
    const LauncherEnd end = launch(ranks, arguments);
    if (end.signal != 0) endBy(end.signal, options, before);
    result.ended = true;
    result.status = end.status;
    if (end.status > 1)
      std::cerr << calledName() << ": a rank that -te started was ended, with status " << end.status
                << firstWords(end.said) << std::endl;
  } catch (const std::runtime_error& e) {
    result.why = "no more ranks could be started";
    if (!options.silent)
      std::cerr << "warning: -te " << options.mclThreads << ": " << result.why << " (" << e.what()
                << "); one does the work." << std::endl;
  }
  return result;
}

bool joinStarter(const Problems::Comm& comm) {
  const char* const starter = std::getenv(starterVariable);
  if (starter == nullptr) return false;
  Problems::collectively(comm, [&] {
    const std::string text = starter;
    const std::size_t colon = std::min(text.find(':'), text.size() - 1);
    if (text.substr(0, colon) != std::to_string(comm.size()))
      throw std::runtime_error("there should be as many ranks as in " + text);
    takeStreams(text.substr(colon + 1));
  });
  unsetenv(starterVariable);
  return true;
}

}  // namespace Clustering
}  // namespace Trident
