// SPDX-License-Identifier: BSD-3-Clause
#include "TridentProblems_Permute.hpp"

#include <utility>
#include <vector>

#include "TridentProblems_Assemble.hpp"
#include "TridentProblems_HashPermutation.hpp"
#include "TridentProblems_Partition.hpp"
#include "TridentProblems_Rows.hpp"

namespace Trident {
namespace Problems {
namespace {

/// Returns this rank's entries by their new numbers. Local.
std::vector<Entry> renumbered(const matrix_type& A, const HashPermutation& rows,
                              const HashPermutation& columns) {
  const RowReader reader(A);
  std::vector<Entry> entries;
  entries.reserve(reader.numEntries());
  for (std::size_t r = 0; r < reader.numRows(); ++r) {
    const auto row = static_cast<global_ordinal_type>(rows(reader.rowGid(r)));
    for (std::size_t e = reader.begin(r); e < reader.end(r); ++e)
      entries.push_back(
          {row, static_cast<global_ordinal_type>(columns(reader.column(e))), reader.value(e)});
  }
  return entries;
}

}  // namespace

Teuchos::RCP<matrix_type> permuted(const matrix_type& A, std::uint64_t seed) {
  const Comm comm(*A.getComm());
  const auto size = [](const map_type& map) {
    return static_cast<std::int64_t>(map.getGlobalNumElements());
  };
  const HashPermutation rows(hash(seed), size(*A.getRowMap()));
  const HashPermutation columns(hash(seed), size(*A.getDomainMap()));
  std::vector<Entry> entries;
  collectively(comm, [&] { entries = renumbered(A, rows, columns); });
  const UniformPartition partition(size(*A.getRowMap()), comm.size());
  entries = redistributeEntries(
      std::move(entries), [&](const Entry& entry) { return partition.owner(entry.row); }, comm);
  std::int64_t none = 0;
  return matrixFromOwnEntries(std::move(entries), A.getRowMap(), A.getDomainMap(), comm, none);
}

}  // namespace Problems
}  // namespace Trident
