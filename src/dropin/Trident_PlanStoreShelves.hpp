// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PLANSTORESHELVES_HPP
#define TRIDENT_PLANSTORESHELVES_HPP

#include <mpi.h>

#include <Teuchos_Describable.hpp>
#include <Teuchos_RCP.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/Trident_Threads.hpp"

namespace Trident::Impl {

/// How many plans a rank keeps, or how many bytes they take.
struct PlanLimit {
  std::size_t plans = 0, bytes = 0;  ///< 0: no such limit; one of them has one
  /// Whether the program did not ask for plans. Then plans are made, and used, only for a C that
  /// already has a pattern, which its caller reuses for its structure. Such a plan ends when the
  /// graphs of all Cs that it served are gone.
  bool unasked = false;
  /// Returns the limit in bytes from the memory that this rank may use. Is called before a plan is
  /// kept, with its product's communicator. If empty, `bytes` is the limit. Local.
  std::function<std::size_t(MPI_Comm)> bytesOfRank;

  /// Reads "8", or "500MB", "2GB", "1GiB": units of 1000 or of 1024. Throws Trident::Error.
  static PlanLimit parse(const std::string& text);
};

/// What a store did on this rank, for a report.
struct PlanCounts {
  long long made = 0, reused = 0, plain = 0;  ///< products that made a plan, used one, did neither
  long long dropped = 0;                      ///< plans that had to go for others
  long long ended = 0;                        ///< plans that went with the results they served
  std::size_t plans = 0, bytes = 0;           ///< that are kept now
  std::size_t mostBytes = 0;                  ///< that were kept at once
};

/// A graph of a result, without a hold on it: a weak reference.
using WeakGraph = Teuchos::RCP<const Teuchos::Describable>;

/// What a shelf has of one structure: its words, and once it was worth it, a plan.
struct ShelfEntry {
  using Words = std::vector<std::uint64_t>;
  Words product;  ///< what tells the product: types, options, forms, operands, C's row Map
  Words result;   ///< the structure of the plan's results
  std::shared_ptr<void> plan;
  std::size_t bytes = 0;
  std::vector<WeakGraph> served;  ///< with which a plan ends; none: it ends with none
  bool used = false;              ///< whether its plan was used since it was made
  bool tooLarge = false;          ///< whether its plan alone was more than the limit on a rank
};

class PlanShelves;

/// The structures of one communicator, the latest used last. All its ranks have the same entries
/// in the same order, with a plan or without; words and bytes are each rank's own.
struct PlanShelf {
  PlanShelves* owner = nullptr;
  MPI_Comm comm = MPI_COMM_NULL;
  std::vector<ShelfEntry> entries;
  /// Whether a structure gets a plan with its first product, as far as this rank sees; else with
  /// its second. No more once a plan had to go for another, and on no communicator that is new
  /// after one has ended with a plan that nobody had used.
  bool eager = true;
};

/// What a rank asks a shelf for.
struct ShelfQuery {
  bool valid = false;  ///< whether this rank can say what it asks for
  ShelfEntry::Words product;
  bool newResult = false;
  ShelfEntry::Words result;  ///< of C, where it is not new
};

/// What all ranks know of a product.
struct ShelfAnswer {
  enum class Kind {
    Strange,  ///< a rank cannot say what it asks for
    Unknown,  ///< no entry
    Noted,    ///< an entry without a plan
    Planned,  ///< an entry with a plan that serves
    Elsewise  ///< an entry whose plan does not serve this C, or is too large
  };
  Kind kind = Kind::Strange;
  std::size_t at = 0;  ///< which entry
  bool eager = false;  ///< whether all ranks are
};

/// The plans of a process, by communicator. Plans go with their communicator (by an attribute of
/// it, in MPI_Comm_free()), for others that need their room, or by clear().
class PlanShelves {
 public:
  explicit PlanShelves(const PlanLimit& limit) : limit_(limit) {}
  /// As clear(). Not after Kokkos or MPI have ended: then what is left is left.
  ~PlanShelves();
  PlanShelves(const PlanShelves&) = delete;
  PlanShelves& operator=(const PlanShelves&) = delete;

  /// The shelf of a communicator; null where this rank lacks memory for it, and then no other rank
  /// has an entry on its own. Local; it ends with the communicator.
  PlanShelf* of(MPI_Comm comm);

  /// Finds the entry that fits on every rank. Plans whose results have gone on every rank end, but
  /// for the one that fits. Collective over `comm`: one reduction.
  /// @param shelf of `comm`, or null
  /// @param serves whether the plan of entry `at` can be used here; local
  template <class Serves>
  ShelfAnswer find(MPI_Comm comm, PlanShelf* shelf, const ShelfQuery& query, const Serves& serves);

  /// Notes a structure without a plan. Local, alike on all ranks.
  void note(PlanShelf& shelf, ShelfEntry::Words product);
  /// Keeps a plan, and drops as many of this communicator's, the least recently used first, as any
  /// rank needs to stay within its limit. Collective: one reduction.
  void keep(PlanShelf& shelf, ShelfEntry entry);
  /// An entry was used, for a result of this graph (null: it ends with none). Local, alike on all
  /// ranks.
  void touch(PlanShelf& shelf, std::size_t at, const WeakGraph& graph);
  /// Local, alike on all ranks.
  void drop(PlanShelf& shelf, std::size_t at);

  /// Releases all plans. Collective over every communicator that has a shelf, in the order of their
  /// first products. Before Kokkos and MPI end.
  void clear();

  const PlanLimit& limit() const { return limit_; }
  PlanCounts counts() const;
  /// Counts one product.
  void count(long long PlanCounts::*what) { ++(counts_.*what); }

 private:
  static int endOfCommunicator(MPI_Comm comm, int key, void* shelf, void* extra);
  PlanShelf* make(MPI_Comm comm);
  std::size_t surplus(const PlanShelf& shelf) const;
  void endGone(PlanShelf& shelf, const std::vector<bool>& gone, ShelfAnswer& answer);

  PlanLimit limit_;
  PlanCounts counts_;
  int key_ = MPI_KEYVAL_INVALID;
  bool cautious_ = false;  // whether new shelves are not eager
  bool clearing_ = false;
  mutable std::mutex lock_;  // of shelves_ alone; never held across a collective call
  std::vector<PlanShelf*> shelves_;
};

/// Of each entry: whether it is of this product, whether its plan serves, and whether the results
/// that this served have gone.
struct EntryBits {
  explicit EntryBits(std::size_t count)
      : known(count, false), fits(count, false), gone(count, false) {}
  std::vector<bool> known, fits, gone;
};

/// What all ranks say of the same entries. Collective over `comm`: one reduction.
/// @param says gets what all ranks say
ShelfAnswer agreeOnEntry(MPI_Comm comm, bool valid, bool eager, EntryBits& says);

/// Whether a plan has served results, and none of their graphs is left.
inline bool hasGone(const ShelfEntry& entry) {
  for (const WeakGraph& graph : entry.served)
    if (graph.strong_count() > 0) return false;
  return entry.plan && !entry.served.empty();
}

template <class Serves>
ShelfAnswer PlanShelves::find(MPI_Comm comm, PlanShelf* shelf, const ShelfQuery& query,
                              const Serves& serves) {
  const std::size_t count = shelf ? shelf->entries.size() : 0;
  const bool valid = shelf && query.valid;
  const bool mayEnd = !ThreadInside::refused();  // references are counted without locks
  EntryBits says(count);
  for (std::size_t e = 0; e < count; ++e) {
    const ShelfEntry& entry = shelf->entries[e];
    says.gone[e] = mayEnd && hasGone(entry);
    if (!valid) continue;
    says.known[e] = entry.product == query.product;
    says.fits[e] = says.known[e] && entry.plan &&
                   (query.newResult || entry.result == query.result) && serves(e);
  }
  ShelfAnswer answer = agreeOnEntry(comm, valid, shelf && shelf->eager, says);
  if (shelf) endGone(*shelf, says.gone, answer);
  using Kind = ShelfAnswer::Kind;
  if (answer.kind == Kind::Noted &&
      (shelf->entries[answer.at].plan || shelf->entries[answer.at].tooLarge))
    answer.kind = Kind::Elsewise;
  return answer;
}

}  // namespace Trident::Impl

#endif
