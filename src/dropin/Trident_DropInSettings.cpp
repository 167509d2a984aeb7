// SPDX-License-Identifier: BSD-3-Clause
#include "dropin/Trident_DropInSettings.hpp"

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <utility>

#include "Trident_Error.hpp"
#include "Trident_Parameters.hpp"
#include "Trident_Version.hpp"
#include "base/Trident_Agreement.hpp"
#include "base/Trident_Mpi.hpp"
#include "dropin/Trident_DropInPlans.hpp"
#include "dropin/Trident_ParametersText.hpp"
#include "dropin/Trident_RanksHere.hpp"

namespace Trident::Impl {
namespace {

using Teuchos::ParameterList;

constexpr const char* library = "libtrident_tpetra";  // in whose name it throws

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

/// Whether TRIDENT_OPTIONS names a file.
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

/// What TRIDENT_OPTIONS says; a file is read by the first rank, for all. Collective.
std::string optionsText(MPI_Comm comm, const std::string& options) {
  int rank = 0;
  TRIDENT_MPI_CHECK(MPI_Comm_rank(comm, &rank));
  std::string text;
  runEverywhere(comm, library, [&] {
    if (rank == 0) text = isFile(options) ? readFile(options) : options;
  });
  return firstText(comm, text);
}

/// In which all ranks must come to the first product. A bad value is complained of when all have.
constexpr double defaultSecondsToAsk = 60;
double secondsToAsk(std::string& problem) {
  const std::string text = variable("TRIDENT_ASK_SECONDS");
  if (text.empty()) return defaultSecondsToAsk;
  char* end = nullptr;
  const double seconds = std::strtod(text.c_str(), &end);
  if (*end == '\0' && seconds > 0 && seconds < 1e9) return seconds;
  problem = "TRIDENT_ASK_SECONDS = " + text + " is no number of seconds above 0; set it to one";
  return defaultSecondsToAsk;
}

bool readCompare() {
  const std::string text = variable("TRIDENT_COMPARE");
  if (text.empty() || text == "0") return false;
  if (text == "1") return true;
  throw Error("TRIDENT_COMPARE = " + text + " is neither 0 nor 1; leave it out, or set it to 1");
}

/// Plans for results that a program hands in again are made unasked: such a program, as MueLu with
/// "reuse: type" = "RP", would pay for a structure that Tpetra does not form anew.
PlanLimit readPlans() {
  constexpr std::size_t unasked = 64;
  const std::string text = variable("TRIDENT_PLANS");
  if (text.empty()) return {unasked, 0, true};
  if (text == "0") return {};
  try {
    return PlanLimit::parse(text);
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

/// The process' own, once read. They live as long as the process.
std::atomic<const DropInSettings*> kept{nullptr};

void keep(std::unique_ptr<const DropInSettings> settings) {
  const DropInSettings* none = nullptr;
  if (kept.compare_exchange_strong(none, settings.get())) static_cast<void>(settings.release());
}

/// Reads the environment. Collective, as agreedSettings().
/// @param problem of this rank before; empty where it has none
void readSettings(MPI_Comm comm, const std::string& problem) {
  const std::string options = variable("TRIDENT_OPTIONS");
  CommonValues values{{"the version of the library libtrident_tpetra", version()}};
  for (const char* name : {"TRIDENT_OPTIONS", "TRIDENT_REPORT", "TRIDENT_COMPARE", "TRIDENT_PLANS",
                           "TRIDENT_ASK_SECONDS"})
    values.push_back(
        {std::string("the environment variable ") + name, "\"" + variable(name) + "\""});
  requireAlike(comm, library, problem, values);
  const std::string text = optionsText(comm, options);
  auto settings = std::make_unique<DropInSettings>();
  runEverywhere(comm, library, [&] {
    settings->parameters = readOptions(options, text);
    settings->report = variable("TRIDENT_REPORT");
    settings->compare = readCompare();
    if (settings->compare && settings->report.empty())
      throw Error(
          "TRIDENT_COMPARE = 1 needs TRIDENT_REPORT = <file>, where the ratios are written");
    beginPlans(readPlans());
  });
  keep(std::move(settings));
}

/// An attribute of communicators whose ranks have agreed.
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
    requireRanksHere(comm, seconds);
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
    return callers;  // is complained of
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

}  // namespace Trident::Impl
