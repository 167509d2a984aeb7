// SPDX-License-Identifier: BSD-3-Clause
#include "dropin/Trident_DropInSettings.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <utility>

#include "Trident_Error.hpp"
#include "Trident_Version.hpp"
#include "base/Trident_PlainNumbers.hpp"
#include "dropin/Trident_AllRanksPresent.hpp"
#include "dropin/Trident_DropInReport.hpp"
#include "dropin/Trident_ParametersText.hpp"
#include "dropin/Trident_PlanCache.hpp"
#include "product/Trident_ReadParameters.hpp"

namespace Trident::Impl {
namespace {

using Teuchos::ParameterList;

constexpr const char* library = "libtrident_dropin";  // name of this library in errors

constexpr std::array<const char*, 5> variables{
    "TRIDENT_OPTIONS", "TRIDENT_REPORT", "TRIDENT_COMPARE", "TRIDENT_PLANS", "TRIDENT_ASK_SECONDS"};

/// Returns a variable of the environment. Returns null if the program has more rights than its
/// user, because the user could read and write files by these rights.
const char* environmentOf(const char* name) {
#if defined(__GLIBC__)
  return secure_getenv(name);
#else
  return geteuid() == getuid() && getegid() == getgid() ? std::getenv(name) : nullptr;
#endif
}

std::string variable(const char* name) {
  const char* const value = environmentOf(name);
  return value ? value : "";
}

/// Returns sentences on variables that begin with TRIDENT_ but are no settings.
std::vector<std::string> unknownVariables() {
  std::vector<std::string> warnings;
  for (char** v = environ; v && *v; ++v) {
    if (std::strncmp(*v, "TRIDENT_", 8) != 0) continue;
    const std::string name(*v, std::strcspn(*v, "="));
    if (std::find(variables.begin(), variables.end(), name) == variables.end())
      warnings.push_back("there is no variable " + name + "; doc/dropin.md has those that are");
  }
  std::sort(warnings.begin(), warnings.end());
  return warnings;
}

/// Returns sentences on parameters with which Trident can form no product, because this program
/// began MPI without threads.
std::vector<std::string> hinderingParameters(const ParameterList& parameters) {
  int level = MPI_THREAD_SINGLE;
  TRIDENT_MPI_CHECK(MPI_Query_thread(&level));
  const char* const name = "exchange";
  const bool asked = parameters.isSublist(expertName) &&
                     parameters.sublist(expertName).isParameter(name) &&
                     parameters.sublist(expertName).get<std::string>(name) == "request-queue";
  if (!asked || level == MPI_THREAD_MULTIPLE) return {};
  return {
      "\"exchange\" = \"request-queue\" needs MPI_THREAD_MULTIPLE, which this program does not ask "
      "MPI for: Tpetra forms every product on several nodes; leave the parameter out"};
}

/// Returns true if TRIDENT_OPTIONS names a file.
bool isFile(const std::string& options) {
  const std::string ending = ".xml";
  return options.find('=') == std::string::npos && options.size() > ending.size() &&
         options.compare(options.size() - ending.size(), ending.size(), ending) == 0;
}

std::string readFile(const std::string& name) {
  std::ifstream file(name);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file || text.empty())
    throw Error("TRIDENT_OPTIONS: " + name + " cannot be read, or is empty");
  return text;
}

/// Returns the first rank's text of TRIDENT_OPTIONS, or of the file named there. Collective.
std::string optionsText(MPI_Comm comm, const std::string& options) {
  int rank = 0;
  TRIDENT_MPI_CHECK(MPI_Comm_rank(comm, &rank));
  std::string text;
  runEverywhere(comm, library, [&] {
    if (rank == 0) text = isFile(options) ? readFile(options) : options;
  });
  return firstText(comm, text);
}

/// Seconds within which all ranks must come to the first product. The default is long, because a
/// rank may have other work first, and Tpetra would wait, too. A bad value is reported after all
/// ranks have come.
constexpr double defaultSecondsToAsk = 3600;
double secondsToAsk(std::string& problem) {
  const std::string text = variable("TRIDENT_ASK_SECONDS");
  if (text.empty()) return defaultSecondsToAsk;
  std::size_t used = 0;
  const double seconds = numberAtFront(text, used);
  if (used == text.size() && seconds > 0 && seconds < 1e9) return seconds;
  problem = "TRIDENT_ASK_SECONDS = " + text + " is no number of seconds above 0; set it to one";
  return defaultSecondsToAsk;
}

bool readCompare() {
  const std::string text = variable("TRIDENT_COMPARE");
  if (text.empty() || text == "0") return false;
  if (text == "1") return true;
  throw Error("TRIDENT_COMPARE = " + text + " is neither 0 nor 1; leave it out, or set it to 1");
}

/// Reads TRIDENT_PLANS. If it is not set, plans are made only for results that a program passes
/// again, as MueLu does with "reuse: type" = "RP". Tpetra keeps the structure of such a result,
/// while Trident without a plan would form it again.
PlanLimit readPlans() {
  constexpr std::size_t mostUnasked = 64;
  const std::string text = variable("TRIDENT_PLANS");
  if (text.empty()) return {mostUnasked, 0, true, bytesForPlans};
  if (text == "0") return {};
  try {
    PlanLimit limit = PlanLimit::parse(text);
    if (limit.bytes == 0) limit.bytesOfRank = bytesForPlans;
    return limit;
  } catch (const Error& error) {
    throw Error(std::string("TRIDENT_PLANS: ") + error.problem());
  }
}

ParameterList readOptions(const std::string& options, const std::string& text) {
  try {
    return isFile(options) ? parametersOfXml(text) : parametersOfWords(text);
  } catch (const std::exception& error) {
    throw Error("TRIDENT_OPTIONS = " + options + ": " + error.what() +
                "; write \"name=value name=value\", or the name of a file that ends with .xml");
  }
}

/// The settings of the process, kept until the process ends; null before they are read.
std::atomic<const DropInSettings*> kept{nullptr};

void keep(std::unique_ptr<const DropInSettings> settings) {
  const DropInSettings* none = nullptr;
  if (kept.compare_exchange_strong(none, settings.get())) static_cast<void>(settings.release());
}

/// Reads the settings and keeps them. Collective. Throws as agreedSettings() does.
/// @param problem problem that this rank has already; empty if none
void readSettings(MPI_Comm comm, const std::string& problem) {
  const std::string options = variable("TRIDENT_OPTIONS");
  CollectiveArguments values{{"the version of the library libtrident_dropin", version()}};
  for (const std::string name : variables) {
    std::string value = variable(name.c_str());
    if (name == "TRIDENT_REPORT" && !value.empty()) value = "a file";  // ranks may name other files
    values.push_back({"the environment variable " + name, "\"" + value + "\""});
  }
  requireConsistent(comm, library, problem, values);
  const std::string text = optionsText(comm, options);
  auto settings = std::make_unique<DropInSettings>();
  runEverywhere(comm, library, [&] {
    settings->parameters = readOptions(options, text);
    settings->report = variable("TRIDENT_REPORT");
    settings->compare = readCompare();
    if (settings->compare && settings->report.empty())
      throw Error(
          "TRIDENT_COMPARE = 1 needs TRIDENT_REPORT = <file>, where the ratios are written");
    settings->warnings = unknownVariables();
    for (std::string& warning : hinderingParameters(settings->parameters))
      settings->warnings.push_back(std::move(warning));
    beginPlans(readPlans());
  });
  keep(std::move(settings));
}

/// Returns the key of the attribute that marks a communicator whose ranks have agreed.
int agreedKey() {
  static const int key = [] {
    int made = MPI_KEYVAL_INVALID;
    TRIDENT_MPI_CHECK(
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &made, nullptr));
    return made;
  }();
  return key;
}

}  // namespace

const DropInSettings& agreedSettings(MPI_Comm comm) {
  void* value = nullptr;
  int agreed = 0;
  TRIDENT_MPI_CHECK(MPI_Comm_get_attr(comm, agreedKey(), &value, &agreed));
  if (!agreed) {
    std::string problem;
    const double seconds = secondsToAsk(problem);
    const std::string report = variable("TRIDENT_REPORT");
    requireAllRanksPresent(comm, seconds, [&](const std::string& text) {
      if (!report.empty()) reportWaiting(report, text);
    });
    readSettings(comm, problem);
    TRIDENT_MPI_CHECK(MPI_Comm_set_attr(comm, agreedKey(), nullptr));
  }
  return *kept.load();
}

Teuchos::RCP<ParameterList> withParameters(const DropInSettings& settings,
                                           const Teuchos::RCP<ParameterList>& callers) {
  if (settings.parameters.begin() == settings.parameters.end()) return callers;
  const auto all = callers.is_null() ? Teuchos::rcp(new ParameterList)
                                     : Teuchos::rcp(new ParameterList(*callers));
  if (all->isParameter("Trident") && !all->isSublist("Trident"))
    return callers;  // unchanged, because the product refuses this list
  ParameterList& product = all->sublist("Trident");
  const ParameterList given(product);
  const auto isGiven = [&](const std::string& name) {
    return given.isParameter(name) ||
           (given.isSublist(expertName) && given.sublist(expertName).isParameter(name));
  };
  const auto add = [&](const ParameterList& from, ParameterList& to) {
    for (auto p = from.begin(); p != from.end(); ++p)
      if (from.name(p) != expertName && !isGiven(from.name(p)))
        to.setEntry(from.name(p), p->second);
  };
  add(settings.parameters, product);
  if (settings.parameters.isSublist(expertName))
    add(settings.parameters.sublist(expertName), product.sublist(expertName));
  return all;
}

std::vector<std::string> warningsOf(const Teuchos::RCP<ParameterList>& callers) {
  std::vector<std::string> warnings;
  if (callers.is_null()) return warnings;
  const auto valid = getValidParameters();
  for (auto p = callers->begin(); p != callers->end(); ++p) {
    const std::string& name = callers->name(p);
    if (valid->isParameter(name) || valid->sublist(expertName).isParameter(name))
      warnings.push_back("\"" + name +
                         "\" stands beside the sublist \"Trident\" of a product's list, where it "
                         "does nothing; set it in that sublist");
  }
  return warnings;
}

}  // namespace Trident::Impl
