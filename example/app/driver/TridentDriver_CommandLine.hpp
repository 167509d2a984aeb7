// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTDRIVER_COMMANDLINE_HPP
#define TRIDENTDRIVER_COMMANDLINE_HPP

#include <Teuchos_ParameterList.hpp>
#include <Teuchos_RCP.hpp>
#include <ostream>
#include <string>

namespace Trident {
namespace Driver {

/// The driver's task, as its arguments say it.
struct CommandLine {
  std::string A, B = "A", C, algorithm = "trident", json, trace;
  std::string mask, maskOutside;
  std::string fetch = "auto", exchange = "auto", gather = "auto", kernel = "auto", grid = "auto";
  std::string partition = "aligned", deviceMessages = "auto", semiring = "plus-times";
  int ranksPerNode = 0, seed = 1, fuse = 0, depth = 1, warmup = 0, repeat = 1, reuse = 0;
  double memory = 0, dropTolerance = 0, keepLargest = 0, productMemory = 0;
  double partitionImbalance = 0;
  std::string dropRelativeTo = "nothing";
  bool permute = false, transposeA = false, transposeB = false, verify = false, quiet = false;
  bool synchronize = false, checkVector = false, predict = false, checksum = false;
  bool ones = false;
  bool reproducible = true;
  std::string command;  ///< all typed words, for a report; not by parse()
};

/// Returns true if these options make the product less than all of it.
inline bool filters(const CommandLine& line) {
  return line.dropTolerance != 0 || line.keepLargest != 0;
}

/// Returns true if the product is within a mask, or outside of one.
inline bool masks(const CommandLine& line) {
  return !line.mask.empty() || !line.maskOutside.empty();
}

enum class Parsed { Run, Help, Version, Error };

/// Reads the command line; what is wrong goes to `errors`, where given. Local.
Parsed parse(int argc, char* argv[], CommandLine& line, std::ostream* errors);

/// Returns the text of --help.
std::string helpText();

/// Returns the options as Trident's parameters: a list with a sublist "Trident". Throws Teuchos'
/// validation exceptions for a bad value. Local.
/// @param predict true if the product is to evaluate the volume model, whatever the grid
Teuchos::RCP<Teuchos::ParameterList> tridentParameters(const CommandLine& line,
                                                       bool predict = false);

}  // namespace Driver
}  // namespace Trident

#endif
