// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPROBLEMS_READMATRIXMARKET_HPP
#define TRIDENTPROBLEMS_READMATRIXMARKET_HPP

#include <functional>
#include <string>
#include <vector>

#include "TridentProblems_Comm.hpp"
#include "TridentProblems_MatrixMarketText.hpp"
#include "TridentProblems_TextChunks.hpp"

/// \file TridentProblems_ReadMatrixMarket.hpp
/// Entries of a Matrix Market file, on whatever rank parsed them.

namespace Trident {
namespace Problems {

/// A file's header, on every rank, and the entries that this rank parsed.
struct MatrixMarketEntries {
  MatrixMarketHeader header;
  std::vector<Entry> entries;  ///< mirrored where the file is symmetric
  bool bothHalves = false;     ///< a file that is to have one half has entries of both
};

/// Reads a plain file, of which each rank takes a range of bytes, or one that is dealt: rank 0
/// reads it and hands chunks of text to the others, never holding more than a few. Collective.
/// Throws MatrixError on every rank, with the input's name and, in the text, line and byte; also
/// where the matrix does not fit memory by its header. \param check gets the header before anything
/// is read behind it, on every rank
MatrixMarketEntries readMatrixMarket(
    TextInput& input, const Comm& comm,
    const std::function<void(const MatrixMarketHeader&)>& check = nullptr);

/// Returns a sentence on what such a file means; empty where all is well. \param name in messages
/// \param duplicates entries that joined another
std::string warningOfBothHalves(const std::string& name, const MatrixMarketEntries& file,
                                std::int64_t duplicates);

}  // namespace Problems
}  // namespace Trident

#endif
