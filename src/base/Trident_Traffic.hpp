// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_TRAFFIC_HPP
#define TRIDENT_TRAFFIC_HPP

namespace Trident {

/// Bytes and messages that this rank *received*, payload only, by where the sender sits.
struct Traffic {
  long long internodeBytes = 0;
  long long intranodeBytes = 0;
  long long internodeMessages = 0;
  long long intranodeMessages = 0;

  void count(bool internode, long long bytes, long long messages = 1) {
    (internode ? internodeBytes : intranodeBytes) += bytes;
    (internode ? internodeMessages : intranodeMessages) += messages;
  }
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
  Traffic setup;  ///< volume sampling and slice shapes
  Traffic import;
  Traffic rounds;  ///< exchange between nodes and gather inside them
  Traffic export_;
};

}  // namespace Trident

#endif
