// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_REQUESTMESSAGES_HPP
#define TRIDENT_REQUESTMESSAGES_HPP

#include <mpi.h>

#include <cstdint>
#include <deque>
#include <vector>

namespace Trident::Impl {

/// Requests along one line by messages, without memory that other ranks write. A message holds the
/// number of slices that its sender has asked for. No message is lost or left behind, and nobody
/// waits for a rank that computes. The main thread sends. The serving thread receives.
class RequestMessages {
 public:
  /// @param line a communicator of `members` ranks, without other messages of the requests' tag
  RequestMessages(MPI_Comm line, int members)
      : line_(line), sent_(members, 0), received_(members, 0) {}
  /// Destroys the object. No thread may use it any more. Collective over the line.
  ~RequestMessages();
  RequestMessages(const RequestMessages&) = delete;
  RequestMessages& operator=(const RequestMessages&) = delete;

  /// Sends `count` to `owner`, unless an equal or larger count was sent before. Memory is bounded,
  /// because no more messages are under way than a product has slices.
  void send(int owner, std::uint64_t count);
  /// Receives all messages that have come. Costs one MPI_Iprobe if there is no message.
  void receive();
  /// Returns the largest count that has come from `member`. For the serving thread.
  std::uint64_t asked(int member) const { return received_[member]; }

 private:
  struct Message {
    std::uint64_t count;
    MPI_Request request;
  };

  bool receiveOne();
  void dropReceived();
  void drain();

  MPI_Comm line_;
  std::vector<std::uint64_t> sent_,
      received_;                  // largest counts to and from each member
  std::deque<Message> underWay_;  // messages that owners may not have received yet
};

}  // namespace Trident::Impl

#endif
