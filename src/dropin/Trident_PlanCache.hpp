// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PLANCACHE_HPP
#define TRIDENT_PLANCACHE_HPP

#include <mpi.h>

#include <Teuchos_Describable.hpp>
#include <Teuchos_ParameterList.hpp>
#include <Teuchos_RCP.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <typeinfo>
#include <vector>

#include "Trident_Report.hpp"
#include "product/Trident_Plan_decl.hpp"
#include "product/Trident_ProductCall.hpp"
#include "tpetra/Trident_Fingerprint.hpp"
#include "tpetra/Trident_SeenStructures.hpp"

namespace Trident::Impl {

/// Limits on the plans of a rank; 0 is no limit. If both are 0, beginPlans() makes no cache.
struct PlanLimit {
  std::size_t plans = 0, bytes = 0;  ///< largest number of plans, and of their bytes
  /// True if the program did not ask for plans. Then a plan serves only a C that already has a
  /// pattern, because a caller that passes such a C will pass it again. Such a plan ends when the
  /// graphs of all Cs that it served are gone.
  bool unasked = false;
  /// Returns the limit in bytes that suits this rank's memory. Called before a plan is kept, with
  /// the product's communicator. If this function is empty, `bytes` is the limit. Local.
  std::function<std::size_t(MPI_Comm)> bytesOfRank;

  /// Reads a limit: plans ("8") or bytes ("2GB" = 2·10⁹, "1GiB" = 2³⁰). Throws Trident::Error.
  static PlanLimit parse(const std::string& text);
};

/// Counts of a cache's work on this rank, for a report.
struct PlanCounts {
  long long made = 0, reused = 0, plain = 0;  ///< products with a new plan, a known plan, no plan
  long long dropped = 0;                      ///< plans dropped for lack of room
  long long ended = 0;                        ///< plans dropped because their results were gone
  std::size_t plans = 0, bytes = 0;           ///< number and bytes of the plans that are kept now
  std::size_t mostBytes = 0;                  ///< largest number of bytes kept at once
};

/// A cache of plans. Forms products as Trident::Multiply(), Jacobi() and MultiplyRAP() do, on the
/// same conditions and with the same errors. Makes and uses plans by itself. A product uses the
/// plan of an earlier product on its communicator if parameters, transposes, and the operands'
/// structures and Maps are the same. C must be new, or have the structure of the earlier C. Zeros
/// that are passed over must be at the same places. If any of these differs on one rank, all ranks
/// form the product anew.
///
/// A structure gets its plan with its first product. If there is no room for a plan, it is dropped,
/// at once or when a newer plan comes. A shelf remembers the last 64 structures whose plans lacked
/// room. They get no new plans, because such plans would drop each other in each setup. If a plan
/// ends for another reason, the next such product makes a new one.
///
/// If the program did not ask for plans (PlanLimit::unasked), only a C with a pattern gets one.
/// Such a plan is dropped by the next product on its communicator if the graphs of all its Cs are
/// gone on every rank. Any plan ends if newer plans need its room, with its communicator (in
/// MPI_Comm_free()), or by clear().
///
/// The cache costs each product one reduction, and a second one if the product makes a plan. On
/// several ranks the column Map of a new C costs one more. A product reads the structures of its
/// operands, unless SeenStructures knows them. Plans support no filter, no semiring but plus-times,
/// and no C with a pattern outside of which entries are dropped. A product with one of these is
/// formed without a plan. So is a product whose plan fails, as for lack of memory. That plan is
/// dropped.
///
/// Holds no matrix, Map or communicator of the caller's. On hosts a plan shares the arrays of rows
/// with the first C, and with the Cs that it makes. All Cs are fill-complete in the end.
///
/// Calls are collective over A's communicator. For one thread at a time, as all of Trident.
class PlanCache {
 public:
  explicit PlanCache(const PlanLimit& limit) : limit_(limit) {}
  /// Releases all plans by clear(), unless Kokkos or MPI has ended.
  ~PlanCache();
  PlanCache(const PlanCache&) = delete;
  PlanCache& operator=(const PlanCache&) = delete;

  /// Forms the product of a call as formProduct() does, by a plan if possible.
  template <class SC, class LO, class GO, class NO>
  Report form(const ProductCall<SC, LO, GO, NO>& call);

  /// Releases all plans. Must be called before Kokkos and MPI end. Collective over every
  /// communicator that has plans, in the order of their first products.
  void clear();

  /// Returns the counts of this rank's products and plans.
  PlanCounts counts() const;

 private:
  using Words = std::vector<std::uint64_t>;
  /// A weak reference to the graph of a result.
  using WeakGraph = Teuchos::RCP<const Teuchos::Describable>;

  /// A structure that got a plan. The plan is null if it was dropped for lack of room.
  struct Entry {
    Words product;  ///< fingerprint of types, options, forms, operands, C's row Map
    Words result;   ///< fingerprint of the plan's results, or of C before there is a plan
    std::shared_ptr<void> plan;
    std::size_t bytes = 0;
    /// Graphs of the Cs that the plan served. If there are any, the plan ends with the last one.
    std::vector<WeakGraph> served;
    // Answers about the current product. agreeOnEntry() combines them over all ranks.
    bool known = false;  ///< true if the entry belongs to this product
    bool fits = false;   ///< true if the entry's plan also serves this product's C
    bool gone = false;   ///< true if the plan has served results whose graphs are all gone

    void addServed(const WeakGraph& graph);
    bool servedAreGone() const;
  };
  using Entries = std::list<Entry>;

  /// The entries of one communicator, in the order of their last use. All ranks have the same
  /// entries in the same order, and the same entries have plans. Fingerprints and bytes may differ.
  struct Shelf {
    PlanCache* owner = nullptr;
    MPI_Comm comm = MPI_COMM_NULL;
    Entries entries;
  };

  /// The answer of all ranks about a product.
  struct Answer {
    bool valid = false;       ///< true if every rank has a fingerprint of its product
    Entries::iterator entry;  ///< product's entry, or the list's end; unspecified unless `valid`
  };

  template <class SC, class LO, class GO, class NO>
  Entries entryFor(const ProductCall<SC, LO, GO, NO>& call, Shelf* shelf,
                   double& timeoutSeconds) const;
  template <class P>
  Answer find(MPI_Comm comm, Shelf* shelf, const Entries& asked, double timeoutSeconds);
  template <class P>
  bool formByPlan(const typename P::Call& call, Shelf& shelf, Entries::iterator entry,
                  Report& report);
  template <class P>
  bool formAndKeep(const typename P::Call& call, Entries& asked, Shelf& shelf, Report& report);

  /// Returns C's graph if the program did not ask for plans. Otherwise returns null, because plans
  /// that the program asked for outlive their results.
  template <class C>
  WeakGraph graphOf(const C& result) const {
    if (!limit_.unasked) return Teuchos::null;
    return WeakGraph(result.getCrsGraph().create_weak());
  }

  static int endOfCommunicator(MPI_Comm, int, void* attribute, void*);
  Shelf* shelfOf(MPI_Comm comm);
  Answer agreeOnEntry(MPI_Comm comm, Shelf* shelf, bool valid);
  void endGone(Entries& entries, Answer& answer);
  void keep(Shelf& shelf, Entries& made);
  std::size_t surplus(const Shelf& shelf) const;

  PlanLimit limit_;
  PlanCounts counts_;            // counts, without `plans` and `bytes`: counts() finds these
  mutable SeenStructures seen_;  // known structures of operands, and of Cs with a pattern
  int key_ = MPI_KEYVAL_INVALID;
  mutable std::mutex lock_;      // never held across a collective call
  std::vector<Shelf*> shelves_;  // owned by communicators, in the order of first products
};

/// Makes the cache of the process. Makes none if both limits are 0, as with TRIDENT_PLANS=0. Later
/// calls keep the first call's cache and limit. Plans end with Kokkos, or by endPlans(). Local.
void beginPlans(const PlanLimit& limit);

/// Returns the bytes that plans may take on this rank if the user sets no bound: a sixteenth of the
/// rank's share of its GPU's memory, or, without a GPU, of its host's memory. Returns 0, for no
/// bound, if the memory is unknown. Local. The communicator's ranks must have formed a product.
std::size_t bytesForPlans(MPI_Comm comm) noexcept;

/// Returns the cache of the process; null if there is none.
PlanCache* plansOfProcess();

/// Releases the plans of the process. MPI and Kokkos must still run. Collective over every
/// communicator that has plans. Throws nothing, because MPI or Kokkos calls this function.
void endPlans() noexcept;

/// Forms a product by a known plan, by a new plan that is kept, or without a plan. Collective.
template <class SC, class LO, class GO, class NO>
Report PlanCache::form(const ProductCall<SC, LO, GO, NO>& call) {
  using P = Plan<SC, LO, GO, NO>;
  const SingleThreadGuard inside;
  const MPI_Comm comm = withErrorContext(call.function, [&] {
    requireMpi();
    return rawComm(*call.operands[0].matrix->getComm());
  });
  Shelf* const shelf = shelfOf(comm);
  double timeoutSeconds = 0;
  Entries asked = entryFor(call, shelf, timeoutSeconds);
  const Answer answer = find<P>(comm, shelf, asked, timeoutSeconds);
  const bool known = answer.valid && answer.entry != shelf->entries.end();
  Report report;
  if (known ? answer.entry->fits && formByPlan<P>(call, *shelf, answer.entry, report)
            : answer.valid && formAndKeep<P>(call, asked, *shelf, report))
    return report;
  report = formProduct(call);
  ++counts_.plain;
  return report;
}

/// Returns a list of one entry for this rank's product. It is a list, because moving its entry to a
/// shelf takes no memory. Returns an empty list if the rank lacks memory, if the product may throw
/// because of its arguments, or if this call may not have a plan. Local.
/// @param timeoutSeconds gets the product's "timeout"
template <class SC, class LO, class GO, class NO>
PlanCache::Entries PlanCache::entryFor(const ProductCall<SC, LO, GO, NO>& call, Shelf* shelf,
                                       double& timeoutSeconds) const {
  Entries asked;
  LocalFailure failure;
  failure.guard([&] {
    if (SingleThreadGuard::refused() || !shelf) return;
    seen_.forgetGone();
    if (limit_.unasked && isNew(*call.C)) return;
    Entries entries(1);
    CollectiveArguments values;
    const Options options = readParameters(*call.params, &values);
    timeoutSeconds = options.timeoutSeconds;
    if (options.rounds.filters() || options.rounds.semiring != SemiringKind::PlusTimes) return;
    // A plan would keep entries of the product that C has no place for.
    if (options.dropsOutside && !isNew(*call.C)) return;
    if (!problemOfInput(call.operands, *call.C, call.name, call.allowed).empty()) return;
    using Matrix = Tpetra::CrsMatrix<SC, LO, GO, NO>;
    std::vector<const Matrix*> matrices = call.factors();
    if (!isNew(*call.C)) matrices.push_back(&*call.C);
    Fingerprint<Matrix> print;
    print.setPrints(matrices, seen_.prints(matrices, options.rereadsStructures));
    print.add(std::string(typeid(Matrix).name()));
    print.add(std::string(call.function));
    for (const auto& value : values) print.add(value.text);
    for (const auto& operand : call.operands) {
      print.add(static_cast<std::uint64_t>(operand.form));
      print.add(*operand.matrix);
      if (operand.ignoresZeros) print.addZeros(*operand.matrix);
      if (operand.inverseDiagonal) print.add(*operand.inverseDiagonal->getMap());
    }
    print.add(*call.C->getRowMap());
    entries.front().product = print.take();
    if (!isNew(*call.C)) print.add(*call.C);
    entries.front().result = print.take();
    asked.swap(entries);
  });
  return asked;
}

/// Finds an entry that all ranks have for this product, if possible one that fits C. Except for the
/// plan that fits, drops plans whose results exist on no rank any more. Collective: one reduction.
/// @tparam P class of all plans with this product's fingerprint
/// @param asked list that entryFor() has returned
template <class P>
PlanCache::Answer PlanCache::find(MPI_Comm comm, Shelf* shelf, const Entries& asked,
                                  double timeoutSeconds) {
  const TimeoutScope timeout(timeoutSeconds, false);
  const bool mayEnd = !SingleThreadGuard::refused();  // refused threads may not read graphs' RCPs
  Entries none;
  for (Entry& entry : shelf ? shelf->entries : none) {
    entry.gone = mayEnd && entry.servedAreGone();
    entry.known = !asked.empty() && entry.product == asked.front().product;
    entry.fits =
        entry.known && entry.plan &&
        (asked.front().result.empty() ? static_cast<const P*>(entry.plan.get())->makesResults()
                                      : entry.result == asked.front().result);
  }
  return agreeOnEntry(comm, shelf, !asked.empty());
}

/// Forms the product by the plan of an entry. If the plan fails, drops the entry and returns false,
/// on every rank. Collective.
template <class P>
bool PlanCache::formByPlan(const typename P::Call& call, Shelf& shelf, Entries::iterator entry,
                           Report& report) {
  try {
    report = static_cast<const P*>(entry->plan.get())->form(call);
  } catch (const std::exception&) {
    if (!whyAbandoned().empty()) throw;  // a wait was given up, maybe on this rank alone
    shelf.entries.erase(entry);
    return false;
  }
  entry->addServed(graphOf(*call.C));
  shelf.entries.splice(shelf.entries.end(), shelf.entries, entry);
  ++counts_.reused;
  return true;
}

/// Forms the product and keeps its plan. Returns false, on every rank, if that fails. Collective.
/// @param asked list that entryFor() has returned; its entry gets the plan
template <class P>
bool PlanCache::formAndKeep(const typename P::Call& call, Entries& asked, Shelf& shelf,
                            Report& report) {
  std::shared_ptr<P> plan;
  try {
    plan = std::make_shared<P>(call, false);
  } catch (const std::exception&) {
    if (!whyAbandoned().empty()) throw;
    return false;
  }
  report = plan->report();
  ++counts_.made;
  Entry& entry = asked.front();
  entry.result = plan->takeResult();
  entry.bytes = plan->bytes();
  entry.plan = plan;
  entry.addServed(graphOf(*call.C));
  keep(shelf, asked);
  return true;
}

}  // namespace Trident::Impl

#endif
