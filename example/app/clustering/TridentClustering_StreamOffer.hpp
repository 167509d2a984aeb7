// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTCLUSTERING_STREAMOFFER_HPP
#define TRIDENTCLUSTERING_STREAMOFFER_HPP

#include <string>

/// \file TridentClustering_StreamOffer.hpp
/// The way of standard input, output and error from a process to the ranks that it has started.
/// Streams through the launcher between them may come late, or not in whole: Open MPI 4 crashes on
/// long inputs. So the process hands its streams over by a socket, and the launcher has no part in
/// them.

namespace Trident {
namespace Clustering {

/// The offer of a process that starts ranks: its three streams, to processes of the same user.
class StreamOffer {
 public:
  /// Throws std::runtime_error.
  StreamOffer();
  ~StreamOffer();
  StreamOffer(const StreamOffer&) = delete;
  StreamOffer& operator=(const StreamOffer&) = delete;

  /// Returns the name for takeStreams().
  const std::string& name() const { return name_; }
  /// Returns the descriptor for poll(), to be read where somebody wants the streams.
  int descriptor() const { return descriptor_; }
  /// Gives the streams to one who wants them; returns whether that went well.
  bool answer();

 private:
  int descriptor_ = -1;
  std::string name_;
};

/// Returns true if this process' user can be told from others by a number. In a user namespace all
/// users that it does not map have one number, maybe also this process' own: then nothing is
/// offered or taken, as it might be another's.
bool hasOwnNumber();

/// Takes the streams of the process that offers them under this name. Throws std::runtime_error.
void takeStreams(const std::string& name);

}  // namespace Clustering
}  // namespace Trident

#endif
