// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPREDICT_PROBLEM_HPP
#define TRIDENTPREDICT_PROBLEM_HPP

#include <memory>
#include <string>
#include <vector>

#include "TridentProblems_Types.hpp"
#include "grid/Trident_IndexSpace.hpp"

namespace Trident {
/// Bytes and memory of products on many ranks, counted by one rank that holds the matrices.
namespace Predict {

using Impl::Numbering;
using Impl::Position;

/// The structure of a whole matrix, on this rank: columns ascend in each row.
struct Pattern {
  Position columns = 0;
  std::vector<long long> begin{0};  ///< start of each row in `column`, and the end
  std::vector<int> column;

  Position rows() const { return static_cast<Position>(begin.size()) - 1; }
  long long entries() const { return begin.back(); }
  long long length(Position row) const { return begin[row + 1] - begin[row]; }
};

/// Returns the structure of a matrix that one rank holds. Local.
Pattern patternOf(const Problems::matrix_type& matrix);

/// The factors of A·B, and how the driver would deal their indices to any number of ranks.
struct Problem {
  std::shared_ptr<const Pattern> A, B;  ///< one object where B is A
  /// The row of each column's root in a restriction: a rank owns the columns of its roots. Else
  /// empty, and columns are dealt like rows, in equal blocks.
  std::vector<Position> roots;
  std::string description;
  std::string warnings;  ///< lines, or empty

  Numbering rowsOf(int ranks) const;     ///< rows of A
  Numbering innerOf(int ranks) const;    ///< columns of A, rows of B
  Numbering columnsOf(int ranks) const;  ///< columns of B
};

/// Reads or makes A and B, as the driver does for its --A and --B. On a communicator of one rank.
/// Throws MatrixError, also where a matrix has 2^31 columns or more.
/// @param permute true if rows and columns are permuted, as the driver does
/// @param seed of that, and of the aggregates of a restriction
Problem readProblem(const std::string& specA, const std::string& specB, bool permute, int seed,
                    const Teuchos::RCP<const Problems::comm_type>& comm);

}  // namespace Predict
}  // namespace Trident

#endif
