// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/Trident_RequestMessages.hpp"

#include <algorithm>
#include <memory>
#include <thread>

#include "Trident_Error.hpp"
#include "base/Trident_Mpi.hpp"
#include "base/Trident_Wait.hpp"
#include "exchange/Trident_RequestSlots.hpp"

namespace Trident::Impl {
namespace {

// The tag of requests. No other messages on lines have this tag.
constexpr int requestTag = 3;

class MessageCounters : public RequestCounters {
 public:
  MessageCounters(MPI_Comm line, int members) : messages_(line, members) {}
  void ask(int owner, std::uint64_t count) override { messages_.send(owner, count); }
  void askAgain(int owner, std::uint64_t count) override { messages_.send(owner, count); }
  void poll() override { messages_.receive(); }
  std::uint64_t asked(int member) const override { return messages_.asked(member); }

 private:
  RequestMessages messages_;
};

/// Slots without shared memory. The counters need only the lines' communicators.
class MessageSlots : public RequestSlots {
 public:
  explicit MessageSlots(const ProcessGrid& grid) : grid_(grid) {}
  const char* name() const override { return "messages"; }
  std::unique_ptr<RequestCounters> counters(Factor factor) override {
    const LineSchedule line(grid_.shape(), grid_.me(), factor);
    return std::make_unique<MessageCounters>(grid_.line(factor), line.members());
  }

 private:
  const ProcessGrid& grid_;
};

}  // namespace

RequestMessages::~RequestMessages() {
  try {
    drain();
  } catch (const Error&) {  // MPI has failed, and nobody can be told
  }
}

void RequestMessages::send(int owner, std::uint64_t count) {
  dropReceived();
  if (count <= sent_[owner]) return;
  Message& message = underWay_.emplace_back(Message{count, MPI_REQUEST_NULL});
  TRIDENT_MPI_CHECK(  // a synchronous send: completes when the owner receives the message
      MPI_Issend(&message.count, 1, MPI_UINT64_T, owner, requestTag, line_, &message.request));
  sent_[owner] = count;
}

/// Forgets the messages that other ranks have received.
void RequestMessages::dropReceived() {
  int received = 1;
  while (received && !underWay_.empty()) {
    TRIDENT_MPI_CHECK(MPI_Test(&underWay_.front().request, &received, MPI_STATUS_IGNORE));
    if (received) underWay_.pop_front();
  }
}

void RequestMessages::receive() {
  while (receiveOne()) {
  }
}

/// Receives a message. Returns false if none has come. The probe also lets MPI complete other
/// ranks' puts into a RequestWindow, if no network card completes puts.
bool RequestMessages::receiveOne() {
  int there = 0;
  MPI_Status status;
  TRIDENT_MPI_CHECK(MPI_Iprobe(MPI_ANY_SOURCE, requestTag, line_, &there, &status));
  if (!there) return false;
  std::uint64_t count = 0;
  TRIDENT_MPI_CHECK(
      MPI_Recv(&count, 1, MPI_UINT64_T, status.MPI_SOURCE, requestTag, line_, MPI_STATUS_IGNORE));
  received_[status.MPI_SOURCE] = std::max(received_[status.MPI_SOURCE], count);
  return true;
}

/// Receives messages until none is under way on the line. A message that is left behind could reach
/// a later communicator, if MPI gives that communicator the same internal number. This rank enters
/// a barrier when the other ranks have received this rank's messages. Until all ranks are in the
/// barrier, this rank goes on receiving.
void RequestMessages::drain() {
  int finalized = 0;
  TRIDENT_MPI_CHECK(MPI_Finalized(&finalized));
  if (finalized || !whyAbandoned().empty()) return;
  MPI_Request all = MPI_REQUEST_NULL;
  for (int entered = 0, done = 0; !done; std::this_thread::yield()) {
    receive();
    dropReceived();
    if (!entered && underWay_.empty()) {
      TRIDENT_MPI_CHECK(MPI_Ibarrier(line_, &all));
      entered = 1;
    }
    if (entered) TRIDENT_MPI_CHECK(MPI_Test(&all, &done, MPI_STATUS_IGNORE));
  }
}

std::unique_ptr<RequestSlots> makeRequestMessages(const ProcessGrid& grid) {
  return std::make_unique<MessageSlots>(grid);
}

}  // namespace Trident::Impl
