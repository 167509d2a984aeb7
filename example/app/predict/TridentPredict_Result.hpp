// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPREDICT_RESULT_HPP
#define TRIDENTPREDICT_RESULT_HPP

#include <vector>

#include "TridentPredict_Problem.hpp"
#include "TridentPredict_Traffic.hpp"

namespace Trident {
namespace Predict {

/// Rows of C = A·B: all, or every so many.
struct SampledResult {
  std::vector<Position> rows;  ///< ascending
  double weight = 1;           ///< number of rows of C that one of them stands for
  Pattern pattern;             ///< a row for each of `rows`, whose columns are in any order
};

/// Counts the multiply-adds of A·B.
long long multiplyAdds(const Problem& problem);

/// Finds rows of C, all where that takes no more multiply-adds than `most`; else evenly drawn ones.
SampledResult sampleResult(const Problem& problem, long long most);

/// Counts, under export, the questions for columns of C that ranks meet and others own, which the
/// library asks to make C's column Map. It takes one pass over the rows of B that each rank meets.
/// @param nodeSize ranks in a node of the machine
/// @param asSets as the library asks: by a list or a bitmap, whichever is shorter; else by a number
///   for each column
RankTraffic columnQuestions(const Problem& problem, int ranks, int nodeSize, bool asSets);

/// Counts, under setup, the questions for the lengths of rows of B that "partition" = "work" takes.
/// @param nodeSize ranks in a node of the machine
RankTraffic workQuestions(const Problem& problem, int ranks, int nodeSize);

}  // namespace Predict
}  // namespace Trident

#endif
