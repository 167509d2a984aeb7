// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_TRAFFIC_HPP
#define TRIDENT_TRAFFIC_HPP

namespace Trident {

/// Payload that this rank *received*: bytes and messages from other nodes, and from its own node.
struct Traffic {
  long long internodeBytes = 0;     ///< bytes from other nodes
  long long intranodeBytes = 0;     ///< bytes from other ranks of the own node
  long long internodeMessages = 0;  ///< messages from other nodes
  long long intranodeMessages = 0;  ///< messages from other ranks of the own node

  /// Adds bytes and messages from another node if `internode`, else from the own node.
  void count(bool internode, long long bytes, long long messages = 1) {
    (internode ? internodeBytes : intranodeBytes) += bytes;
    (internode ? internodeMessages : intranodeMessages) += messages;
  }
  /// Adds the counts of `other`.
  Traffic& operator+=(const Traffic& other) {
    internodeBytes += other.internodeBytes;
    intranodeBytes += other.intranodeBytes;
    internodeMessages += other.internodeMessages;
    intranodeMessages += other.intranodeMessages;
    return *this;
  }
};

/// The traffic of a product, by its parts (doc/algorithm.md has the table).
struct TrafficByPart {
  Traffic setup;  ///< samples of C, shapes of slices, sets of needed rows
  /// Entries of operands on their way to the grid, and numbers of columns that other ranks own.
  Traffic import;
  /// Slices between nodes, and tiles inside nodes. For the filter, values and verdicts of rows.
  Traffic rounds;
  /// Entries of C on their way to the owners of its rows, and messages for making C's column Map.
  Traffic export_;
};

}  // namespace Trident

#endif
