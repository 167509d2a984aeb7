// SPDX-License-Identifier: BSD-3-Clause
// The largest eigenvalue that Trident::SaPFactory estimates on the device.
#include <MueLu_Utilities.hpp>
#include <Teuchos_DefaultMpiComm.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "MueLu_TestTools.hpp"
#include "Trident_Error.hpp"
#include "Trident_FactoryFactory.hpp"
#include "muelu/Trident_EigenvalueEstimate.hpp"

namespace Trident::Impl {
namespace Test {

namespace {

using Utilities = MueLu::Utilities<SC, LO, GO, NO>;

/// Returns Trident's estimate for a matrix whose diagonal has no zeros.
double estimate(const RCP<TMatrix>& A, int steps = 10) {
  TVector inverse(A->getRowMap());
  A->getLocalDiagCopy(inverse);
  inverse.reciprocal(inverse);
  return estimateEigenvalue(*A, inverse, steps);
}

double byMueLuOf(const RCP<TMatrix>& A, unsigned seed = 123) {
  return Utilities::PowerMethod(*asXpetra(A), true, 10, 1e-4, false, seed);
}

/// Makes a line's matrix, -1 3 -1, on the first ranks of all, where this one is among them. Rows
/// are dealt in turns to all of these but the last one, which has none.
RCP<TMatrix> lineOn(int ranks, GO rows) {
  const auto world = Tpetra::getDefaultComm();
  const int rank = world->getRank();
  const auto comm = world->split(rank < ranks ? 0 : 1, rank);
  if (rank >= ranks) return Teuchos::null;
  Teuchos::Array<GO> mine;
  const int owners = std::max(1, ranks - 1);
  for (GO row = 0; row < rows; ++row)
    if (row * 5 / 3 % owners == rank) mine.push_back(row);
  const auto map =
      rcp(new TMatrix::map_type(Teuchos::OrdinalTraits<GO>::invalid(), mine(), 0, comm));
  const auto A = rcp(new TMatrix(map, 3));
  for (const GO row : mine)
    for (const GO column : {row - 1, row, row + 1})
      if (column >= 0 && column < rows)
        A->insertGlobalValues(row, Teuchos::tuple<GO>(column),
                              Teuchos::tuple<SC>(column == row ? 3.0 : -1.0));
  A->fillComplete();
  return A;
}

/// Replaces a value of the diagonal, on the rank that has the row.
void setDiagonal(TMatrix& A, GO row, SC value) {
  A.resumeFill();
  if (A.getRowMap()->isNodeGlobalElement(row))
    A.replaceGlobalValues(row, Teuchos::tuple<GO>(row), Teuchos::tuple<SC>(value));
  A.fillComplete();
}

/// Makes a hierarchy whose estimates are made in a way; "" is the default.
Multigrid inWay(const RCP<XMatrix>& A, const std::string& way) {
  Multigrid grid = byTrident(A);
  Teuchos::ParameterList list;
  if (!way.empty()) list.sublist("Trident").set("eigenvalue estimate", way);
  grid.prolongator->SetParameterList(list);
  return grid;
}

}  // namespace

TEUCHOS_UNIT_TEST(MueLu_Eigenvalue, on_any_number_of_ranks) {
  double alone = 0;
  for (int ranks = 1; ranks <= Tpetra::getDefaultComm()->getSize(); ++ranks) {
    const auto A = lineOn(ranks, 1000);
    if (A.is_null()) continue;
    double lambda = estimate(A);
    if (ranks == 1) alone = lambda;
    Teuchos::broadcast(*A->getComm(), 0, 1, &alone);
    TEST_FLOATING_EQUALITY(lambda, alone, 1e-12);
  }
}

// The largest eigenvalue of a line is 1 + 2/3·cos(π/(rows + 1)).
TEUCHOS_UNIT_TEST(MueLu_Eigenvalue, of_many_steps_is_the_largest) {
  const int ranks = Tpetra::getDefaultComm()->getSize();
  const double largest = 1 + 2.0 / 3 * std::cos(std::acos(-1.0) / 6);
  const auto A = lineOn(ranks, 5);
  TEST_FLOATING_EQUALITY(estimate(A, 150), largest, 1e-10);
  // Of large numbers, too.
  A->resumeFill();
  A->scale(1e100);
  A->fillComplete();
  TVector ones(A->getRowMap());
  ones.putScalar(1.0);
  TEST_FLOATING_EQUALITY(estimateEigenvalue(*A, ones, 150), 3e100 * largest, 1e-10);
  TEST_EQUALITY(estimate(A, 0), 0.0);
}

TEUCHOS_UNIT_TEST(MueLu_Eigenvalue, is_as_mueLus_of_ten_seeds) {
  for (const auto& A : {laplacian(6), laplacian(12), laplacian(10, 2), laplacian(16, 1, 3)}) {
    std::vector<double> theirs;
    for (unsigned seed = 1; seed <= 10; ++seed) theirs.push_back(byMueLuOf(A, seed));
    const auto ends = std::minmax_element(theirs.begin(), theirs.end());
    const double spread = *ends.second - *ends.first;
    TEST_COMPARE(estimate(A), >, *ends.first - spread);
    TEST_COMPARE(estimate(A), <, *ends.second + spread);
  }
}

TEUCHOS_UNIT_TEST(MueLu_Eigenvalue, ways) {
  const auto A = laplacian(10);
  const double device = estimate(A), theirs = byMueLuOf(A);
  TEST_INEQUALITY(device, theirs);
  const bool onHosts = isHost<NO::device_type>;
  for (const auto& [way, expected] : {std::pair<std::string, double>{"device", device},
                                      {"MueLu", theirs},
                                      {"", onHosts ? theirs : device}}) {
    const auto matrix = asXpetra(A);
    auto ours = inWay(matrix, way);
    ours.setup();
    TEST_FLOATING_EQUALITY(matrix->GetMaxEigenvalueEstimate(), expected, 1e-12);
    auto others = byMueLu(asXpetra(A));
    others.setup();
    const int few = solve(*A, *others.hierarchy).iterations;
    TEST_COMPARE(std::abs(solve(*A, *ours.hierarchy).iterations - few), <=, 1);
  }
}

// A hierarchy of a known eigenvalue is MueLu's.
TEUCHOS_UNIT_TEST(MueLu_Eigenvalue, known_ones) {
  const auto A = laplacian(10);
  const auto cached = asXpetra(A), given = asXpetra(A), fresh = asXpetra(A);
  auto theirs = byMueLu(given), ours = inWay(cached, "device");
  const double value = 1.9;
  theirs.prolongator->SetParameter("sa: max eigenvalue", Teuchos::ParameterEntry(value));
  theirs.setup();
  for (const auto& matrix : {cached, fresh}) matrix->SetMaxEigenvalueEstimate(value);
  ours.setup();
  TEST_EQUALITY(cached->GetMaxEigenvalueEstimate(), value);
  TEST_FLOATING_EQUALITY(levelMatrix(*ours.hierarchy, 1, "P")->getFrobeniusNorm(),
                         levelMatrix(*theirs.hierarchy, 1, "P")->getFrobeniusNorm(), 1e-12);

  auto anew = inWay(fresh, "device");
  anew.prolongator->SetParameter("sa: calculate eigenvalue estimate",
                                 Teuchos::ParameterEntry(true));
  anew.prolongator->SetParameter("sa: eigenvalue estimate num iterations",
                                 Teuchos::ParameterEntry(7));
  anew.setup();
  TEST_FLOATING_EQUALITY(fresh->GetMaxEigenvalueEstimate(), estimate(A, 7), 1e-12);

  auto first = inWay(asXpetra(A), "device");
  first.prolongator->SetParameter("sa: max eigenvalue", Teuchos::ParameterEntry(value));
  first.setup();
  TEST_FLOATING_EQUALITY(levelMatrix(*first.hierarchy, 1, "P")->getFrobeniusNorm(),
                         levelMatrix(*theirs.hierarchy, 1, "P")->getFrobeniusNorm(), 1e-12);
}

// A zero on the diagonal has the inverse that this MueLu gives it in its own power iterations.
TEUCHOS_UNIT_TEST(MueLu_Eigenvalue, bad_diagonals) {
  for (const double value : {0.0, std::numeric_limits<double>::infinity()}) {
    const auto A = laplacian(10);
    setDiagonal(*A, 17, value);
    const bool good = std::isfinite(byMueLuOf(A));
    const auto matrix = asXpetra(A);
    auto ours = inWay(matrix, "device");
    if (good)
      TEST_NOTHROW(ours.setup())
    else
      TEST_THROW(ours.setup(), Error);
    TEST_EQUALITY(std::isfinite(matrix->GetMaxEigenvalueEstimate()), good);
  }
}

TEUCHOS_UNIT_TEST(MueLu_Eigenvalue, bad_parameters) {
  const auto A = asXpetra(laplacian(10));
  TEST_THROW(inWay(A, "gpu").setup(), Error);
  auto number = inWay(A, "");
  Teuchos::ParameterList list;
  list.sublist("Trident").set("eigenvalue estimate", 1);
  number.prolongator->SetParameterList(list);
  TEST_THROW(number.setup(), Error);
  const int rank = Tpetra::getDefaultComm()->getRank();
  if (Tpetra::getDefaultComm()->getSize() > 1)
    TEST_THROW(inWay(A, rank == 0 ? "device" : "MueLu").setup(), Error);

  // No product, and no factory of coarse matrices, knows it.
  auto other = byTrident(A);
  Teuchos::ParameterList device;
  device.sublist("Trident").set("eigenvalue estimate", "device");
  other.rap->SetParameterList(device);
  TEST_THROW(other.setup(), Teuchos::Exceptions::InvalidParameterName);

  // Beside the sublist.
  Teuchos::ParameterList factories("MueLu"), beside("smoothed");
  factories.sublist("Factories").set("smoothed", "TridentSaPFactory");
  factories.sublist("Hierarchy").set("A", "").set("P", "smoothed");
  const FactoryFactory<SC, LO, GO, NO> factory(factories);
  beside.set("factory", "TridentSaPFactory").set("eigenvalue estimate", "device");
  TEST_THROW(factory.BuildFactory(Teuchos::ParameterEntry(beside, false, true), {}, {}),
             Teuchos::Exceptions::InvalidParameterName);
}

}  // namespace Test

}  // namespace Trident::Impl
