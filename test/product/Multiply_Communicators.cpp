// SPDX-License-Identifier: BSD-3-Clause
// Products on communicators that are not the world, at the same time and in other orders.

#include <Teuchos_UnitTestHarness.hpp>

#include "Trident_TestNeeds.hpp"
#include "Trident_TestProduct.hpp"
#include "exchange/Trident_Context.hpp"

namespace {

using namespace TridentTest;

constexpr int some = 15;  // random products on each communicator

std::string checkSome(int firstSeed, const CommPtr& comm, int count = some) {
  for (int seed = firstSeed; seed < firstSeed + count; ++seed) {
    const std::string problem = checkRandomProduct(seed, comm);
    if (!problem.empty()) return problem;
  }
  return "";
}

/// A Teuchos communicator on a raw one that the test frees.
class RawComm {
 public:
  explicit RawComm(MPI_Comm raw) : raw_(raw) {}
  ~RawComm() { MPI_Comm_free(&raw_); }
  RawComm(const RawComm&) = delete;
  RawComm& operator=(const RawComm&) = delete;
  MPI_Comm raw() const { return raw_; }
  CommPtr teuchos() const { return Teuchos::rcp(new Teuchos::MpiComm<int>(raw_)); }

 private:
  MPI_Comm raw_;
};

MPI_Comm split(int color, int key) {
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, color, key, &part);
  return part;
}

TEUCHOS_UNIT_TEST(Communicators, SerialComm) {
  const CommPtr serial = Teuchos::rcp(new Teuchos::SerialComm<int>());
  // Other products on each rank, at the same time.
  TRIDENT_TEST_OK(everywhere(*world(), checkSome(100 + 20 * world()->getRank(), serial)));
}

TEUCHOS_UNIT_TEST(Communicators, SelfOnEveryRank) {
  const CommPtr self = Teuchos::rcp(new Teuchos::MpiComm<int>(MPI_COMM_SELF));
  TRIDENT_TEST_OK(everywhere(*world(), checkSome(300 + 20 * world()->getRank(), self)));
}

TEUCHOS_UNIT_TEST(Communicators, DisjointHalves) {
  const int rank = world()->getRank(), size = world()->getSize();
  for (int half : {rank % 2, rank < (size + 2) / 3 ? 0 : 1}) {  // dealt, and of unequal size
    const RawComm part(split(half, rank));
    const int count = half ? some : 2 * some;  // one ends earlier
    TRIDENT_TEST_OK(everywhere(*world(), checkSome(500 + 100 * half, part.teuchos(), count)));
  }
}

TEUCHOS_UNIT_TEST(Communicators, OthersDoNothing) {
  const int rank = world()->getRank(), size = world()->getSize();
  std::string problem;
  {
    const bool in = rank > 0 || size == 1;
    MPI_Comm part = split(in ? 0 : MPI_UNDEFINED, rank);
    if (in) {
      const RawComm owned(part);
      problem = checkSome(700, owned.teuchos());
    }
  }
  TRIDENT_TEST_OK(everywhere(*world(), problem));
}

TEUCHOS_UNIT_TEST(Communicators, Duplicate) {
  TRIDENT_TEST_OK(checkSome(800, world()->duplicate()));
}

TEUCHOS_UNIT_TEST(Communicators, FactorsOnDuplicates) {
  const CommPtr comm = world(), other = comm->duplicate();
  Random random(1);
  const Sparse a = randomSparse(random, 20, 20, true);
  const MatrixPtr A = makeUniform(a, comm), B = makeUniform(a, other);
  const Indices indices = contiguousIndices(20);
  TRIDENT_TEST_OK(checkProduct(*A, a, *B, a, indices, indices, Teuchos::null, true));
}

TEUCHOS_UNIT_TEST(Communicators, ReversedRanks) {
  const int rank = world()->getRank(), size = world()->getSize();
  const RawComm reversed(split(0, size - rank));
  TRIDENT_TEST_OK(checkSome(900, reversed.teuchos()));
}

TEUCHOS_UNIT_TEST(Communicators, FreedAndMadeAgain) {
  for (int round = 0; round < 10; ++round) {
    const RawComm part(split(0, round % 2 ? -world()->getRank() : 0));
    TRIDENT_TEST_OK(checkSome(1000 + 2 * round, part.teuchos(), 2));
  }
}

/// Checks products on a duplicate of the world with these hosts, and the λ that the layout should
/// have.
std::string checkHosts(const std::vector<int>& hosts, int lambda, int firstSeed) {
  const RawComm raw(split(0, world()->getRank()));
  const CommPtr comm = raw.teuchos();
  Trident::Impl::Context::create(raw.raw(), hosts);
  Random random(firstSeed);
  const Sparse a = randomSparse(random, 30, 30, true);
  const MatrixPtr A = makeUniform(a, comm);
  const MatrixPtr C = newResult(*A);
  const auto report = Trident::Multiply(*A, *A, *C);
  if (report.grid.lambda != lambda) return say("lambda ", report.grid.lambda, ", not ", lambda);
  const Indices indices = contiguousIndices(30);
  const std::string problem =
      everywhere(*comm, checkEntries(*C, Expected(a, a), indices, indices, true));
  return problem.empty() ? checkSome(firstSeed, comm) : problem;
}

TEUCHOS_UNIT_TEST(Communicators, RoundRobinHosts) {
  const int P = world()->getSize();
  for (int hosts : {2, 4}) {
    if (P % hosts) continue;
    std::vector<int> hostOfRank(P);
    for (int r = 0; r < P; ++r) hostOfRank[r] = r % hosts;
    TRIDENT_TEST_OK(checkHosts(hostOfRank, P / hosts, 1100 + hosts));
    for (int r = 0; r < P; ++r) hostOfRank[r] = 100 - 7 * (r / (P / hosts));  // labels descend
    TRIDENT_TEST_OK(checkHosts(hostOfRank, P / hosts, 1200 + hosts));
  }
}

TEUCHOS_UNIT_TEST(CommunicatorsOfFour, UnequalHosts) {
  const int P = world()->getSize();
  TRIDENT_TEST_NEEDS(P >= 4, "fewer than four ranks are not dealt unequally in two ways");
  std::vector<int> hostOfRank(P, 0);
  hostOfRank[P - 1] = 1;  // P-1 and 1
  TRIDENT_TEST_OK(checkHosts(hostOfRank, 1, 1300));
  hostOfRank[1] = 1;  // P-2 and 2, apart
  TRIDENT_TEST_OK(checkHosts(hostOfRank, P % 2 ? 1 : 2, 1400));
}

TEUCHOS_UNIT_TEST(Communicators, HostsReplaceAndRelease) {
  const int P = world()->getSize();
  const RawComm raw(split(0, world()->getRank()));
  const CommPtr comm = raw.teuchos();
  for (int lambda : {1, P, 1}) {
    std::vector<int> hostOfRank(P);
    for (int r = 0; r < P; ++r) hostOfRank[r] = r / lambda;
    Trident::Impl::Context::create(raw.raw(), hostOfRank);
    const MatrixPtr A = makeUniform(Sparse(9, 9), comm), C = newResult(*A);
    const int found = Trident::Multiply(*A, *A, *C).grid.lambda;
    TEST_EQUALITY(found, lambda);
  }
  Trident::Impl::Context::release(raw.raw());
  Trident::Impl::Context::release(raw.raw());  // nothing to do
  TRIDENT_TEST_OK(checkSome(1500, comm, 3));
}

}  // namespace
