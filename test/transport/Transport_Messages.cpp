// SPDX-License-Identifier: BSD-3-Clause
// Transfers cut into messages of a bounded size.

#include <Teuchos_UnitTestHarness.hpp>
#include <vector>

#include "Transport_TestTools.hpp"
#include "transport/Trident_Messages.hpp"

namespace Trident::Impl {
namespace {

using TestTools::Bytes;
using TestTools::bytesOf;
using TestTools::worldRank;
using TestTools::worldSize;

constexpr std::size_t sizes[] = {0, 1, 63, 64, 65, 127, 128, 129, 1000, 4096};

TEUCHOS_UNIT_TEST(Messages, CountIsTheCeiling) {
  int wrong = 0;
  for (std::size_t messageBytes : {1, 7, 64, 1 << 26})
    for (std::size_t bytes : sizes) {
      long long count = 0;
      for (std::size_t at = 0; at < bytes; at += messageBytes) ++count;
      wrong += messageCount(bytes, messageBytes) != count;
    }
  TEST_EQUALITY_CONST(wrong, 0);
  TEST_EQUALITY_CONST(messageCount(std::size_t(5) << 30, std::size_t(1) << 30), 5);
}

/// Sends from every rank to the next one in a ring. Returns whether all bytes are right and no
/// others were written.
bool ringArrives(std::size_t bytes, std::size_t messageBytes, bool byTesting) {
  const int me = worldRank(), P = worldSize();
  const int to = (me + 1) % P, from = (me + P - 1) % P;
  const std::size_t guard = 16;
  const Bytes send = bytesOf(1000 * me + bytes, bytes);
  Bytes receive(bytes + 2 * guard, 0xee);
  std::vector<MPI_Request> requests;
  postReceive(receive.data() + guard, bytes, from, 9, MPI_COMM_WORLD, messageBytes, requests);
  postSend(send.data(), bytes, to, 9, MPI_COMM_WORLD, messageBytes, requests);
  bool right = static_cast<long long>(requests.size()) == 2 * messageCount(bytes, messageBytes);
  if (byTesting)
    while (!requests.empty()) testAll(requests);
  else
    waitAll(requests);
  right = right && requests.empty();
  const Bytes expected = bytesOf(1000 * from + bytes, bytes);
  for (std::size_t n = 0; n < receive.size(); ++n) {
    const bool inside = n >= guard && n < guard + bytes;
    right = right && receive[n] == (inside ? expected[n - guard] : 0xee);
  }
  return right;
}

TEUCHOS_UNIT_TEST(Messages, EverySizeArrivesWhole) {
  int wrong = 0;
  for (std::size_t messageBytes : {1, 7, 64, 1 << 26})
    for (std::size_t bytes : sizes)
      for (bool byTesting : {false, true}) wrong += !ringArrives(bytes, messageBytes, byTesting);
  TEST_EQUALITY_CONST(wrong, 0);
}

TEUCHOS_UNIT_TEST(Messages, BeyondTheEagerLimit) {
  TEST_ASSERT(ringArrives(3000000, 1 << 20, false));
  TEST_ASSERT(ringArrives(3000000, 1 << 20, true));
}

TEUCHOS_UNIT_TEST(Messages, SeveralTransfersInOneList) {
  const int me = worldRank(), P = worldSize();
  std::vector<Bytes> send, receive;
  std::vector<MPI_Request> requests;
  for (int peer = 0; peer < P; ++peer) {
    send.push_back(bytesOf(me * P + peer, 100 + 37 * peer + me));
    receive.emplace_back(100 + 37 * me + peer);
  }
  for (int peer = 0; peer < P; ++peer) {
    postReceive(receive[peer].data(), receive[peer].size(), peer, 9, MPI_COMM_WORLD, 64, requests);
    postSend(send[peer].data(), send[peer].size(), peer, 9, MPI_COMM_WORLD, 64, requests);
  }
  testAll(requests);  // some may be done, none may be lost
  waitAll(requests);
  int wrong = 0;
  for (int peer = 0; peer < P; ++peer)
    wrong += receive[peer] != bytesOf(peer * P + me, receive[peer].size());
  TEST_EQUALITY_CONST(wrong, 0);
}

TEUCHOS_UNIT_TEST(Messages, NothingToWaitFor) {
  std::vector<MPI_Request> requests;
  TEST_NOTHROW(waitAll(requests));
  TEST_NOTHROW(testAll(requests));
  TEST_ASSERT(requests.empty());
}

}  // namespace

}  // namespace Trident::Impl
