// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_REQUESTMESSAGES_HPP
#define TRIDENT_REQUESTMESSAGES_HPP

#include <mpi.h>

#include <cstdint>
#include <deque>
#include <vector>

namespace Trident::Impl {

/// Requests along one line by messages, which need no memory that others write: a message holds the
/// number of slices that its sender has asked for. None is lost, none stays behind, and nobody
/// waits for a rank that computes. The asking thread sends, the serving thread receives.
class RequestMessages {
 public:
  /// @param members of `line`, which this object uses alone for messages of its tag
  RequestMessages(MPI_Comm line, int members)
      : line_(line), sent_(members, 0), received_(members, 0) {}
  /// Destroys the object when no thread uses it any more. Collective over the line.
  ~RequestMessages();
  RequestMessages(const RequestMessages&) = delete;
  RequestMessages& operator=(const RequestMessages&) = delete;

  /// Sends `count` to `owner`, unless as large a one went there before: since a product ends when
  /// its slices are there, no more messages are under way than it has slices. By the asking thread.
  void send(int owner, std::uint64_t count);
  /// Receives the messages that have come; one probe if there is none. By the serving thread, as
  /// asked().
  void receive();
  /// Returns the largest number that has come from `member`.
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
  std::vector<std::uint64_t> sent_, received_;  // largest numbers; to each member, from each
  std::deque<Message> underWay_;                // messages of the asking thread
};

}  // namespace Trident::Impl

#endif
