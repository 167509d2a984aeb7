// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPREDICT_PRODUCT_HPP
#define TRIDENTPREDICT_PRODUCT_HPP

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "TridentPredict_Result.hpp"
#include "TridentPredict_Traffic.hpp"

namespace Trident {
namespace Predict {

/// The maker of a product: "trident", "summa" or "tpetra", on some ranks of some nodes.
struct Case {
  std::string algorithm = "trident";
  GridShape shape;   ///< shape of Trident's or SUMMA's grid; of Tpetra's ranks, P × 1 × 1
  int nodeSize = 1;  ///< ranks in a node of the machine
  Impl::FetchKind fetch = Impl::FetchKind::Auto;
};

/// The matrices and the work of one rank.
struct RankLoad {
  double entriesA = 0, entriesB = 0;  ///< entries of its slices; of Tpetra's ranks, of its rows
  double entriesC = 0;
  double tileEntries = 0;  ///< entries of B that its node, or it alone, holds for its products
  double tileRows = 0;     ///< rows of that
  double multiplyAdds = 0;
};

/// Counts for a case.
struct Counted {
  RankTraffic traffic;  ///< traffic by rank
  /// Traffic that reports count in part, for seconds alone: of SUMMA's rounds, by
  /// which neighbours slices come; of Tpetra's import, with the set-up of transfers.
  RankTraffic wire;
  std::vector<RankLoad> loads;
  bool neededRows = false;  ///< true if needed rows travel
  bool weighed = false;     ///< true if rows are cut by work, which takes agreements more
};

/// Counts products of one problem on any grids. What cases share is counted once.
class ProductCounter {
 public:
  /// @param mostMultiplyAdds that finding C's rows may take; beyond it they are sampled
  ProductCounter(const Problem& problem, const Impl::GridOptions& options,
                 long long mostMultiplyAdds);

  Counted count(const Case& which);
  const Problem& problem() const { return problem_; }
  /// Returns the entries of C, estimated if its rows are sampled.
  double entriesC() const { return C_.weight * static_cast<double>(C_.pattern.entries()); }
  long long multiplyAdds() const { return multiplyAdds_; }
  bool sampled() const { return C_.weight > 1; }  ///< true if some rows of C stand for all

 private:
  Counted countOnGrid(const Case& which);
  const RankTraffic& questions(int ranks, int nodeSize, bool asSets);
  const RankTraffic& questionsOfWork(int ranks, int nodeSize);

  const Problem& problem_;
  Impl::GridOptions options_;
  long long multiplyAdds_;
  SampledResult C_;
  std::map<std::tuple<int, int, bool>, RankTraffic> questions_;
  std::map<std::pair<int, int>, RankTraffic> questionsOfWork_;
};

}  // namespace Predict
}  // namespace Trident

#endif
