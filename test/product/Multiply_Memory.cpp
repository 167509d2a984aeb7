// SPDX-License-Identifier: BSD-3-Clause
// Memory of a rank at a fixed number of rows per rank: on a square grid, round by round, it may
// grow like the square root of the ranks (offsets of a tile's rows), and never like the ranks.

#include <Kokkos_Core.hpp>
#include <Teuchos_UnitTestHarness.hpp>
#include <cstring>

#include "Trident_TestLarge.hpp"
#include "Trident_TestProduct.hpp"
#include "matrix/Trident_Device.hpp"

namespace {

using namespace TridentTest;

constexpr bool onHost = Trident::Impl::isHost<matrix_type::node_type::device_type>;

long long allocated = 0, highest = 0;

/// Returns true for all but the pinned buffers through which messages of device memory may go:
/// their size is fixed.
bool ours(const char* label) {
  return std::strncmp(label, "Trident::", 9) == 0 && std::strcmp(label, "Trident::staging") != 0;
}

void onAllocate(Kokkos_Profiling_SpaceHandle, const char* label, const void*,
                const std::uint64_t size) {
  if (ours(label)) highest = std::max(highest, allocated += static_cast<long long>(size));
}
void onDeallocate(Kokkos_Profiling_SpaceHandle, const char* label, const void*,
                  const std::uint64_t size) {
  if (ours(label)) allocated -= static_cast<long long>(size);
}

/// Largest of all ranks, in bytes.
struct Memory {
  double peak = 0;  ///< Kokkos allocations of ours at once, and the tile of B, which is not Kokkos'
  double data = 0;  ///< slices of A, B and C, the tile, and the rows of the result
};

Memory memoryOfProduct(const MatrixPtr& A, int lambda, const std::string& fetch) {
  const auto list = tridentList();
  list->sublist("Trident")
      .set("ranks per node", lambda)
      .set("grid", "square")
      .sublist("expert")
      .set("gather", "mpi")
      .set("fetch", fetch)
      .set("fuse rounds", 1);
  allocated = highest = 0;
  Kokkos::Tools::Experimental::set_allocate_data_callback(onAllocate);
  Kokkos::Tools::Experimental::set_deallocate_data_callback(onDeallocate);
  matrix_type C(A->getRowMap(), 0);
  const auto report = Trident::Multiply(*A, *A, C, list);
  Kokkos::Tools::Experimental::set_allocate_data_callback(nullptr);
  Kokkos::Tools::Experimental::set_deallocate_data_callback(nullptr);
  const double tile = static_cast<double>(report.tileBytes);
  return {static_cast<double>(highest) + tile,
          static_cast<double>(report.sliceBytes + report.resultBytes) + tile};
}

/// Measures memory on the first P ranks of the world, the others waiting. `make(n, comm)` makes the
/// matrix.
template <class Make>
std::map<int, Memory> memoryByRanks(int lambda, Make&& make, const std::string& fetch = "auto") {
  constexpr int rowsPerRank = 2000;
  const CommPtr all = world();
  std::map<int, Memory> found;
  for (int P = lambda; P <= all->getSize(); P *= 2) {
    const bool in = all->getRank() < P;
    const CommPtr comm = all->split(in ? 0 : 1, all->getRank());
    Memory memory;
    if (in) memory = memoryOfProduct(make(GO(rowsPerRank) * P, comm), lambda, fetch);
    MPI_Allreduce(MPI_IN_PLACE, &memory, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    found[P] = memory;
  }
  return found;
}

/// Checks the growth of a rank's data: sqrt(P/p) at most. A square grid's tile has so many more
/// rows, and a banded matrix lies on the diagonal nodes alone. What a rank does hold is a small
/// multiple of that: the factors in their slices and on the wire, two landing buffers of each,
/// partial products and the sum. On devices what travels stands in pinned memory too, and the
/// kernel keeps a megabyte of workspace at least. Anything that a rank held of all rows would grow
/// like P/p.
void checkGrowth(const std::map<int, Memory>& found, Teuchos::FancyOStream& out, bool& success) {
  constexpr double workspace = onHost ? 0 : 1 << 20;
  const auto& first = *found.begin();
  for (const auto& m : found) {
    const double growth = m.second.data / first.second.data;
    const double multiple = (m.second.peak - workspace) / m.second.data;
    out << m.first << " ranks: peak " << m.second.peak << ", data " << m.second.data << ", growth "
        << growth << ", multiple " << multiple << "\n";
    TEST_COMPARE(growth, <, 1.25 * std::sqrt(static_cast<double>(m.first) / first.first) + 0.25);
    TEST_COMPARE(multiple, <, onHost ? 2.5 : 3.0);
  }
}

const auto banded = [](GO n, const CommPtr& comm) { return bandedRows(n, 3, comm); };
const auto random7 = [](GO n, const CommPtr& comm) { return randomRows(n, 7, 5, comm); };

TEUCHOS_UNIT_TEST(Memory, BandedOneRankNodes) {
  checkGrowth(memoryByRanks(1, banded), out, success);
}
TEUCHOS_UNIT_TEST(Memory, BandedNodesOfFour) {
  checkGrowth(memoryByRanks(4, banded), out, success);
}
TEUCHOS_UNIT_TEST(Memory, RandomOneRankNodes) {
  checkGrowth(memoryByRanks(1, random7), out, success);
}
TEUCHOS_UNIT_TEST(Memory, RandomNodesOfFour) {
  checkGrowth(memoryByRanks(4, random7), out, success);
}

// Row offsets weigh where rows have two entries. From 4 to 16 ranks a slice and a tile get 4000
// rows more, 32 kB for each array of offsets (170 kB in all were measured on a host, 345 kB on a
// GPU, where what travels stands in pinned memory too); one array over all rows of the matrix would
// get 24000 more, 192 kB. Tiles travel: needed rows are packed for each of those that ask.
TEUCHOS_UNIT_TEST(Memory, NothingForAllRows) {
  const auto sparse = [](GO n, const CommPtr& comm) { return randomRows(n, 2, 6, comm); };
  const auto found = memoryByRanks(1, sparse, "tiles");
  if (!found.count(16)) return;
  for (const auto& m : found) out << m.first << " ranks: peak " << m.second.peak << "\n";
  TEST_COMPARE(found.at(16).peak, <, found.at(4).peak + (onHost ? 270e3 : 450e3));
}

// The meter sees a rank that holds something of all rows.
TEUCHOS_UNIT_TEST(Memory, MeterMeasures) {
  Kokkos::Tools::Experimental::set_allocate_data_callback(onAllocate);
  Kokkos::Tools::Experimental::set_deallocate_data_callback(onDeallocate);
  allocated = highest = 0;
  {
    const Kokkos::View<char*, Kokkos::HostSpace> a("Trident::a", 1000), b("other", 5000);
    const Kokkos::View<char*, Kokkos::HostSpace> c("Trident::c", 500);
  }
  Kokkos::Tools::Experimental::set_allocate_data_callback(nullptr);
  Kokkos::Tools::Experimental::set_deallocate_data_callback(nullptr);
  TEST_COMPARE(highest, >=, 1500);
  TEST_COMPARE(highest, <, 5000);
  TEST_EQUALITY(allocated, 0);
}

}  // namespace
