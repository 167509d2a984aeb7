// SPDX-License-Identifier: BSD-3-Clause
// The kernels that cut and write slices on devices, which any execution space can run, against
// those for hosts, which devices can run too: on every device both are run.

#include <Teuchos_UnitTestHarness.hpp>
#include <random>
#include <vector>

#include "Trident_TestDense.hpp"
#include "matrix/Trident_PackedSlice.hpp"
#include "matrix/Trident_TileAssembly.hpp"

namespace Trident::Impl {
namespace {

using TestTools::Device;
using TestTools::fromDevice;
using TestTools::HostMatrix;
using TestTools::randomMatrix;
using TestTools::toVector;

constexpr double densities[] = {0.0, 0.02, 0.2, 0.6, 1.0};

Rectangle randomRectangle(std::mt19937_64& random, int rows, int columns) {
  const auto interval = [&](int size, int& begin, int& end) {
    begin = static_cast<int>(random() % (size + 1));
    end = begin + static_cast<int>(random() % (size - begin + 1));
  };
  Rectangle cut{};
  interval(rows, cut.rowBegin, cut.rowEnd);
  interval(columns, cut.columnBegin, cut.columnEnd);
  return cut;
}

PackedRowPlaces<Device> rowsOf(const Rectangle& cut) {
  PackedRowPlaces<Device> rows;
  rows.entriesBefore = uninitialized<std::size_t, Device>("before", cut.rows() + 1);
  rows.listedBefore = uninitialized<int, Device>("listed", cut.rows() + 1);
  return rows;
}

TEUCHOS_UNIT_TEST(DeviceRows, CountsOfACutAgree) {
  std::mt19937_64 random(61);
  int wrong = 0;
  for (int n = 0; n < 100; ++n) {
    const auto host = randomMatrix<double>(random, 50, 70, densities[n % 5], n % 2 == 0);
    const auto matrix = host.onDevice();
    const Rectangle cut = randomRectangle(random, 50, 70);
    const auto onHost = rowsOf(cut), onDevice = rowsOf(cut);
    Kokkos::deep_copy(onHost.entriesBefore, 0);
    Kokkos::deep_copy(onDevice.entriesBefore, 0);
    countCutOnHost(matrix, cut, onHost);
    const CountCut<double, Device> count(RectangleKernel<double, Device>{matrix, cut, onDevice});
    if (cut.rows() > 0) Kokkos::parallel_for("countCut", count.policy(), count);
    wrong += toVector(onHost.entriesBefore) != toVector(onDevice.entriesBefore);
  }
  TEST_EQUALITY_CONST(wrong, 0);
}

/// Returns the entries of a packed slice as rows of a matrix.
template <class Scalar>
HostMatrix<Scalar> asMatrix(const PackedSlice<Scalar>& packed, int rows, int columns) {
  return fromDevice<Scalar>(concatenateColumns<Scalar, Device>({{packed, 0}}, rows, columns));
}

template <class Scalar>
void fillWithRubbish(const PackedSlice<Scalar>& packed) {
  Kokkos::parallel_for(
      "rubbish", Range<Device>(0, packed.entries()),
      KOKKOS_LAMBDA(long long e) { packed.setEntry(e, 0, Scalar(-77)); });
}

TEUCHOS_UNIT_TEST_TEMPLATE_1_DECL(DeviceRows, CutsAgreeAndKeepTheOrder, Scalar) {
  std::mt19937_64 random(62);
  int wrong = 0;
  for (int n = 0; n < 100; ++n) {
    const auto host = randomMatrix<Scalar>(random, 50, 70, densities[n % 5], n % 2 == 0);
    const auto matrix = host.onDevice();
    const Rectangle cut = randomRectangle(random, 50, 70);
    const auto slices = cutSlices<Scalar, Device>(matrix, {cut});
    if (slices.shapes[0].entries == 0) continue;
    HostMatrix<Scalar> expected(cut.rows(), cut.columnEnd - cut.columnBegin);
    for (int r = cut.rowBegin; r < cut.rowEnd; ++r)
      for (const auto& entry : host.rows[r])
        if (cut.hasColumn(entry.first))
          expected.rows[r - cut.rowBegin].emplace_back(entry.first - cut.columnBegin, entry.second);
    wrong += asMatrix(slices.packed(0), cut.rows(), expected.columns).rows != expected.rows;

    // The entries once more over rubbish, by the kernel that the device did not take.
    auto rows = rowsOf(cut);
    countCut(matrix, cut, rows);
    const PackedSlice<Scalar> packed = slices.packed(0);
    for (bool byTeams : {true, false}) {
      fillWithRubbish(packed);
      if (byTeams) {
        const FillCut<Scalar, Device> fill(RectangleKernel<Scalar, Device>{matrix, cut, rows},
                                           packed);
        Kokkos::parallel_for("fillCut", fill.policy(), fill);
      } else {
        fillCutOnHost(matrix, cut, rows, packed);
      }
      wrong += asMatrix(packed, cut.rows(), expected.columns).rows != expected.rows;
    }
  }
  TEST_EQUALITY_CONST(wrong, 0);
}

/// Makes a tile filled with rubbish.
template <class Scalar>
CrsArrays<Scalar, Device> rubbishTile() {
  return {TestTools::toDevice(std::vector<std::size_t>(80, 987654321)),
          TestTools::toDevice(std::vector<int>(9000, -77)),
          TestTools::toDevice(std::vector<Scalar>(9000, Scalar(-77)))};
}

template <class Scalar>
TileCsr<Scalar> pointers(const CrsArrays<Scalar, Device>& tile) {
  // The tile is written where its arrays lie.
  return {const_cast<std::size_t*>(tile.offsets.data()), tile.columns.data(), tile.values.data()};
}

template <class Scalar>
bool same(const CrsArrays<Scalar, Device>& a, const CrsArrays<Scalar, Device>& b) {
  return toVector(a.offsets) == toVector(b.offsets) && toVector(a.columns) == toVector(b.columns) &&
         toVector(a.values) == toVector(b.values);
}

TEUCHOS_UNIT_TEST_TEMPLATE_1_DECL(DeviceRows, BlocksAgree, Scalar) {
  std::mt19937_64 random(63);
  int wrong = 0;
  for (int n = 0; n < 100; ++n) {
    const int rows = 1 + static_cast<int>(random() % 60);
    const auto matrix = randomMatrix<Scalar>(random, rows, 70, densities[n % 5]).onDevice();
    const int first = static_cast<int>(random() % rows);
    const PlaceInTile block{static_cast<long long>(random() % 10),
                            static_cast<int>(random() % (rows - first + 1)), random() % 1000};
    const auto byHost = rubbishTile<Scalar>(), byDevice = rubbishTile<Scalar>();
    writeRowsOnHost(matrix, first, block, pointers(byHost));
    writeRowsOnDevice(matrix, first, block, pointers(byDevice));
    wrong += !same(byHost, byDevice);

    const auto slices = cutSlices<Scalar, Device>(matrix, {{0, rows, 0, n % 2 ? 70 : 3}});
    const PlaceInTile whole{block.rowBegin, rows, block.entryBegin};
    writePackedOnHost<Scalar, Device>(slices.packed(0), whole, pointers(byHost));
    writePackedOnDevice<Scalar, Device>(slices.packed(0), whole, pointers(byDevice));
    wrong += !same(byHost, byDevice);
  }
  TEST_EQUALITY_CONST(wrong, 0);
}

TEUCHOS_UNIT_TEST_TEMPLATE_1_DECL(DeviceRows, AppendsAgree, Scalar) {
  std::mt19937_64 random(64);
  int wrong = 0;
  for (int n = 0; n < 60; ++n) {
    const auto matrix = randomMatrix<Scalar>(random, 70, 40, densities[1 + n % 4]).onDevice();
    const auto slices = cutSlices<Scalar, Device>(matrix, {{0, 70, 0, 3}, {0, 70, 3, 40}});
    const auto byHost = rubbishTile<Scalar>(), byDevice = rubbishTile<Scalar>();
    std::vector<std::size_t> begins(70);
    for (int r = 0; r < 70; ++r) begins[r] = 100 * r;
    const auto cursorByHost = TestTools::toDevice(begins),
               cursorByDevice = TestTools::toDevice(begins);
    for (int s = 0; s < 2; ++s) {
      const PackedColumns<Scalar> part{slices.packed(s), s * 3};
      appendOnHost(part, byHost, cursorByHost);
      appendOnDevice(part, byDevice, cursorByDevice);
    }
    wrong += !same(byHost, byDevice) || toVector(cursorByHost) != toVector(cursorByDevice);
  }
  TEST_EQUALITY_CONST(wrong, 0);
}

#define TRIDENT_DEVICEROWS_INSTANT(SCALAR)                                           \
  TEUCHOS_UNIT_TEST_TEMPLATE_1_INSTANT(DeviceRows, CutsAgreeAndKeepTheOrder, SCALAR) \
  TEUCHOS_UNIT_TEST_TEMPLATE_1_INSTANT(DeviceRows, BlocksAgree, SCALAR)              \
  TEUCHOS_UNIT_TEST_TEMPLATE_1_INSTANT(DeviceRows, AppendsAgree, SCALAR)

using ComplexDouble = Kokkos::complex<double>;
TRIDENT_DEVICEROWS_INSTANT(float)
TRIDENT_DEVICEROWS_INSTANT(ComplexDouble)

}  // namespace

}  // namespace Trident::Impl
