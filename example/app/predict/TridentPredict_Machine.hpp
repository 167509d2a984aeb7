// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPREDICT_MACHINE_HPP
#define TRIDENTPREDICT_MACHINE_HPP

#include <string>
#include <utility>
#include <vector>

namespace Trident {
namespace Predict {

/// Seconds that a rank's work takes, for each thing that it works on.
struct Work {
  double multiplyAdd = 0;        ///< one in a local product
  double resultEntry = 0;        ///< entry of a local product's C
  double importEntry = 0;        ///< entry of A or B, to number, cut and pack it
  double exportEntry = 0;        ///< entry of C, to set Tpetra's rows together
  double tpetraMultiplyAdd = 0;  ///< one in Tpetra's local product
  double tpetraResultEntry = 0;  ///< entry of C in Tpetra's product
};

/// A machine of nodes, as a prediction sees it.
struct Machine {
  std::string name;
  int ranksPerNode = 1;              ///< number of ranks, or GPUs
  double betweenBytesPerSecond = 0;  ///< rate of a node's ports together, in each direction
  double betweenLatency = 0;         ///< seconds until the first byte of a message is there
  double insideBytesPerSecond = 0;   ///< rate of a rank, in each direction
  double insideLatency = 0;
  double messageSeconds = 0;  ///< time that a rank is busy for each message
  double callSeconds = 0;     ///< time of the smallest product, beside the counted work
  bool sharedTiles = true;    ///< a node holds one tile of B for all its ranks, and copies nothing
  double memoryBytes = 0;     ///< bytes that a rank can have; 0: not said
  Work work;
};

/// Numbers of a machine and the names that a machine file has for them; doc/predicting.md has the
/// list. "work.multiply-add" may also stand as "multiply-add" in an object "work".
std::vector<std::pair<std::string, double*>> numbersOf(Machine& machine);

/// Reads a machine file: a JSON object of numbers and texts, which may hold such objects. Names
/// that begin with "source" are for people. Throws std::runtime_error with the file and the remedy
/// where something is missing, unknown, or not what it should be. Local.
Machine readMachine(const std::string& path);

/// Returns the text of a machine file. Local.
std::string machineText(Machine machine, const std::string& source);

}  // namespace Predict
}  // namespace Trident

#endif
