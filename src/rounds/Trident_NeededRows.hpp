// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_NEEDEDROWS_HPP
#define TRIDENT_NEEDEDROWS_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "Trident_Error.hpp"
#include "base/Trident_Agreement.hpp"
#include "base/Trident_Mpi.hpp"
#include "base/Trident_Traffic.hpp"
#include "grid/Trident_IndexSpace.hpp"
#include "grid/Trident_ProcessGrid.hpp"
#include "grid/Trident_VolumeModel.hpp"
#include "matrix/Trident_ColumnIndex.hpp"
#include "matrix/Trident_Device.hpp"
#include "matrix/Trident_GridMatrix.hpp"
#include "matrix/Trident_IndexSets.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_PackedSlice.hpp"
#include "rounds/Trident_BatchPlan.hpp"
#include "rounds/Trident_FactorLine.hpp"
#include "transport/Trident_AllToAll.hpp"

namespace Trident::Impl {

/// Appends a set of rows of one slice to `words` (SetWord). Local.
/// @param first, last range of the rows, ascending
/// @param sliceBegin number of the slice's first row, counted like the rows of the range
template <class Iterator>
void appendSet(Iterator first, Iterator last, Position sliceBegin, int sliceRows,
               std::vector<SetWord>& words) {
  const auto count = static_cast<int>(last - first);
  const std::size_t at = words.size();
  words.resize(at + setWords(count, sliceRows), 0);
  const bool listed = count < bitmapWords(sliceRows);
  for (int n = 0; n < count; ++n) {
    const auto row = static_cast<SetWord>(first[n] - sliceBegin);
    if (listed)
      words[at + n] = row;
    else
      words[at + row / 32] |= SetWord(1) << (row % 32);
  }
}

/// Appends the rows of a set to `rows`, in ascending order. Local.
/// @param words words of the set; @param firstRow number of the slice's first row
inline void readSet(const SetWord* words, int count, int sliceRows, int firstRow,
                    std::vector<int>& rows) {
  if (count < bitmapWords(sliceRows)) {
    for (int n = 0; n < count; ++n) rows.push_back(firstRow + static_cast<int>(words[n]));
    return;
  }
  for (int row = 0; row < sliceRows; ++row)
    if (words[row / 32] >> (row % 32) & 1) rows.push_back(firstRow + row);
}

/// Lists of rows of B that other ranks ask this rank for, by slice and then by member of B's line.
struct AskedLists {
  std::vector<int> rows;
  std::vector<long long> begin{0};  ///< start of each list in `rows`, and the end
};

/// The rows of B that a grid row needs, seen from one rank. All nodes of a grid row multiply the
/// same tiles of A, so they need the same rows. Node (i, j) finds the rows that its tile A_ij
/// needs, and sends their numbers along the grid row. Then each rank asks the other ranks of B's
/// line for the needed rows of their slices. No rank asks for rows of tile row i, because the grid
/// row itself has them.
class NodeNeeds {
 public:
  /// Makes an object without rows. `grid` and `inner` must outlive this object. Local.
  NodeNeeds(const ProcessGrid& grid, const IndexSpace& inner);

  /// Notes the rows of B outside of tile row i that this node needs for its own tile of A. Local.
  /// @param rows these rows, ascending. Row 0 belongs to the first column of A's tile
  void note(const std::vector<int>& rows);

  // The next three functions are for grids with several columns of nodes.

  /// Exchanges the number of rows that each node needs. Collective over the row line.
  void shareSizes(Traffic& traffic);
  /// Takes memory for the needs of the other nodes. Local.
  void makeRoom();
  /// Exchanges the sets of needed rows. All ranks called makeRoom(). Collective over the row line.
  void shareSets(Traffic& traffic);

  /// Returns the met space: the inner space of the rows that this grid row has or needs. Local,
  /// like all functions below.
  std::shared_ptr<const IndexSpace> metSpace() const;

  /// Returns the number of words in questions() for each member of B's line. A number may be 0.
  std::vector<long long> questionCounts() const;
  /// Returns the question to each member of B's line. A question lists the number of needed rows of
  /// each of the member's slices, then the sets of these rows. If no row is needed, it is empty.
  std::vector<SetWord> questions() const;
  /// Reads the questions that other ranks sent to this rank.
  /// @param words questions in the order of members
  /// @param offsets first word of each member's question, and the end
  AskedLists readQuestions(const std::vector<SetWord>& words,
                           const std::vector<long long>& offsets) const;

 private:
  /// Returns the number of needed rows in slice k of a segment.
  int needed(int segment, int k) const { return sizes_[segment * lambda() + k]; }
  /// Returns the number of words for the set of needed rows in this rank's slice of a segment.
  int words(int segment) const {
    return setWords(needed(segment, me_.k), inner_.sliceSize(segment, me_.k));
  }
  int lambda() const { return shape_.lambda; }

  const ProcessGrid& grid_;
  const IndexSpace& inner_;
  const GridShape& shape_;
  const GridCoordinates& me_;
  std::vector<int> sizes_;      // number of needed rows of slice k of segment s at [s·λ + k]
  std::vector<SetWord> own_;    // sets of this node's needed rows in slices with this rank's k
  std::vector<SetWord> words_;  // sets of the grid row's needed rows in such slices, by segment
};

/// Returns the remote columns (index.owned() is false), ascending, each once. Local.
template <class Device, class Columns>
Kokkos::View<Position*, Device> remoteColumns(const Columns& columns, ColumnIndex<Device>& index) {
  const ColumnIndex<Device> notes = index;
  const Range<Device> entries(0, columns.extent(0));
  if (index.usesBitmap()) {
    Kokkos::parallel_for(
        "Trident::noteColumns", entries, TRIDENT_LAMBDA(long long e) { notes.touch(columns(e)); });
    return index.finishBitmap();
  }
  const auto before = scratch<long long, Device>("Trident::remotesBefore", columns.extent(0) + 1);
  Kokkos::parallel_for(
      "Trident::markRemotes", entries,
      TRIDENT_LAMBDA(long long e) { before(e) = !notes.owned(columns(e)); });
  const auto touched = scratch<Position, Device>("Trident::remoteEntries",
                                                 countsToOffsets<long long, Device>(before));
  Kokkos::parallel_for(
      "Trident::listRemotes", entries, TRIDENT_LAMBDA(long long e) {
        if (!notes.owned(columns(e))) touched(before(e)) = columns(e);
      });
  return index.finishList(touched);
}

/// Returns each column's index in the met space, counted from the first column of A's tile.
/// @param columns ascending columns whose rows of B this rank needs from other grid rows
/// @param needed ascending columns whose rows of B the node needs from other grid rows
/// @param ownAt number of `needed` columns before the first column of this grid row
inline std::vector<int> indicesAmong(const std::vector<int>& columns,
                                     const std::vector<int>& needed, std::ptrdiff_t ownAt,
                                     int ownRows) {
  std::vector<int> indices;
  indices.reserve(columns.size());
  auto at = needed.begin();
  for (const int column : columns) {
    at = std::lower_bound(at, needed.end(), column);
    const std::ptrdiff_t index = at - needed.begin();
    indices.push_back(static_cast<int>(index) + (index >= ownAt ? ownRows : 0));
  }
  return indices;
}

/// Returns each entry's column as an index in the met space; 0 is the first column of A's tile.
/// Column c among the owned ones gets ownBegin + c; column m among remote ones, indices(m). Local.
template <class Device, class Columns>
Kokkos::View<int*, Device> relabelColumns(const Columns& columns, const ColumnIndex<Device>& index,
                                          int ownBegin, int ownRows,
                                          const Kokkos::View<int*, Device>& indices) {
  const ColumnIndex<Device> local = index;
  const auto relabelled = scratch<int, Device>("Trident::metColumns", columns.extent(0));
  Kokkos::parallel_for(
      "Trident::metColumns", Range<Device>(0, columns.extent(0)), TRIDENT_LAMBDA(long long e) {
        const int c = local.local(columns(e));
        relabelled(e) = c < ownRows ? ownBegin + c : indices(c - ownRows);
      });
  return relabelled;
}

/// Estimates the number of foreign rows that a node needs, if its ranks' needs are independent.
/// @param counts number of foreign rows (rows of other grid rows) that each rank needs
/// @param foreign number of all foreign rows that A's tile may meet
template <class Counts>
long long neededByNode(const Counts& counts, double foreign) {
  double unneeded = foreign;
  for (const auto count : counts)
    if (foreign > 0) unneeded *= 1 - static_cast<double>(count) / foreign;
  return std::llround(foreign - unneeded);
}

/// Numbers of one rank, or of all ranks, that decide between needed rows and whole tiles.
struct FetchBytes {
  long long fetched = 0;   ///< bytes of needed rows, and of questions for these rows
  long long tiles = 0;     ///< bytes of whole tiles
  long long tooLarge = 0;  ///< number of ranks that lack memory for the rows to send

  /// Returns this rank's numbers.
  /// @param sent bytes of the packed rows that this rank would send
  /// @param matrices bytes of this rank's slices of A and B, on which the limit of `sent` depends
  static FetchBytes ofRank(long long fetched, long long tiles, long long sent, long long matrices,
                           const RoundOptions& options) {
    return {fetched, tiles, sent > memoryBound(matrices, options) ? 1 : 0};
  }
  FetchBytes& operator+=(const FetchBytes& other) {
    fetched += other.fetched;
    tiles += other.tiles;
    tooLarge += other.tooLarge;
    return *this;
  }
  /// Returns true if needed rows are fewer bytes than whole tiles, and no rank lacks memory.
  bool saves() const { return fetched < tiles && tooLarge == 0; }
};

/// The rows of B that this rank needs (doc/algorithm.md, "Needed rows"): its own whole slice, and
/// the rows of other nodes' slices that A's tiles on this grid row meet. All nodes of a grid row
/// need the same rows of other nodes. Later products of the same structures need the same rows.
template <class Device>
struct NeededRows {
  /// The met space: the inner space of the rows that this grid row has or needs. Equal on all ranks
  /// of the grid row.
  std::shared_ptr<const IndexSpace> met;
  Kokkos::View<int*, Device> columns;  ///< A's columns in `met`; 0 is the first column of A's tile
  std::vector<SliceShape> shapes;      ///< shapes of the slices that this rank gets, by segment
  RowSelection<Device> sent;           ///< own rows of B to send, by segment and member
};

/// A search for the rows of B that a product needs, seen from one rank. run() has the steps.
template <class Scalar, class Device>
class NeedsSearch {
 public:
  NeedsSearch(const GridMatrix<Scalar, Device>& A, const GridMatrix<Scalar, Device>& B,
              const RoundOptions& options, Traffic& traffic, LocalFailure& failure)
      : A_(A.local()),
        B_(B.local()),
        grid_(B.grid()),
        inner_(*B.rows()),
        options_(options),
        traffic_(traffic),
        failure_(failure),
        me_(grid_.me()),
        needs_(grid_, inner_),
        found_(std::make_shared<NeededRows<Device>>()) {
    const int perRow = grid_.shape().segmentsPerTileRow();
    const int perCol = grid_.shape().segmentsPerTileCol();
    const int first = std::max(me_.i * perRow, me_.j * perCol);
    const int end = std::min((me_.i + 1) * perRow, (me_.j + 1) * perCol);
    if (first >= end) return;
    ownBegin_ = inner_.segmentBegin(first) - inner_.tileColBegin(me_.j);
    ownRows_ = static_cast<int>(inner_.segmentBegin(end) - inner_.segmentBegin(first));
  }

  /// Finds the rows of B that this rank needs. Collective over the grid. May throw Trident::Error
  /// on every rank, for lack of memory.
  /// @return null if the tiles are to travel whole
  std::shared_ptr<const NeededRows<Device>> run() {
    failure_.guard([&] { listOwnNeeds(); });
    // If this rank is alone on its node, a later exchange decides if fetching pays.
    const bool alone = grid_.shape().lambda == 1, inRow = grid_.shape().nodeCols > 1;
    if (!alone && !worthAsking()) return nullptr;
    shareNeeds();
    failure_.guard([&] { joinNeeds(); });
    if (inRow && !tellRow(alone)) return nullptr;
    failure_.guard([&] { found_->met = needs_.metSpace(); });
    if (!ask(alone && !inRow) || !saves()) return nullptr;
    failure_.guard([&] { relabel(); });
    return found_;
  }

 private:
  bool forced() const { return options_.fetch == FetchKind::NeededRows; }
  int members() const { return grid_.shape().nodeRows; }
  int ownSegments() const { return grid_.shape().segmentsPerTileRow(); }
  int tileRows() const { return inner_.tileColSize(me_.j); }  // number of rows that A may meet

  void listOwnNeeds() {
    index_.emplace(tileRows(), ownBegin_, ownBegin_ + ownRows_, A_.nnz());
    const auto remote = remoteColumns<Device>(A_.graph.entries, *index_);
    for (const Position column : toHost<Position, Device>(remote))
      mine_.push_back(static_cast<int>(column));
  }

  /// Returns true if needed rows are to be fetched, not tiles: if this is forced, or seems to pay.
  /// Lists of a node with 2^31 rows or more do not pay; throws on every rank if they are forced.
  /// Throws on every rank, too, if a rank lacks memory for its node's lists, even if tiles would
  /// fit. Collective over the grid.
  bool worthAsking() {
    const int own = static_cast<int>(mine_.size());
    counts_.resize(grid_.shape().lambda);
    allGather(&own, 1, MPI_INT, counts_.data(), grid_.nodeComm(),
              "how many rows the ranks of the node need");
    const double foreign = static_cast<double>(tileRows() - ownRows_);
    const double all = std::accumulate(counts_.begin(), counts_.end(), 0.0);
    std::vector<long long> sums = nodeSums(neededByNode(counts_, foreign), all);
    if (sums[2] == 0) failure_.guard([&] { node_.resize(static_cast<std::size_t>(all)); });
    sumEverywhere(grid_.comm(), sums, failure_);
    return worth(sums);
  }
  /// Returns this rank's numbers for worth(), which takes their sums over all ranks.
  /// @param needed number of rows of B that this node's tile of A needs
  /// @param all number of rows in the lists of all ranks of the node
  std::vector<long long> nodeSums(long long needed, double all) const {
    return {needed, tileRows() - ownRows_, all > std::numeric_limits<int>::max()};
  }
  bool worth(const std::vector<long long>& sums) const {
    if (forced() && sums[2] > 0)
      throw Error("the ranks of a node need 2^31 rows of B or more; use \"fetch\" = \"tiles\"");
    return forced() || (sums[2] == 0 &&
                        worthFetching(static_cast<double>(sums[0]), static_cast<double>(sums[1])));
  }

  /// Gathers the lists of the node's ranks in `node_`, which has room. Collective over the node.
  void shareNeeds() {
    if (grid_.shape().lambda == 1) {
      failure_.guard([&] { node_ = mine_; });
      return;
    }
    nodeBegin_.assign(1, 0);
    for (const int count : counts_) nodeBegin_.push_back(nodeBegin_.back() + count);
    allGatherV(mine_.data(), counts_[me_.k], MPI_INT, node_.data(), counts_.data(),
               nodeBegin_.data(), grid_.nodeComm(), "the rows that the ranks of the node need");
    traffic_.count(false,
                   (nodeBegin_.back() - counts_[me_.k]) * static_cast<long long>(sizeof(int)));
  }

  /// Merges the lists of the node's ranks, two by two, into the list of the node.
  void joinNeeds() {
    const std::size_t lists = nodeBegin_.empty() ? 1 : nodeBegin_.size() - 1;
    for (std::size_t width = 1; width < lists; width *= 2)
      for (std::size_t k = 0; k + width < lists; k += 2 * width)
        std::inplace_merge(node_.begin() + nodeBegin_[k], node_.begin() + nodeBegin_[k + width],
                           node_.begin() + nodeBegin_[std::min(k + 2 * width, lists)]);
    node_.erase(std::unique(node_.begin(), node_.end()), node_.end());
    needs_.note(node_);
  }

  /// Exchanges needs with the nodes of the grid row. Collective over the grid.
  /// @param unsure true if the ranks have not called worth() yet
  /// @return false if worth() says that fetching does not pay
  bool tellRow(bool unsure) {
    needs_.shareSizes(traffic_);
    failure_.guard([&] { needs_.makeRoom(); });
    if (!agreeOnWorth(unsure)) return false;
    needs_.shareSets(traffic_);
    return true;
  }
  /// Returns false if `unsure` is true and worth() says that fetching does not pay. Throws on every
  /// rank if a rank has failed. Collective over the grid.
  bool agreeOnWorth(bool unsure) {
    const auto rows = static_cast<long long>(node_.size());
    std::vector<long long> sums = nodeSums(rows, static_cast<double>(rows));
    sumEverywhere(grid_.comm(), sums, failure_);
    return !unsure || worth(sums);
  }

  /// Asks owners for rows, and gets the shapes of these rows. Collective over the grid.
  /// @param unsure true if the ranks have not called worth() yet
  /// @return false if worth() says that fetching does not pay
  bool ask(bool unsure) {
    std::vector<long long> counts(members(), 0);
    if (!failure_.failed()) counts = needs_.questionCounts();
    const AllToAll toOwners(grid_, Factor::B, counts, options_.messageBytes);
    std::vector<SetWord> questions, asked;
    failure_.guard([&] {
      questions = needs_.questions();
      asked.resize(toOwners.receives());
    });
    if (!agreeOnWorth(unsure)) return false;
    questionBytes_ = toOwners.sends() * static_cast<long long>(sizeof(SetWord));
    toOwners.exchange(questions.data(), asked.data(), sizeof(SetWord), traffic_);
    answer(toOwners, asked);
    return true;
  }
  void answer(const AllToAll& toOwners, const std::vector<SetWord>& asked) {
    failure_.guard([&] {
      AskedLists lists = needs_.readQuestions(asked, toOwners.receiveOffsets());
      found_->sent = selectRows(B_, lists.rows, std::move(lists.begin));
      own_ = shapesOfRows(B_, segmentRows(inner_, me_.i, me_.k, B_.numCols()));
    });
    found_->sent.shapes.resize(static_cast<std::size_t>(ownSegments()) * members());
    found_->shapes.resize(grid_.shape().segments());
    own_.resize(ownSegments());
    std::vector<SliceShape> answers;  // shapes of the parts for member 0, then for member 1, ...
    for (int member = 0; member < members(); ++member)
      for (int n = 0; n < ownSegments(); ++n)
        answers.push_back(found_->sent.shapes[n * members() + member]);
    toOwners.answerEach(answers.data(), found_->shapes.data(), ownSegments() * sizeof(SliceShape),
                        traffic_);
    std::copy(own_.begin(), own_.end(), found_->shapes.begin() + me_.i * ownSegments());
  }

  static long long bytesOf(const std::vector<SliceShape>& shapes) {
    long long bytes = 0;
    for (const SliceShape& shape : shapes)
      bytes += static_cast<long long>(shape.bytes(sizeof(Scalar)));
    return bytes;
  }

  /// Returns true if fetching is forced, or if FetchBytes::saves(). Collective over the grid.
  bool saves() {
    // tellRow() has sent the same sets along the grid row, so their bytes count twice.
    const long long told = grid_.shape().nodeCols > 1 ? questionBytes_ : 0;
    const long long fetched = bytesOf(found_->shapes) - bytesOf(own_) + questionBytes_ + told;
    const long long matrices = static_cast<long long>(matrixBytes(A_) + matrixBytes(B_));
    FetchBytes sums = FetchBytes::ofRank(fetched, (members() - 1) * bytesOf(own_),
                                         bytesOf(found_->sent.shapes), matrices, options_);
    static_assert(sizeof sums == 3 * sizeof(long long), "travels as numbers");
    allReduce(MPI_IN_PLACE, &sums, 3, MPI_LONG_LONG, MPI_SUM, grid_.comm(),
              "the bytes of needed rows");
    return forced() || sums.saves();
  }

  void relabel() {
    const auto ownAt = std::lower_bound(node_.begin(), node_.end(), ownBegin_) - node_.begin();
    found_->columns =
        relabelColumns<Device>(A_.graph.entries, *index_, static_cast<int>(ownAt), ownRows_,
                               toDevice<int, Device>(indicesAmong(mine_, node_, ownAt, ownRows_)));
  }

  const LocalMatrix<Scalar, Device>&A_, &B_;
  const ProcessGrid& grid_;
  const IndexSpace& inner_;
  const RoundOptions& options_;
  Traffic& traffic_;
  LocalFailure& failure_;
  const GridCoordinates& me_;
  NodeNeeds needs_;
  // Rows [ownBegin_, ownBegin_ + ownRows_) of B: this grid row has them, and this node's tile of A
  // may meet them. Row 0 belongs to the first column of A's tile.
  Position ownBegin_ = 0;
  int ownRows_ = 0;
  std::optional<ColumnIndex<Device>> index_;
  std::vector<int> mine_, node_;  // ascending rows of B that this rank and its node need
  std::vector<int> counts_;       // number of rows that each rank of the node needs
  std::vector<int> nodeBegin_;    // start of each rank's list in node_, until joinNeeds()
  std::vector<SliceShape> own_;   // shapes of this rank's whole slices of B
  long long questionBytes_ = 0;
  std::shared_ptr<NeededRows<Device>> found_;
};

/// Finds the needed rows of B. Collective over the grid; canFetchRows() must be true. If a rank
/// lacks memory, throws Trident::Error on every rank, or sets that rank's `failure`.
/// @return null if options.fetch allows tiles, and needed rows save too few bytes or take too much
///   memory. In this case tiles travel whole
template <class Scalar, class Device>
std::shared_ptr<const NeededRows<Device>> findNeededRows(const GridMatrix<Scalar, Device>& A,
                                                         const GridMatrix<Scalar, Device>& B,
                                                         const RoundOptions& options,
                                                         Traffic& traffic, LocalFailure& failure) {
  return NeedsSearch<Scalar, Device>(A, B, options, traffic, failure).run();
}

}  // namespace Trident::Impl

#endif
