// SPDX-License-Identifier: BSD-3-Clause
// Waits for messages that poll. One test, as the process can use Trident no more after it.

#include <Teuchos_UnitTestHarness.hpp>
#include <string>
#include <vector>

#include "Trident_Error.hpp"
#include "base/Trident_Mpi.hpp"
#include "base/Trident_Wait.hpp"

namespace Trident::Impl {
namespace {

/// Returns the error of a wait; an empty text if it ends well.
std::string waitSays(std::vector<MPI_Request>& requests) {
  try {
    waitAll(requests);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEUCHOS_UNIT_TEST(Wait, GivesMessagesUpThatDoNotCome) {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int to = (rank + 1) % size, from = (rank + size - 1) % size;
  std::vector<MPI_Request> requests;
  int received[2] = {-1, -1};
  const auto receive = [&](int n) {
    requests.emplace_back();
    TRIDENT_MPI_CHECK(
        MPI_Irecv(&received[n], 1, MPI_INT, from, n, MPI_COMM_WORLD, &requests.back()));
  };
  const auto send = [&](int n) {
    requests.emplace_back();
    TRIDENT_MPI_CHECK(MPI_Isend(&rank, 1, MPI_INT, to, n, MPI_COMM_WORLD, &requests.back()));
  };
  // In time nothing changes.
  {
    const TimeoutScope timeout(100);
    receive(0);
    send(0);
    TEST_EQUALITY(waitSays(requests), std::string());
    TEST_ASSERT(requests.empty());
    TEST_EQUALITY(received[0], from);
  }
  // Of two messages one comes.
  received[0] = -1;
  {
    const TimeoutScope timeout(0.5);
    receive(0);
    receive(1);
    send(0);
    const std::string said = waitSays(requests);
    out << said << "\n";
    TEST_ASSERT(contains(said, "gave up after 0.5"));
    TEST_ASSERT(requests.empty());
    TEST_EQUALITY(received[0], from);
    TEST_EQUALITY(whyAbandoned().empty(), false);
  }
  // At once, also without a bound; the requests are still the caller's.
  receive(1);
  TEST_ASSERT(contains(waitSays(requests), "gave up after 0.5"));
  TEST_EQUALITY(requests.size(), std::size_t(1));
  TRIDENT_MPI_CHECK(MPI_Cancel(&requests[0]));
  TRIDENT_MPI_CHECK(MPI_Request_free(&requests[0]));
  // What was cancelled takes no message any more.
  int late = -1;
  MPI_Barrier(MPI_COMM_WORLD);
  TRIDENT_MPI_CHECK(MPI_Sendrecv(&rank, 1, MPI_INT, to, 1, &late, 1, MPI_INT, from, 1,
                                 MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  TEST_EQUALITY(late, from);
  TEST_EQUALITY(received[1], -1);
}

}  // namespace

}  // namespace Trident::Impl
