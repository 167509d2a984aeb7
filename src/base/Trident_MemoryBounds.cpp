// SPDX-License-Identifier: BSD-3-Clause
#include "base/Trident_MemoryBounds.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

namespace Trident {
namespace Impl {
namespace {

/// Returns the number at the start of a file; infinity if a word is there, or the file is missing.
double firstNumberIn(const std::string& file) {
  double number = 0;
  return std::ifstream(file) >> number ? number : std::numeric_limits<double>::infinity();
}

/// Returns the number behind `word` in the line that begins with this word, as 5 in "MemTotal: 5
/// kB". Returns `otherwise` if no line begins with `word` and a number.
double numberAfter(const std::string& file, const std::string& word, double otherwise) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream parts(line);
    std::string first;
    double number = 0;
    if (parts >> first >> number && first == word) return number;
  }
  return otherwise;
}

/// Returns the bound that the host's memory sets for `ranks` ranks together. Returns an empty list
/// if the system does not tell the host's memory.
std::vector<MemoryBound> boundOfHost(int ranks, const std::string& root) {
  const std::string file = root + "/proc/meminfo";
  const double most = 1024 * numberAfter(file, "MemTotal:", 0);
  if (!(most > 0)) return {};
  return {{MemoryBound::Host, most, most - 1024 * numberAfter(file, "MemAvailable:", most / 1024),
           ranks, "a host"}};
}

/// The control group of this process in one hierarchy, and the mount of that hierarchy.
struct ControlGroup {
  std::string mount;     ///< folder of the topmost group that this process can see
  std::string path;      ///< path below the mount: "" or begins with '/'
  bool unified = false;  ///< true in the hierarchy of cgroups v2
};

/// Returns a word of mountinfo without its escapes, such as \040 for a blank.
std::string withoutEscapes(const std::string& word) {
  std::string text;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const std::string digits = word[i] == '\\' ? word.substr(i + 1, 3) : "";
    const bool octal = digits.size() == 3 && digits.find_first_not_of("01234567") == digits.npos;
    text += octal ? static_cast<char>(std::stoi(digits, nullptr, 8)) : word[i];
    i += octal ? 3 : 0;
  }
  return text;
}

/// A line of mountinfo: "35 31 0:32 /in/hierarchy /mount rw - cgroup cgroup rw,memory".
struct CgroupMount {
  std::string top;      ///< topmost group that the mount shows
  std::string folder;   ///< folder of the mount
  std::string type;     ///< type of the file system
  std::string options;  ///< options of the file system, separated by commas

  explicit CgroupMount(const std::string& line) {
    std::istringstream parts(line);
    std::string word;
    parts >> word >> word >> word >> top >> folder;
    while (parts >> word && word != "-") continue;
    parts >> type >> word >> options;
    top = withoutEscapes(top);
    folder = withoutEscapes(folder);
  }
  /// Returns true if the mount can limit memory and has the right version: 2 if `unified`, else 1.
  bool canLimitMemory(bool unified) const {
    return unified
               ? type == "cgroup2"
               : type == "cgroup" && ("," + options + ",").find(",memory,") != std::string::npos;
  }
};

/// Returns a group's path below a mount whose topmost group is `top`. Returns "" if the group is
/// `top`, or if the mount does not show the group, as in some containers.
std::string pathBelow(const std::string& top, const std::string& group) {
  const std::string prefix = top == "/" ? "" : top;
  const bool below = group.compare(0, prefix.size(), prefix) == 0 &&
                     (group.size() == prefix.size() || group[prefix.size()] == '/') &&
                     group.find("/..") == std::string::npos;
  const std::string path = below ? group.substr(prefix.size()) : "";
  return path == "/" ? "" : path;
}

/// Finds this process' control groups that may limit memory, in hierarchies of versions 1 and 2.
std::vector<ControlGroup> controlGroups(const std::string& root) {
  std::vector<ControlGroup> groups;
  std::ifstream lines(root + "/proc/self/cgroup");
  for (std::string line; std::getline(lines, line);) {  // "4:memory,cpu:/group" or "0::/group"
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const bool unified = controllers == ",,";
    if (!unified && controllers.find(",memory,") == std::string::npos) continue;
    std::ifstream mounts(root + "/proc/self/mountinfo");
    for (std::string mount; std::getline(mounts, mount);) {
      const CgroupMount found(mount);
      if (!found.canLimitMemory(unified)) continue;
      groups.push_back(
          {root + found.folder, pathBelow(found.top, line.substr(second + 1)), unified});
      break;
    }
  }
  return groups;
}

/// Returns the path of the program that a process runs, or "" if the system does not say.
std::string programOf(const std::string& process, const std::string& root) {
  std::error_code error;
  return std::filesystem::read_symlink(root + "/proc/" + process + "/exe", error).string();
}

/// Returns the number of ranks that share a group's bound: the group's processes that run this
/// program, but at most `ranks`. So a rank that is alone in its group has the whole bound. Scripts
/// that started a rank do not count, but processes whose program is unknown do.
int ranksInGroup(const std::string& folder, int ranks, const std::string& root) {
  const std::string own = programOf("self", root);
  int processes = 0;
  const auto count = [&](const std::filesystem::path& group) {
    std::ifstream lines(group / "cgroup.procs");
    for (std::string line; processes < ranks && std::getline(lines, line);) {
      const std::string program = own.empty() ? "" : programOf(line, root);
      if (program.empty() || program == own) ++processes;
    }
  };
  count(folder);
  std::error_code error;
  auto inner = std::filesystem::recursive_directory_iterator(folder, error);
  for (; !error && inner != std::filesystem::recursive_directory_iterator() && processes < ranks;
       inner.increment(error))
    if (inner->is_directory(error)) count(inner->path());
  return processes == 0 ? ranks : processes;
}

/// Returns the bound that this group itself sets, if there is one.
std::vector<MemoryBound> boundOfGroup(const std::string& folder, const std::string& name,
                                      bool unified, int ranks, const std::string& root) {
  constexpr double unlimited = 4e18;  // version 1 has a larger number if there is no limit
  const std::string file = folder + "/memory.";
  const double most = unified ? std::min(firstNumberIn(file + "max"), firstNumberIn(file + "high"))
                              : firstNumberIn(file + "limit_in_bytes");
  if (!(most < unlimited)) return {};
  const double used = firstNumberIn(file + (unified ? "current" : "usage_in_bytes"));
  const std::string total = unified ? "" : "total_";  // prefix of counts that include inner groups
  const double ofFiles = numberAfter(file + "stat", total + "inactive_file", 0) +
                         numberAfter(file + "stat", total + "active_file", 0);
  return {{MemoryBound::Group, most, used < unlimited ? std::max(0.0, used - ofFiles) : 0,
           ranksInGroup(folder, ranks, root), "the control group " + name}};
}

/// Returns the bounds of the groups of this process, and of all groups that contain one of them.
std::vector<MemoryBound> boundsOfGroups(int ranks, const std::string& root) {
  std::vector<MemoryBound> bounds;
  for (const ControlGroup& group : controlGroups(root)) {
    for (std::string path = group.path;; path.erase(path.rfind('/'))) {
      const std::string folder = group.mount + path;
      // Leaves out outer groups of version 1 that do not count the memory of inner groups.
      const bool countsInner = group.unified || path == group.path ||
                               firstNumberIn(folder + "/memory.use_hierarchy") != 0;
      if (countsInner)
        for (const MemoryBound& bound :
             boundOfGroup(folder, path.empty() ? "/" : path, group.unified, ranks, root))
          bounds.push_back(bound);
      if (path.empty()) break;
    }
  }
  return bounds;
}

/// Returns the limits that ulimit sets for this process. Includes limits of address space only if
/// `addressSpace`, because CUDA reserves more address space than a host has memory.
std::vector<MemoryBound> boundsOfProcess(bool addressSpace) {
  double pages[6] = {};  // all, resident, shared, text, library, data: the order of statm
  std::ifstream words("/proc/self/statm");
  for (double& word : pages) words >> word;
  const double pageBytes = static_cast<double>(sysconf(_SC_PAGESIZE));
  std::vector<MemoryBound> bounds;
  const auto add = [&](int resource, double taken, const char* source) {
    struct rlimit limit;
    if (getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
      bounds.push_back({MemoryBound::Process, static_cast<double>(limit.rlim_cur),
                        taken * pageBytes, 1, source});
  };
  if (addressSpace) add(RLIMIT_AS, pages[0], "ulimit -v");
  if (addressSpace) add(RLIMIT_DATA, pages[5], "ulimit -d");
  add(RLIMIT_RSS, pages[1], "ulimit -m");
  return bounds;
}

}  // namespace
}  // namespace Impl

std::vector<MemoryBound> memoryBounds(int ranks, bool addressSpace, const std::string& root) {
  std::vector<MemoryBound> bounds = Impl::boundOfHost(ranks, root);
  for (const auto& more : {Impl::boundsOfGroups(ranks, root), Impl::boundsOfProcess(addressSpace)})
    bounds.insert(bounds.end(), more.begin(), more.end());
  return bounds;
}

namespace Impl {

double bytesOfRank(const std::vector<MemoryBound>& bounds) {
  double bytes = std::numeric_limits<double>::infinity();
  for (const MemoryBound& bound : bounds) bytes = std::min(bytes, bound.most / bound.sharers);
  return bounds.empty() ? 0 : bytes;
}

double bytesLeftForRank(const std::vector<MemoryBound>& bounds) {
  double bytes = std::numeric_limits<double>::infinity();
  for (const MemoryBound& bound : bounds)
    bytes = std::min(bytes, std::max(1.0, (bound.most - bound.taken) / bound.sharers));
  return bounds.empty() ? 0 : bytes;
}

}  // namespace Impl
}  // namespace Trident
