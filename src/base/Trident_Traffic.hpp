// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_TRAFFIC_HPP
#define TRIDENT_TRAFFIC_HPP

namespace Trident {

/// Bytes and messages that this rank *received*, payload only, by where the sender sits.
struct Traffic {
  long long internodeBytes = 0;     ///< bytes from other nodes
  long long intranodeBytes = 0;     ///< bytes from ranks of the own node
  long long internodeMessages = 0;  ///< messages from other nodes
  long long intranodeMessages = 0;  ///< messages from ranks of the own node

  /// Adds bytes and messages that came from another node, or from the own one.
  void count(bool internode, long long bytes, long long messages = 1) {
    (internode ? internodeBytes : intranodeBytes) += bytes;
    (internode ? internodeMessages : intranodeMessages) += messages;
  }
  /// Adds another part of the traffic.
  Traffic& operator+=(const Traffic& other) {
    internodeBytes += other.internodeBytes;
    intranodeBytes += other.intranodeBytes;
    internodeMessages += other.internodeMessages;
    intranodeMessages += other.intranodeMessages;
    return *this;
  }
};

/// The parts of a product that move bytes (doc/algorithm.md has the table).
struct TrafficByPart {
  Traffic setup;  ///< samples of C, shapes of slices, sets of needed rows
  /// Entries of operands on their way to the grid, and numbers of columns that other ranks own.
  Traffic import;
  /// Slices between nodes, and tiles inside nodes; values and verdicts of rows that are filtered.
  Traffic rounds;
  /// Entries of C on their way to their rows' owners, and questions for C's column Map.
  Traffic export_;
};

}  // namespace Trident

#endif
