// SPDX-License-Identifier: BSD-3-Clause
// Values of a product whose structure is known, by the device's kernel and by the teams that any
// execution space can run, against the whole product.

#include <Teuchos_UnitTestHarness.hpp>
#include <random>
#include <set>
#include <string>

#include "Trident_TestSums.hpp"
#include "kernels/Trident_NumericProduct.hpp"

namespace Trident::Impl {
namespace {

using TestTools::Dense;
using TestTools::dense;
using TestTools::Device;
using TestTools::HostMatrix;
using TestTools::randomMatrix;
using TridentTest::say;

constexpr double densities[] = {0.0, 0.02, 0.1, 0.5, 1.0};

/// Makes A·B's structure, sorted, with rubbish for values; every row has some columns more if
/// asked.
template <class Scalar>
HostMatrix<Scalar> structureOf(const HostMatrix<Scalar>& A, const HostMatrix<Scalar>& B,
                               int more = 0) {
  HostMatrix<Scalar> C = productInOrder(A, B);
  for (int r = 0; r < A.numRows(); ++r) {
    std::set<int> columns;
    for (const auto& entry : C.rows[r]) columns.insert(entry.first);
    for (int n = 0; n < more; ++n) columns.insert((r + 7 * n) % B.columns);
    C.rows[r].clear();
    for (int column : columns) C.rows[r].emplace_back(column, Scalar(5));
  }
  return C;
}

enum class By { Device, Teams };

/// Returns the fault of the values by one kernel, or with its count of strays; also of further
/// products by what the first one keeps.
template <class Scalar>
std::string checkValues(By by, const HostMatrix<Scalar>& A, const HostMatrix<Scalar>& B,
                        const HostMatrix<Scalar>& C) {
  using Local = LocalMatrix<Scalar, Device>;
  PlannedWork<Scalar, Device> kept;
  const auto form = [&](const Local& a, const Local& b, const Local& c, bool add) {
    return by == By::Device ? numericProduct<Scalar, Device>(a, b, c, add, nullptr, &kept).strays
                            : numericTeamProduct<Scalar, Device>(a, b, c, add);
  };
  std::string wrong = wrongValues(A, B, C, false, form);
  if (wrong.empty() && by == By::Device) wrong = wrongValues(withOtherValues(A), B, C, false, form);
  return wrong.empty() ? "" : say(by == By::Teams ? "teams: " : "device: ", wrong);
}

/// Returns the fault of the values by any kernel.
template <class Scalar>
std::string checkProducts(const HostMatrix<Scalar>& A, const HostMatrix<Scalar>& B,
                          const HostMatrix<Scalar>& C) {
  const std::string wrong = checkValues(By::Device, A, B, C);
  return wrong.empty() ? checkValues(By::Teams, A, B, C) : wrong;
}

TEUCHOS_UNIT_TEST_TEMPLATE_1_DECL(NumericProduct, RandomShapes, Scalar) {
  const unsigned seed = 51;
  out << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  for (int n = 0; n < 100; ++n) {
    const int rows = static_cast<int>(random() % 40), inner = static_cast<int>(random() % 40),
              columns = 1 + static_cast<int>(random() % 200);
    const auto A = randomMatrix<Scalar>(random, rows, inner, densities[n % 5], n % 2 == 0);
    const auto B = randomMatrix<Scalar>(random, inner, columns, densities[n / 5 % 5], n % 3 == 0);
    const std::string wrong = checkProducts(A, B, structureOf(A, B, n % 4));
    TEST_EQUALITY(wrong.empty() ? "" : say("case ", n, ": ", wrong), "");
  }
}

/// Rows of C of every length that some table holds, or none, and of A that one thread takes, or
/// not.
TEUCHOS_UNIT_TEST_TEMPLATE_1_DECL(NumericProduct, RowsOfAllLengths, Scalar) {
  const int inner = 9000, columns = 40000;
  std::mt19937_64 random(52);
  HostMatrix<Scalar> B(inner, columns);
  for (int r = 0; r < inner; ++r)  // row 0 is long, and the rows overlap by half
    for (int c = 0; c < (r == 0 ? columns : 8); ++c)
      B.rows[r].emplace_back((r * 4 + c) % columns, Scalar(static_cast<int>(random() % 5) - 2));
  HostMatrix<Scalar> A(0, inner);
  for (int length :
       {0, 1, 3, 12, 45, 48, 49, 190, 193, 257, 380, 768, 1500, 1537, 4000, 8191, 9000}) {
    A.rows.emplace_back();
    for (int a = 0; a < length && a + 1 < inner; ++a)
      A.rows.back().emplace_back(a + 1, Scalar(static_cast<int>(random() % 5) - 2));
  }
  A.rows.push_back({{0, Scalar(2)}});  // few of A meet a long row of B
  A.rows.push_back({{5, Scalar(1)}, {0, Scalar(2)}});
  A.rows.push_back(A.rows[15]);
  A.rows.back().emplace_back(0, Scalar(1));
  const auto C = structureOf(A, B);
  TRIDENT_TEST_OK(checkProducts(A, B, C));

  HostMatrix<Scalar> one(0, inner), oneOfC(0, columns);  // one class only: all rows without a list
  for (int r : {4, 9, 16}) {
    one.rows.assign(3, A.rows[r]);
    oneOfC.rows.assign(3, C.rows[r]);
    TRIDENT_TEST_OK(checkProducts(one, B, oneOfC));
  }
}

/// Many entries of A, whose products all meet in few entries of C.
TEUCHOS_UNIT_TEST_TEMPLATE_1_DECL(NumericProduct, LongRowOfAMeetsFewColumns, Scalar) {
  const int inner = 20000;
  HostMatrix<Scalar> A(2, inner), B(inner, 3);
  for (int c = 0; c < inner; ++c) {
    A.rows[1].emplace_back(c, Scalar(c % 3 - 1));
    B.rows[c] = {{c % 3, Scalar(1)}};
  }
  TRIDENT_TEST_OK(checkProducts(A, B, structureOf(A, B)));
}

TEUCHOS_UNIT_TEST_TEMPLATE_1_DECL(NumericProduct, EmptyOperands, Scalar) {
  HostMatrix<Scalar> A(3, 4), B(4, 5), C(3, 5);
  A.rows[1] = {{2, Scalar(1)}};
  C.rows[0] = {{0, Scalar(3)}, {4, Scalar(3)}};
  TRIDENT_TEST_OK(checkProducts(A, B, C));  // B is empty; C has entries nonetheless
  B.rows[3] = {{4, Scalar(1)}};             // no entry of A meets it
  TRIDENT_TEST_OK(checkProducts(A, B, C));
  TRIDENT_TEST_OK(checkProducts(HostMatrix<Scalar>(3, 4), B, C));
  TRIDENT_TEST_OK(checkProducts(HostMatrix<Scalar>(0, 4), B, HostMatrix<Scalar>(0, 5)));
  TRIDENT_TEST_OK(
      checkProducts(HostMatrix<Scalar>(3, 0), HostMatrix<Scalar>(0, 5), HostMatrix<Scalar>(3, 5)));
}

TEUCHOS_UNIT_TEST_TEMPLATE_1_DECL(NumericProduct, MultiplyAddsThatAreCountedAreAll, Scalar) {
  std::mt19937_64 random(54);
  const auto A = randomMatrix<Scalar>(random, 40, 30, 0.3);
  const auto B = randomMatrix<Scalar>(random, 30, 50, 0.2);
  long long multiplyAdds = 0;
  for (const auto& row : A.rows)
    for (const auto& a : row) multiplyAdds += static_cast<long long>(B.rows[a.first].size());
  const auto a = A.onDevice(), b = B.onDevice(), C = structureOf(A, B).onDevice();
  const NumericWork work = numericProduct<Scalar, Device>(a, b, C, false);
  TEST_EQUALITY(work.multiplyAdds, isHost<Device> ? multiplyAdds : -1);
}

TEUCHOS_UNIT_TEST_TEMPLATE_1_DECL(NumericProduct, StraysAreCountedAndTheRestIsRight, Scalar) {
  std::mt19937_64 random(53);
  for (int n = 0; n < 12; ++n) {
    // The larger ones have rows for teams, and rows beyond their tables.
    const int columns = n % 4 == 0 ? 5000 : 60;
    const auto A = randomMatrix<Scalar>(random, 20, 30, 0.3);
    const auto B = randomMatrix<Scalar>(random, 30, columns, n % 4 == 0 ? 0.2 : 0.1);
    const auto whole = structureOf(A, B);
    HostMatrix<Scalar> part(whole.numRows(), columns);
    for (int r = 0; r < whole.numRows(); ++r)
      for (const auto& entry : whole.rows[r])
        if (r != 3 && random() % 5 > 0) part.rows[r].push_back(entry);
    for (By by : {By::Device, By::Teams}) {
      if (by == By::Device && isHost<Device>) continue;  // it must not be asked for strays
      TRIDENT_TEST_OK(checkValues(by, A, B, part));
    }
    if constexpr (!isHost<Device>) {  // what has strays keeps no schedule, and finds its own
      PlannedWork<Scalar, Device> kept;
      using Local = LocalMatrix<Scalar, Device>;
      for (const bool all : {false, true, false, true})
        TRIDENT_TEST_OK(wrongValues(
            A, B, all ? whole : part, false,
            [&](const Local& a, const Local& b, const Local& c, bool add) {
              return numericProduct<Scalar, Device>(a, b, c, add, nullptr, &kept).strays;
            }));
    }
  }
}

#define TRIDENT_NUMERICPRODUCT_INSTANT(SCALAR)                                                   \
  TEUCHOS_UNIT_TEST_TEMPLATE_1_INSTANT(NumericProduct, RandomShapes, SCALAR)                     \
  TEUCHOS_UNIT_TEST_TEMPLATE_1_INSTANT(NumericProduct, RowsOfAllLengths, SCALAR)                 \
  TEUCHOS_UNIT_TEST_TEMPLATE_1_INSTANT(NumericProduct, LongRowOfAMeetsFewColumns, SCALAR)        \
  TEUCHOS_UNIT_TEST_TEMPLATE_1_INSTANT(NumericProduct, EmptyOperands, SCALAR)                    \
  TEUCHOS_UNIT_TEST_TEMPLATE_1_INSTANT(NumericProduct, MultiplyAddsThatAreCountedAreAll, SCALAR) \
  TEUCHOS_UNIT_TEST_TEMPLATE_1_INSTANT(NumericProduct, StraysAreCountedAndTheRestIsRight, SCALAR)

using ComplexDouble = Kokkos::complex<double>;
TRIDENT_NUMERICPRODUCT_INSTANT(float)
TRIDENT_NUMERICPRODUCT_INSTANT(double)
TRIDENT_NUMERICPRODUCT_INSTANT(ComplexDouble)

}  // namespace

}  // namespace Trident::Impl
