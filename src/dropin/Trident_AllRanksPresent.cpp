// SPDX-License-Identifier: BSD-3-Clause
#include "dropin/Trident_AllRanksPresent.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

#include "Trident_Error.hpp"
#include "base/Trident_Mpi.hpp"
#include "base/Trident_Phase.hpp"
#include "base/Trident_PlainNumbers.hpp"

namespace Trident::Impl {
namespace {

constexpr int helloTag = 32040, tellTag = 32041;  // every MPI has tags up to 32767

/// Waits until a receive ends, and returns true. If the receive has not ended `seconds` after
/// `start`, cancels the receive and returns false.
/// @param meanwhile called again and again during the wait
template <class Meanwhile>
bool ends(MPI_Request& receive, double start, double seconds, const Meanwhile& meanwhile) {
  for (int done = 0;;) {
    TRIDENT_MPI_CHECK(MPI_Test(&receive, &done, MPI_STATUS_IGNORE));
    if (done) return true;
    const double waited = steadySeconds() - start;
    if (waited > seconds) break;
    meanwhile();
    // Yields the core. After a second, sleeps instead, because the wait may last an hour.
    if (waited < 1)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  TRIDENT_MPI_CHECK(MPI_Cancel(&receive));
  // Returns immediately, because MPI cancels a receive without the sender.
  TRIDENT_MPI_CHECK(MPI_Wait(&receive, MPI_STATUS_IGNORE));
  return false;
}

}  // namespace

void requireAllRanksPresent(MPI_Comm comm, double seconds,
                            const std::function<void(const std::string&)>& note) {
  int me = 0, size = 1;
  TRIDENT_MPI_CHECK(MPI_Comm_rank(comm, &me));
  TRIDENT_MPI_CHECK(MPI_Comm_size(comm, &size));
  std::vector<int> before, behind;  // ranks below and above this one, by 1, 2, 4, ..., in a ring
  for (int step = 1; step < size; step *= 2) {
    before.push_back((me - step + size) % size);
    behind.push_back((me + step) % size);
  }
  const double start = steadySeconds();
  bool noted = me != 0;
  const auto noteLate = [&] {
    const double waited = steadySeconds() - start;
    if (noted || waited < std::min(60.0, seconds / 2)) return;
    noted = true;
    note("not all of " + std::to_string(size) +
         " ranks had come to the first product on this communicator after " + plainText(waited, 3) +
         " s");
  };

  // Sends a greeting to each rank of `behind`, and waits for a greeting of each rank of `before`.
  std::vector<MPI_Request> sends(2 * behind.size()), greetings(before.size());
  auto send = sends.begin();
  for (std::size_t s = 0; s < before.size(); ++s) {
    TRIDENT_MPI_CHECK(MPI_Isend(nullptr, 0, MPI_INT, behind[s], helloTag, comm, &*send++));
    TRIDENT_MPI_CHECK(MPI_Irecv(nullptr, 0, MPI_INT, before[s], helloTag, comm, &greetings[s]));
  }
  int missing = -1;  // number of a missing rank; -1 if none is known
  for (std::size_t s = 0; s < before.size(); ++s)
    if (!ends(greetings[s], start, seconds, noteLate)) {
      missing = std::max(missing, before[s]);
      before[s] = MPI_PROC_NULL;
    }

  // Passes on the number of a missing rank, or -1 if none is known. In the end all present ranks
  // know a missing rank, or know that there is none. Waits for 2 * `seconds`, because a present
  // rank may come `seconds` after this one, and then wait for `seconds` itself.
  auto told = std::make_unique<std::vector<int>>(behind.size());
  for (std::size_t s = 0; s < before.size(); ++s) {
    (*told)[s] = missing;
    TRIDENT_MPI_CHECK(MPI_Isend(&(*told)[s], 1, MPI_INT, behind[s], tellTag, comm, &*send++));
    int heard = -1;
    MPI_Request receive = MPI_REQUEST_NULL;
    TRIDENT_MPI_CHECK(MPI_Irecv(&heard, 1, MPI_INT, before[s], tellTag, comm, &receive));
    if (!ends(receive, steadySeconds(), 2 * seconds, noteLate)) heard = before[s];
    missing = std::max(missing, heard);
  }
  if (missing < 0) {
    TRIDENT_MPI_CHECK(
        MPI_Waitall(static_cast<int>(sends.size()), sends.data(), MPI_STATUSES_IGNORE));
    return;
  }
  for (MPI_Request& left : sends) TRIDENT_MPI_CHECK(MPI_Request_free(&left));
  static_cast<void>(told.release());  // never freed, because MPI may still read it
  throw Error("libtrident_dropin",
              "rank " + std::to_string(missing) + " of " + std::to_string(size) +
                  " did not come to this product within " + plainText(seconds, 6) +
                  " s, for lack of this library or for other work; start every rank with the same "
                  "LD_PRELOAD, as by mpirun trident-try, or set TRIDENT_ASK_SECONDS to more");
}

}  // namespace Trident::Impl
