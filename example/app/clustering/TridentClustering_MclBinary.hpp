// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTCLUSTERING_MCLBINARY_HPP
#define TRIDENTCLUSTERING_MCLBINARY_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "TridentClustering_Weights.hpp"
#include "TridentProblems_Redistribute.hpp"
#include "TridentProblems_TextInput.hpp"

/// \file TridentClustering_MclBinary.hpp
/// mcl's binary matrices, as `mcxload --write-binary` and `mcx convert` make them on machines whose
/// numbers are stored as on this one.

namespace Trident {
namespace Clustering {

using namespace Problems;

/// Returns true if the first bytes of a file are those of such a matrix.
bool looksLikeMclBinary(const std::string& bytes);

/// The content of such a file.
struct MclBinaryEntries {
  std::int64_t nodes = 0;
  std::vector<Entry> entries;  ///< columns of this rank; row i has the neighbours of node i
  WeightSpread spread;
};

/// Reads the matrix of a graph: each rank its columns, or, of what is dealt, rank 0 all.
/// Collective. Throws MatrixError on every rank where the file is no such matrix, not square, or
/// lists its nodes, or a weight is none.
MclBinaryEntries readMclBinary(TextInput& input, const WeightRule& rule, const Comm& comm);

/// Returns the bytes before the columns of such a matrix of a graph.
/// \param entries of each column
std::string mclBinaryHead(const std::vector<std::int64_t>& entries);

/// Appends the head of a column, which its entries follow.
void appendMclColumn(std::string& text, std::int64_t column, std::int64_t entries);

/// Appends an entry of a column; its weight becomes a float.
void appendMclEntry(std::string& text, std::int64_t node, double weight);

}  // namespace Clustering
}  // namespace Trident

#endif
