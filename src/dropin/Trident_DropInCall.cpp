// SPDX-License-Identifier: BSD-3-Clause
#include "dropin/Trident_DropInCall.hpp"

#include <Teuchos_ParameterListExceptions.hpp>
#include <algorithm>
#include <exception>
#include <limits>
#include <new>
#include <vector>

#include "Trident_Error.hpp"
#include "base/Trident_Ends.hpp"
#include "dropin/Trident_DropInReport.hpp"
#include "dropin/Trident_DropInSettings.hpp"
#include "dropin/Trident_PlanCache.hpp"
#include "exchange/Trident_Context.hpp"

/// True if this thread is inside a call of the drop-in. Further calls then go to Tpetra, because
/// Tpetra's own product makes them. All drop-in libraries of a process share this variable,
/// whatever their versions, because the loader takes the first library's variable. So a second
/// library passes its calls on to Tpetra. Name and type of the variable must stay as they are.
extern "C" {
__attribute__((visibility("default"))) thread_local bool trident_tpetra_inside = false;
}

namespace Trident::Impl {
namespace {

class Inside {
 public:
  Inside() { trident_tpetra_inside = true; }
  ~Inside() { trident_tpetra_inside = false; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
};

/// Removes "importer" from the caller's list, if Trident removed it from a copy of that list.
void removeWhatTridentRemoved(const DropInCall::Parameters& callers,
                              const DropInCall::Parameters& given) {
  const char* const name = "importer";
  if (callers != given && !callers.is_null() && callers->isParameter(name) &&
      !given->isParameter(name))
    callers->remove(name);
}

/// Returns the list for Trident. A thread that may not call Trident must not touch Teuchos. So such
/// a thread gets the caller's list, and Trident refuses the thread before reading the list. A rank
/// that lacks memory for a new list gets the caller's list, too. Trident then refuses the product
/// on all ranks, because lists differ.
/// @param own gets the new list, if there is one
const DropInCall::Parameters& listFor(const DropInCall& call, const DropInSettings& settings,
                                      DropInCall::Parameters& own) {
  if (SingleThreadGuard::refused()) return call.params;
  try {
    own = withParameters(settings, call.params);
    return own;
  } catch (const std::bad_alloc&) {
    return call.params;
  }
}

CollectiveArguments collectiveArguments(const DropInCall& call) {
  return {
      {"the function called", call.function},
      {"the transpose flags", call.transposed},
      {"call_FillComplete_on_result", call.complete ? "true" : "false"},
      {"the parameter list", call.params.is_null() ? "null" : "one that is not null"},
      {std::string("\"") + throwsOutsideName + "\"", dropsOutside(call.params) ? "false" : "true"}};
}

/// Forms the result by Trident. Returns the reason if Trident refuses, else "". Collective.
std::string formByTrident(const DropInCall& call, const DropInSettings& settings, Report& report) {
  std::string refusal, bad;
  std::exception_ptr badHere;
  try {
    const SingleThreadGuard threadInside;  // covers the work before the product, too
    DropInCall::Parameters own;
    const auto& params = listFor(call, settings, own);
    report = call.byTrident(params, call.complete ? plansOfProcess() : nullptr);
    removeWhatTridentRemoved(call.params, params);
    return "";
  } catch (const Error& error) {
    if (!whyAbandoned().empty()) throw;  // a wait was given up, maybe on this rank alone
    refusal = error.problem();
  } catch (const Teuchos::Exceptions::InvalidParameter& error) {
    badHere = std::current_exception();  // rethrown; other ranks throw an Error that says the same
    bad = error.what();
  }
  try {  // throws if the ranks' calls differ: Tpetra could then wait forever
    requireConsistent(call.comm, std::string("Tpetra's ") + call.function, bad,
                      collectiveArguments(call));
  } catch (const Error&) {
    if (badHere) std::rethrow_exception(badHere);
    throw;
  }
  return refusal;
}

template <class Work>
double secondsOf(const Work& work) {
  const double start = steadySeconds();
  work();
  return steadySeconds() - start;
}

void compareWithTpetra(const DropInCall& call, ProductRecord& record) {
  barrier(call.comm, "all ranks to begin Tpetra's product");
  double seconds = 0, largest = 0;
  LocalFailure failure;
  const double difference = call.compare(seconds, largest, failure);
  std::vector<double> all{seconds, largest, difference};
  maximumEverywhere(call.comm, all, failure);
  record.compared = true;
  record.tpetraSeconds = all[0];
  const double relative = all[1] > 0 ? all[2] / all[1] : all[2];
  record.difference = std::min(relative, std::numeric_limits<double>::max());
}

/// Returns the warnings for a call. Returns none if this thread may not touch a list or lacks
/// memory, because the product itself reports that.
std::vector<std::string> warningsFor(const DropInCall& call) noexcept {
  const SingleThreadGuard inside;
  try {
    if (!SingleThreadGuard::refused()) return warningsOf(call.params);
  } catch (const std::exception&) {
  }
  return {};
}

/// Forms a product and writes its line of the report, with the time of the slowest rank.
void formMeasured(const DropInCall& call, const DropInSettings& settings) {
  openReport(call.comm, settings.report, settings.warnings);
  ProductRecord record;
  record.function = call.function;
  record.label = call.label;
  record.rows = call.rows;
  record.warnings = warningsFor(call);
  TRIDENT_MPI_CHECK(MPI_Comm_size(call.comm, &record.ranks));
  barrier(call.comm, "all ranks to begin a product");
  record.seconds = secondsOf([&] {
    record.forwarded =
        call.whyTpetra.empty() ? formByTrident(call, settings, record.report) : call.whyTpetra;
    if (!record.forwarded.empty()) call.byTpetra();
  });
  std::vector<double> slowest{record.seconds};
  maximumEverywhere(call.comm, slowest, LocalFailure());
  record.seconds = slowest[0];
  if (settings.compare && call.compare && record.forwarded.empty()) compareWithTpetra(call, record);
  reportProduct(call.comm, record);
}

void endNow() {
  const PlanCache* const plans = plansOfProcess();
  endReport(plans ? plans->counts() : PlanCounts());
  endPlans();
}

/// Makes the drop-in end at the start of MPI_Finalize, while MPI still works. Then the drop-in
/// writes the summary, and frees plans, communicators and windows, so that nothing is left to
/// static destructors. Without MPI_Finalize the report has lines but no summary. Local.
void endWithMpi() {
  Context::endWithMpi();  // registered first, so it runs after endNow(): plans use contexts
  atMpiEnd(endNow);
}

}  // namespace

void formDropInCall(const DropInCall& call) {
  if (trident_tpetra_inside || !mpiRuns()) return call.byTpetra();
  const Inside now;
  const DropInSettings& settings = agreedSettings(call.comm);
  endWithMpi();
  if (!settings.report.empty()) return formMeasured(call, settings);
  Report report;
  if (!call.whyTpetra.empty() || !formByTrident(call, settings, report).empty()) call.byTpetra();
}

}  // namespace Trident::Impl
