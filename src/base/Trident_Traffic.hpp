// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_TRAFFIC_HPP
#define TRIDENT_TRAFFIC_HPP

namespace Trident {

/// Bytes and messages that this rank *received*, payload only, by where the sender sits.
struct Traffic {
  long long internodeBytes = 0;     ///< from other nodes
  long long intranodeBytes = 0;     ///< from ranks of its node
  long long internodeMessages = 0;  ///< from other nodes
  long long intranodeMessages = 0;  ///< from ranks of its node

  /// Adds what was received from another node, or from the own one.
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
  Traffic setup;    ///< volume sampling and slice shapes
  Traffic import;   ///< of the operands, onto the grid
  Traffic rounds;   ///< exchange between nodes and gather inside them
  Traffic export_;  ///< of C, to the ranks of its rows
};

}  // namespace Trident

#endif
