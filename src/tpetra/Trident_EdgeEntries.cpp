// SPDX-License-Identifier: BSD-3-Clause
#include "tpetra/Trident_EdgeEntries.hpp"

#include <Tpetra_CrsMatrix.hpp>
#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

#include "Trident_Error.hpp"
#include "base/Trident_Mpi.hpp"
#include "exchange/Trident_Context.hpp"
#include "tpetra/Trident_TpetraCompat.hpp"
#include "transport/Trident_AllToAll.hpp"

namespace Trident::Impl {
namespace {

using EdgeMatrix = Tpetra::CrsMatrix<double>;

/// Gathers the items of all ranks, in the order of ranks. See gathered().
template <class T>
std::vector<T> gatheredOf(const std::vector<T>& mine, MPI_Datatype type, MPI_Comm comm,
                          const char* what) {
  int ranks = 0, rank = 0;
  TRIDENT_MPI_CHECK(MPI_Comm_size(comm, &ranks));
  TRIDENT_MPI_CHECK(MPI_Comm_rank(comm, &rank));
  std::vector<long long> counts(ranks);
  const long long count = static_cast<long long>(mine.size());
  allGather(&count, 1, MPI_LONG_LONG, counts.data(), comm, what);
  std::vector<int> sizes(ranks), offsets(ranks);
  long long all = 0;
  for (int p = 0; p < ranks; ++p) {
    sizes[p] = static_cast<int>(counts[p]);
    offsets[p] = static_cast<int>(all);
    all += counts[p];
    if (all > std::numeric_limits<int>::max())  // the same on all ranks, so all throw
      throw Error(std::string(what) + " are more than can be gathered; pass a matrix of the edges");
  }
  std::vector<T> items;
  runEverywhere(comm, [&] { items.resize(static_cast<std::size_t>(all)); });
  allGatherV(mine.data(), sizes[rank], type, items.data(), sizes.data(), offsets.data(), comm,
             what);
  return items;
}

/// An entry on its way to the rank that has its row.
struct Entry {
  int row, column;
  double weight;
};

/// The distribution of rows that Tpetra uses for a Map of a given size. Each rank gets successive
/// rows. All ranks get equally many rows, or the first ranks one more than the others.
struct UniformRowMap {
  long long rows;
  int ranks;

  long long begin(int rank) const {
    return rows / ranks * rank + std::min<long long>(rank, rows % ranks);
  }
  int owner(long long row) const {
    const long long each = rows / ranks, more = rows % ranks, ofFirst = more * (each + 1);
    return static_cast<int>(row < ofFirst ? row / (each + 1) : more + (row - ofFirst) / each);
  }
};

/// Entries, grouped by receiving grid rank, and the number of entries for each grid rank.
struct OutgoingEntries {
  std::vector<long long> counts;
  std::vector<Entry> entries;
};

/// Returns the entries of the edges, grouped by the grid rank that gets them. Local.
/// @param gridRanks grid rank of each rank of the communicator
OutgoingEntries outgoing(const EdgeArrays& edges, const EdgeRule& rule, const UniformRowMap& rows,
                         const std::vector<int>& gridRanks) {
  const auto each = [&](const auto& take) {
    for (std::size_t e = 0; e < edges.from.size(); ++e) {
      const double weight = edges.weights.empty() ? 1 : edges.weights[e];
      const int from = static_cast<int>(edges.from[e]), to = static_cast<int>(edges.to[e]);
      if (rule.heaviest && (from == to || weight == 0)) continue;
      take(gridRanks[rows.owner(from)], Entry{from, to, weight});
      if (rule.bothWays && from != to) take(gridRanks[rows.owner(to)], Entry{to, from, weight});
    }
  };
  OutgoingEntries out;
  out.counts.assign(gridRanks.size(), 0);
  each([&](int rank, const Entry&) { ++out.counts[rank]; });
  std::vector<long long> at(gridRanks.size() + 1, 0);
  for (std::size_t g = 0; g < gridRanks.size(); ++g) at[g + 1] = at[g] + out.counts[g];
  out.entries.resize(static_cast<std::size_t>(at.back()));
  each([&](int rank, const Entry& entry) { out.entries[at[rank]++] = entry; });
  return out;
}

struct ColumnWeight {
  int column;
  double weight;
};

/// Rows of entries. Row r begins at offsets[r]. Columns ascend in each row.
struct EntriesByRow {
  std::vector<std::size_t> offsets;
  std::vector<ColumnWeight> entries;

  std::size_t rows() const { return offsets.size() - 1; }
};

/// Puts entries into their rows, and sorts each row by columns. Local; frees the entries.
/// @param begin, rows number of the first row, and count of rows
EntriesByRow rowsOf(std::vector<Entry>&& entries, long long begin, std::size_t rows) {
  EntriesByRow all{std::vector<std::size_t>(rows + 2, 0),
                   std::vector<ColumnWeight>(entries.size())};
  // offsets[r + 2] first counts row r. Then offsets[r + 1] is the place of row r's next entry.
  for (const Entry& entry : entries) ++all.offsets[entry.row - begin + 2];
  for (std::size_t r = 0; r < rows; ++r) all.offsets[r + 2] += all.offsets[r + 1];
  for (const Entry& entry : entries)
    all.entries[all.offsets[entry.row - begin + 1]++] = {entry.column, entry.weight};
  std::vector<Entry>().swap(entries);  // = {} would keep the memory
  all.offsets.pop_back();
  for (std::size_t r = 0; r < rows; ++r)
    std::sort(all.entries.begin() + static_cast<std::ptrdiff_t>(all.offsets[r]),
              all.entries.begin() + static_cast<std::ptrdiff_t>(all.offsets[r + 1]),
              [](const ColumnWeight& a, const ColumnWeight& b) {
                return a.column != b.column ? a.column < b.column : a.weight > b.weight;
              });
  return all;
}

/// Leaves one entry for each row and column: the heaviest, or the sum. Local.
void mergePlaces(EntriesByRow& rows, bool heaviest) {
  std::size_t kept = 0, begin = 0;
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    const std::size_t end = rows.offsets[r + 1], first = kept;
    for (std::size_t e = begin; e < end; ++e) {
      const ColumnWeight entry = rows.entries[e];
      if (kept == first || rows.entries[kept - 1].column != entry.column)
        rows.entries[kept++] = entry;
      else if (!heaviest)
        rows.entries[kept - 1].weight += entry.weight;
    }
    begin = end;
    rows.offsets[r + 1] = kept;
  }
  rows.entries.resize(kept);
}

/// Brings the entries of all ranks to the ranks that have their rows. Collective; throws
/// Trident::Error on every rank if a rank fails.
EntriesByRow dealtRows(const EdgeArrays& edges, const EdgeRule& rule, const UniformRowMap& rows,
                       MPI_Comm comm) {
  const MessageOptions messages;
  const GridRanks& ranks = Context::of(comm).ranks(0);
  std::vector<int> gridRanks;  // grid rank of each rank
  runEverywhere(comm, [&] { gridRanks.resize(rows.ranks); });
  const int me = ranks.rank();
  allGather(&me, 1, MPI_INT, gridRanks.data(), comm, "the ranks that have rows");
  OutgoingEntries out;
  runEverywhere(comm, [&] { out = outgoing(edges, rule, rows, gridRanks); });
  const AllToAll toOwners(ranks, out.counts, messages.messageBytes);
  std::vector<Entry> entries;
  if (toOwners.onlySelf() && rows.ranks == 1) {
    entries.swap(out.entries);
  } else {
    runEverywhere(comm, [&] { entries.resize(static_cast<std::size_t>(toOwners.receives())); });
    Traffic uncounted;
    toOwners.exchange(out.entries.data(), entries.data(), sizeof(Entry), uncounted);
  }
  out = {};
  int rank = 0;
  TRIDENT_MPI_CHECK(MPI_Comm_rank(comm, &rank));
  const long long begin = rows.begin(rank), end = rows.begin(rank + 1);
  EntriesByRow own;
  runEverywhere(comm, [&] {
    own = rowsOf(std::move(entries), begin, static_cast<std::size_t>(end - begin));
    mergePlaces(own, rule.heaviest);
  });
  return own;
}

/// Numbers labels in the order in which they come.
class LabelNumbers {
 public:
  long long of(const std::string& label) {
    const auto known = numbers_.emplace(label, static_cast<long long>(labels.size()));
    if (known.second) labels.push_back(label);
    return known.first->second;
  }

  NodeLabels labels;

 private:
  std::unordered_map<std::string, long long> numbers_;
};

/// Numbers the labels of all ranks, in the order of ranks. Collective.
/// @param mine labels of this rank, without repetition
LabelNumbers numbersOfAll(const NodeLabels& mine, MPI_Comm comm) {
  std::vector<char> text;
  std::vector<long long> lengths;
  runEverywhere(comm, [&] {
    for (const std::string& label : mine) {
      text.insert(text.end(), label.begin(), label.end());
      lengths.push_back(static_cast<long long>(label.size()));
    }
  });
  const auto allText = gatheredOf(text, MPI_CHAR, comm, "letters of labels");
  const auto allLengths = gathered(lengths, comm, "labels");
  LabelNumbers numbers;
  runEverywhere(comm, [&] {
    const char* at = allText.data();
    for (const long long length : allLengths) {
      numbers.of(std::string(at, static_cast<std::size_t>(length)));
      at += length;
    }
  });
  return numbers;
}

}  // namespace

void requireLengths(std::size_t from, std::size_t to, std::size_t weights) {
  if (from == to && (weights == from || weights == 0)) return;
  throw Error("there are " + std::to_string(from) + " nodes that edges come from, " +
              std::to_string(to) + " that they go to and " + std::to_string(weights) +
              " weights (values); pass arrays of one length, or no weights");
}

long long countNumbers(const std::vector<long long>& numbers, long long size) {
  long long count = 0;
  for (const long long number : numbers) {
    if (number < 0 || number >= std::numeric_limits<int>::max())
      throw Error("an edge has the node " + std::to_string(number) +
                  "; nodes are numbers from 0 to 2^31 - 2");
    if (size > 0 && number >= size)
      throw Error("an edge has the node " + std::to_string(number) + ", and there are " +
                  std::to_string(size) + "; count nodes from 0, or pass a larger size");
    count = std::max(count, number + 1);
  }
  return std::max(count, size);
}

std::vector<long long> agreeOnEdges(const std::vector<long long>& counts, std::size_t edges,
                                    std::size_t weights, const LocalFailure& failure,
                                    MPI_Comm comm) {
  std::vector<long long> most{weights > 0, edges > weights};
  most.insert(most.end(), counts.begin(), counts.end());
  maximumEverywhere(comm, most, failure);
  if (most[0] && most[1])
    throw Error(
        "some ranks pass weights, and others edges without; pass weights on each rank that has "
        "edges, or on none");
  return {most.begin() + 2, most.end()};
}

Teuchos::RCP<EdgeMatrix> matrixOfEntries(const EdgeArrays& edges, long long rows, long long columns,
                                         const EdgeRule& rule,
                                         const Teuchos::RCP<const Teuchos::Comm<int>>& comm) {
  const MPI_Comm raw = rawComm(*comm);
  const UniformRowMap dealt{rows, comm->getSize()};
  EntriesByRow own = dealtRows(edges, rule, dealt, raw);
  const auto rowMap =
      Teuchos::rcp(new EdgeMatrix::map_type(static_cast<Tpetra::global_size_t>(rows), 0, comm));
  const auto domain = rows == columns ? rowMap
                                      : Teuchos::rcp(new EdgeMatrix::map_type(
                                            static_cast<Tpetra::global_size_t>(columns), 0, comm));
  const long long begin = dealt.begin(comm->getRank());
  Teuchos::RCP<EdgeMatrix> A;
  runEverywhere(raw, [&] {
    Teuchos::Array<std::size_t> counts(own.rows());
    for (std::size_t r = 0; r < own.rows(); ++r) counts[r] = own.offsets[r + 1] - own.offsets[r];
    A = Teuchos::rcp(new EdgeMatrix(rowMap, counts()));
    std::vector<EdgeMatrix::global_ordinal_type> columnsOfRow;
    std::vector<double> values;
    for (std::size_t r = 0; r < own.rows(); ++r) {
      columnsOfRow.clear();
      values.clear();
      for (std::size_t e = own.offsets[r]; e < own.offsets[r + 1]; ++e) {
        columnsOfRow.push_back(static_cast<EdgeMatrix::global_ordinal_type>(own.entries[e].column));
        values.push_back(own.entries[e].weight);
      }
      if (!values.empty())
        A->insertGlobalValues(
            static_cast<EdgeMatrix::global_ordinal_type>(begin + static_cast<long long>(r)),
            static_cast<int>(values.size()), values.data(), columnsOfRow.data());
    }
    own = {};  // frees memory for fillComplete()
  });
  A->fillComplete(domain, rowMap);
  return A;
}

NumberedEdges numberedEdges(const NodeLabels& from, const NodeLabels& to, bool apart,
                            MPI_Comm comm) {
  LabelNumbers mine, mineOfColumns;
  runEverywhere(comm, [&] {
    for (std::size_t e = 0; e < from.size(); ++e) {
      mine.of(from[e]);
      (apart ? mineOfColumns : mine).of(to[e]);
    }
  });
  LabelNumbers rows = numbersOfAll(mine.labels, comm), columns;
  if (apart) columns = numbersOfAll(mineOfColumns.labels, comm);
  NumberedEdges edges;
  runEverywhere(comm, [&] {
    for (const std::string& label : from) edges.from.push_back(rows.of(label));
    for (const std::string& label : to) edges.to.push_back((apart ? columns : rows).of(label));
    edges.columnLabels = apart ? std::move(columns.labels) : rows.labels;
    edges.rowLabels = std::move(rows.labels);
  });
  return edges;
}

std::vector<long long> gathered(const std::vector<long long>& mine, MPI_Comm comm,
                                const char* what) {
  return gatheredOf(mine, MPI_LONG_LONG, comm, what);
}

}  // namespace Trident::Impl
