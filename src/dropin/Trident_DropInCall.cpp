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

/// True if this thread is inside a call of the drop-in. Calls by Tpetra's own product are then part
/// of that. So are those of another such library behind this one, of whatever version, which then
/// passes its calls on: all in a process share this, the loader's first. So its name and type stay
/// as they are.
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

/// Removes an importer that does not fit from the caller's list, as Trident has from its own.
void removeWhatTridentRemoved(const DropInCall::Parameters& callers,
                              const DropInCall::Parameters& given) {
  const char* const name = "importer";
  if (callers != given && !callers.is_null() && callers->isParameter(name) &&
      !given->isParameter(name))
    callers->remove(name);
}

/// Returns the list for Trident. A thread that may not be inside touches nothing of Teuchos; it is
/// refused before the list is read. A rank that lacks memory for a list of its own goes on with the
/// caller's: ranks then pass different lists, which is an error on all.
/// @param own gets the list, if it is not the caller's
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

/// Forms the result by Trident; if that does not do, returns the reason. Collective.
std::string formByTrident(const DropInCall& call, const DropInSettings& settings, Report& report) {
  std::string refusal, bad;
  std::exception_ptr badHere;
  try {
    const SingleThreadGuard threadInside;  // also for what is done to the operands before
    DropInCall::Parameters own;
    const auto& params = listFor(call, settings, own);
    report = call.byTrident(params, call.complete ? plansOfProcess() : nullptr);
    removeWhatTridentRemoved(call.params, params);
    return "";
  } catch (const Error& error) {
    if (!whyAbandoned().empty()) throw;  // this rank may be alone with it
    refusal = error.problem();
  } catch (const Teuchos::Exceptions::InvalidParameter& error) {
    badHere = std::current_exception();  // the other ranks have an Error that says the same
    bad = error.what();
  }
  try {  // Tpetra cannot form what ranks do not call alike, and may wait for good
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

/// Returns the warnings for a call. There are none if this thread may not touch a list, or lacks
/// memory: then the product has a problem of its own.
std::vector<std::string> warningsFor(const DropInCall& call) noexcept {
  const SingleThreadGuard inside;
  try {
    if (!SingleThreadGuard::refused()) return warningsOf(call.params);
  } catch (const std::exception&) {
  }
  return {};
}

/// Forms a product for which a report is asked, with the time of the slowest rank.
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
        call.notTridents.empty() ? formByTrident(call, settings, record.report) : call.notTridents;
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

/// Has the drop-in end when MPI_Finalize begins, while MPI still works: the summary is written, and
/// plans, communicators and windows go. A program that never comes to MPI_Finalize has no summary,
/// and its report's lines are there. Nothing is left to static destructors. Local.
void endWithMpi() {
  Context::endWithMpi();  // what comes first is done last: plans use contexts
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
  if (!call.notTridents.empty() || !formByTrident(call, settings, report).empty()) call.byTpetra();
}

}  // namespace Trident::Impl
