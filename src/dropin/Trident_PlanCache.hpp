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

/// A limit on the number of plans of a rank, or on their bytes.
struct PlanLimit {
  std::size_t plans = 0, bytes = 0;  ///< 0: no such limit; one of them has one
  /// True if the program did not ask for plans. Then plans are made, and used, only for a C that
  /// already has a pattern, which its caller reuses for its structure. Such a plan ends when the
  /// graphs of all Cs that it served are gone.
  bool unasked = false;
  /// Returns the limit in bytes from the memory that this rank may use. Is called before a plan is
  /// kept, with its product's communicator. If empty, `bytes` is the limit. Local.
  std::function<std::size_t(MPI_Comm)> bytesOfRank;

  /// Reads "8", or "500MB", "2GB", "1GiB": units of 1000 or of 1024. Throws Trident::Error.
  static PlanLimit parse(const std::string& text);
};

/// Counts of a cache's work on this rank, for a report.
struct PlanCounts {
  long long made = 0, reused = 0, plain = 0;  ///< products that made a plan, used one, did neither
  long long dropped = 0;                      ///< plans that had to go for lack of room
  long long ended = 0;                        ///< plans that went with the results they served
  std::size_t plans = 0, bytes = 0;           ///< plans that are kept now, and their bytes
  std::size_t mostBytes = 0;                  ///< most bytes that were kept at once
};

/// Automatic plans: forms products as Trident::Multiply(), Jacobi() and MultiplyRAP() do, on the
/// same conditions and with the same errors, and makes plans and uses them unasked. A product uses
/// the plan of an earlier one on its communicator, with its parameters and transposes. Its operands
/// must have the structure and Maps of the earlier ones, whatever the objects are, and C must be
/// new or have the structure of the earlier C. Zeros that are passed over must be at the places of
/// the earlier ones. If one rank has something else, all form the product anew.
///
/// A structure gets its plan with its first product. A plan that lacks room, then or later, goes
/// and is not made again while its structure is remembered, as the last 64 are: so products that
/// need more than the limit do not drive out each other's plans with each setup.
///
/// Plans that nobody asked for (PlanLimit::unasked) are for a C with a pattern alone. Such a
/// plan ends once the graphs of the Cs that it has served are gone on every rank, with the next
/// product on its communicator. Others end for plans that need their room, with their communicator
/// (by an attribute of it, in MPI_Comm_free()), or by clear().
///
/// Each product makes one reduction more than without a cache, and reads those structures of its
/// operands that SeenStructures does not know. One that makes a plan makes another reduction, and
/// so does the column Map of a new C on several ranks. Calls that cannot be planned (a filter,
/// another semiring, a C with a pattern where entries outside are dropped) are formed without a
/// plan. So is a product whose plan fails, as for lack of memory; that plan goes.
///
/// Holds no matrix, Map or communicator of the caller's. On hosts plans share with the first C, and
/// with those that they make, the arrays of its rows. All Cs are fill-complete in the end.
///
/// Calls are collective over A's communicator. For one thread at a time, as all of Trident.
class PlanCache {
 public:
  explicit PlanCache(const PlanLimit& limit) : limit_(limit) {}
  /// Releases plans as clear(); leaves them if Kokkos or MPI have ended.
  ~PlanCache();
  PlanCache(const PlanCache&) = delete;
  PlanCache& operator=(const PlanCache&) = delete;

  /// Forms the product of a call, as formProduct().
  template <class SC, class LO, class GO, class NO>
  Report form(const ProductCall<SC, LO, GO, NO>& call);

  /// Releases all plans. Collective over every communicator that has some, in the order of their
  /// first products. Before Kokkos and MPI end.
  void clear();

  /// Returns the counts of products here, and of plans that are kept.
  PlanCounts counts() const;

 private:
  using Words = std::vector<std::uint64_t>;
  /// A graph of a result, without a hold on it.
  using WeakGraph = Teuchos::RCP<const Teuchos::Describable>;

  /// A structure that got a plan, which is null once it had to go for lack of room.
  struct Entry {
    Words product;  ///< fingerprint of types, options, forms, operands, C's row Map
    Words result;   ///< fingerprint of the plan's results; of an entry asked for, of C
    std::shared_ptr<void> plan;
    std::size_t bytes = 0;
    std::vector<WeakGraph> served;  ///< graphs with which a plan ends; none: it ends with none
    // The rank's answer, and then that of all, while a product looks for its entry.
    bool known = false;  ///< true if the entry is of this product
    bool fits = false;   ///< true if its plan serves this product's C, too
    bool gone = false;   ///< true if its plan has served results, and none of their graphs is left

    void addServed(const WeakGraph& graph);
    bool servedAreGone() const;
  };
  using Entries = std::list<Entry>;

  /// The entries of one communicator, the latest used last. All its ranks have the same entries in
  /// the same order, with a plan or without; fingerprints and bytes are each rank's own.
  struct Shelf {
    PlanCache* owner = nullptr;
    MPI_Comm comm = MPI_COMM_NULL;
    Entries entries;
  };

  /// The answer of all ranks about a product.
  struct Answer {
    bool valid = false;       ///< true if every rank can name its product
    Entries::iterator entry;  ///< the entry, if all are valid; the end if there is none
  };

  template <class SC, class LO, class GO, class NO>
  Entries askedBy(const ProductCall<SC, LO, GO, NO>& call, Shelf* shelf,
                  double& timeoutSeconds) const;
  template <class P>
  Answer find(MPI_Comm comm, Shelf* shelf, const Entries& asked, double timeoutSeconds);
  template <class P>
  bool formByPlan(const typename P::Call& call, Shelf& shelf, Entries::iterator entry,
                  Report& report);
  template <class P>
  bool formAndKeep(const typename P::Call& call, Entries& asked, Shelf& shelf, Report& report);

  /// Returns C's graph if a plan for C is automatic, as it must end with the graph; else null.
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
  PlanCounts counts_;            // counts without those that counts() adds
  mutable SeenStructures seen_;  // structures of operands, and of Cs with a pattern
  int key_ = MPI_KEYVAL_INVALID;
  mutable std::mutex lock_;      // never held across a collective call
  std::vector<Shelf*> shelves_;  // sorted by their first products; communicators own them
};

/// Makes a cache of the process, within a limit, the same at each call; a limit of nothing makes
/// none. Its plans end with Kokkos, or by endPlans(). Local.
void beginPlans(const PlanLimit& limit);

/// Returns the bytes that plans may take on this rank if the user sets no bound: a sixteenth of the
/// rank's share of its GPU's memory, or else its host's. Returns 0, for no bound, if the memory is
/// not known. Local; call it after the communicator's ranks have formed a product.
std::size_t bytesForPlans(MPI_Comm comm) noexcept;

/// Returns the cache of the process; null where none was begun.
PlanCache* plansOfProcess();

/// Releases the plans of the process, while MPI and Kokkos run. Collective over every communicator
/// that has some. Throws nothing, as MPI or Kokkos calls it.
void endPlans() noexcept;

/// Forms a product by the plan of its entry, or as it makes one, or without a plan. Collective.
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
  Entries asked = askedBy(call, shelf, timeoutSeconds);
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

/// Returns an entry for this rank's product, alone in a list, so that it can be kept without
/// memory. There is no entry if the rank lacks memory, or has anything that the product itself may
/// complain about, or that no plan is for. Local.
template <class SC, class LO, class GO, class NO>
PlanCache::Entries PlanCache::askedBy(const ProductCall<SC, LO, GO, NO>& call, Shelf* shelf,
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
    // Such a C as a rule lacks entries of the product, whose whole structure a plan would be of.
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
      if (operand.passesZeros) print.addZeros(*operand.matrix);
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

/// Finds the entry that fits on every rank. Plans whose results have gone on every rank end, but
/// for the one that fits. Collective: one reduction.
/// @tparam P the Plan of these types, as an entry of the same fingerprint has
/// @param asked of this rank; empty where it cannot say
template <class P>
PlanCache::Answer PlanCache::find(MPI_Comm comm, Shelf* shelf, const Entries& asked,
                                  double timeoutSeconds) {
  const TimeoutScope timeout(timeoutSeconds, false);
  const bool mayEnd = !SingleThreadGuard::refused();  // references are counted without locks
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

/// Forms the product by the plan of an entry. Where that fails the plan goes, and false is
/// returned, on every rank. Collective.
template <class P>
bool PlanCache::formByPlan(const typename P::Call& call, Shelf& shelf, Entries::iterator entry,
                           Report& report) {
  try {
    report = static_cast<const P*>(entry->plan.get())->form(call);
  } catch (const std::exception&) {
    if (!whyAbandoned().empty()) throw;  // this rank may be alone with it
    shelf.entries.erase(entry);
    return false;
  }
  entry->addServed(graphOf(*call.C));
  shelf.entries.splice(shelf.entries.end(), shelf.entries, entry);
  ++counts_.reused;
  return true;
}

/// Forms the product and keeps its plan. Returns false on every rank where that fails. Collective.
/// @param asked the entry that this rank asked for, which gets the plan
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
