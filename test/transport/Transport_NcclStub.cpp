// SPDX-License-Identifier: BSD-3-Clause
// NCCL's communicators with a stub in the place of NCCL and GPUs: one that cannot be made on one
// rank, and a group that the program has open, are an exception on every rank.
#include <mpi.h>

#include <Teuchos_UnitTestHarness.hpp>
#include <memory>
#include <string>
#include <vector>

#include "Trident_Error.hpp"
#include "Trident_StubNccl.hpp"
#include "Trident_TestVerdict.hpp"
#include "base/Trident_Agreement.hpp"
#include "nccl.h"
#include "transport/Trident_NcclCommunicator.hpp"

namespace Trident::Impl {
namespace {

using Fails = TridentTest::StubNccl::Fails;

int rankOf(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}
int sizeOf(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}
const int& start() {
  static const int once = (TridentTest::startStubNccl(MPI_COMM_WORLD), 0);
  return once;
}

/// Returns the error of work() here; "nothing thrown" if it throws nothing.
template <class Work>
std::string thrownBy(const Work& work) {
  try {
    work();
  } catch (const Error& e) {
    return e.what();
  } catch (const std::exception& e) {
    return std::string("no Error: ") + e.what();
  }
  return "nothing thrown";
}

/// Returns an empty text if all ranks threw an Error with these words, else what one threw.
/// Collective.
std::string wrong(const std::string& thrown, const std::vector<std::string>& words) {
  std::string problem;
  for (const std::string& word : words)
    if (thrown.find(word) == std::string::npos) problem = thrown;
  return firstText(MPI_COMM_WORLD, problem);
}

/// Returns true if each rank gets its number from every other, by its ticket's word. Collective.
std::string wrongTransfers(NcclCommunicator& nccl) {
  const int me = rankOf(MPI_COMM_WORLD), size = sizeOf(MPI_COMM_WORLD);
  const char mine = static_cast<char>(me + 1);
  std::vector<char> came(size, 0);
  std::vector<NcclTransfer> transfers;
  for (int peer = 0; peer < size; ++peer)
    if (peer != me) {
      transfers.push_back({const_cast<char*>(&mine), 1, peer, true});
      transfers.push_back({&came[peer], 1, peer, false});
    }
  nccl.wait(nccl.start(transfers));
  std::string problem;
  for (int peer = 0; peer < size; ++peer)
    if (peer != me && came[peer] != peer + 1)
      problem = "rank " + std::to_string(me) + " has not what rank " + std::to_string(peer) +
                " sent, and was told that it came";
  return firstText(MPI_COMM_WORLD, problem);
}

TEUCHOS_UNIT_TEST(NcclStub, TransfersHaveComeWhenTheyAreSaidToBeDone) {
  start();
  {
    NcclCommunicator nccl(MPI_COMM_WORLD);
    for (int round = 0; round < 5; ++round) TRIDENT_TEST_OK(wrongTransfers(nccl));
  }
  TEST_EQUALITY_CONST(TridentTest::stubNccl().alive, 0);
}

TEUCHOS_UNIT_TEST(NcclStub, EveryRankHearsOfOneWhereItCannotBeMade) {
  start();
  for (const Fails fails : {Fails::AtOnce, Fails::Later, Fails::SplitAtOnce, Fails::SplitLater})
    for (int victim = 0; victim < sizeOf(MPI_COMM_WORLD); ++victim) {
      TridentTest::stubNccl().fails = rankOf(MPI_COMM_WORLD) == victim ? fails : Fails::Nowhere;
      const std::string thrown = thrownBy([] { NcclCommunicator nccl(MPI_COMM_WORLD); });
      TridentTest::stubNccl().fails = Fails::Nowhere;
      const bool made = fails == Fails::SplitAtOnce || fails == Fails::SplitLater;
      std::vector<std::string> words{made ? "ncclCommSplit" : "ncclCommInitRank",
                                     "the stub's error, as it was told to"};
      if (sizeOf(MPI_COMM_WORLD) > 1)
        words.push_back("first seen on rank " + std::to_string(victim));
      TRIDENT_TEST_OK(wrong(thrown, words));
      TEST_EQUALITY_CONST(TridentTest::stubNccl().alive, 0);
    }
  NcclCommunicator nccl(MPI_COMM_WORLD);
  TRIDENT_TEST_OK(wrongTransfers(nccl));
}

TEUCHOS_UNIT_TEST(NcclStub, AGroupOfTheProgramsIsSeenAndLeftAsItIs) {
  start();
  TEST_ASSERT(!ncclGroupIsOpen());
  ncclGroupStart();
  TEST_ASSERT(ncclGroupIsOpen());
  ncclGroupStart();
  TEST_ASSERT(ncclGroupIsOpen());
  const ncclResult_t inner = ncclGroupEnd(), outer = ncclGroupEnd();
  TEST_EQUALITY_CONST(inner, ncclSuccess);
  TEST_EQUALITY_CONST(outer, ncclSuccess);
  TEST_ASSERT(!ncclGroupIsOpen());
  const ncclResult_t none = ncclGroupEnd();
  TEST_EQUALITY_CONST(none, ncclInvalidUsage);
}

TEUCHOS_UNIT_TEST(NcclStub, EveryRankRefusesAGroupThatOneHasOpen) {
  start();
  const int last = sizeOf(MPI_COMM_WORLD) - 1;
  const bool opens = rankOf(MPI_COMM_WORLD) == last;
  const std::vector<std::string> words{"has an NCCL group open", "call ncclGroupEnd() before"};
  const auto withGroup = [&](const auto& work) {
    if (opens) ncclGroupStart();
    const std::string thrown = thrownBy(work);
    if (opens) ncclGroupEnd();
    return wrong(thrown, words);
  };
  TRIDENT_TEST_OK(withGroup([] { NcclCommunicator nccl(MPI_COMM_WORLD); }));
  // What is kept is not used while the group is open, and used after it.
  const std::shared_ptr<NcclCommunicator> kept = sharedNccl(MPI_COMM_WORLD);
  TRIDENT_TEST_OK(wrongTransfers(*kept));
  TRIDENT_TEST_OK(withGroup([&] { wrongTransfers(*sharedNccl(MPI_COMM_WORLD)); }));
  TEST_ASSERT(sharedNccl(MPI_COMM_WORLD) == kept);
  TRIDENT_TEST_OK(wrongTransfers(*kept));
}

}  // namespace

}  // namespace Trident::Impl
