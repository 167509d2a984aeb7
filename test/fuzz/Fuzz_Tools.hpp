// SPDX-License-Identifier: BSD-3-Clause
#ifndef FUZZ_TOOLS_HPP
#define FUZZ_TOOLS_HPP

#include <cstddef>
#include <cstdint>
#include <string>

#include "TridentProblems_Types.hpp"

/// \file Fuzz_Tools.hpp
/// Tools that the fuzz targets share. A target reads its input as the driver would. It ends the
/// program (complain()) where anything else comes out than a result that holds up or a message.
///
/// Targets run in one process under libFuzzer, and on several ranks where Fuzz_Replay.cpp hands
/// them the corpus: every rank gets the same input, and all must come to the same end.

namespace Fuzz {

using Trident::Problems::comm_type;
using Trident::Problems::matrix_type;

/// Begins MPI and Kokkos, once; they end with the program. Bounds what readers believe to be this
/// machine's memory, so that a dimension of a billion is refused and not tried.
void begin();

Teuchos::RCP<const comm_type> world();

/// Prints a complaint and ends the program, which libFuzzer takes for a finding.
[[noreturn]] void complain(const std::string& what);

/// Complains about a message that helps nobody (an exception's bare name) or that differs from
/// rank 0's. Collective.
void checkMessage(const std::string& message);

/// Makes a name in a folder of this run that is gone with the program, equal on every rank.
std::string pathOf(const std::string& name);

/// Lets rank 0 write `bytes` to pathOf(name); returns that path. Collective.
std::string makeFile(const std::string& name, const std::uint8_t* data, std::size_t size);

/// Reads `spec` as the driver does. What is read must be the same matrix after it was written to a
/// Matrix Market file and read from there; what cannot be read must end in a message. Collective.
void readAndCompare(const std::string& spec);

}  // namespace Fuzz

/// Initializes a target; libFuzzer and Fuzz_Replay.cpp call it.
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

/// Mutates a buffer as libFuzzer itself does, for targets that mutate what lies inside a format.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t maxSize);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t maxSize, unsigned int seed);

#endif
