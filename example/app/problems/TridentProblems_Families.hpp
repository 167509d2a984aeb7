// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPROBLEMS_FAMILIES_HPP
#define TRIDENTPROBLEMS_FAMILIES_HPP

#include <cstdint>
#include <vector>

#include "TridentProblems_Assemble.hpp"
#include "TridentProblems_GeneratorSpec.hpp"
#include "TridentProblems_HashPermutation.hpp"

namespace Trident {
namespace Problems {

/// The generator `families`: a graph like those of similar proteins, whose clusters are known.
///
/// Rows are nodes. Consecutive ones form families, whose sizes follow a power law. Inside a family
/// two nodes are neighbours by chance, `d` of a node expected; weights lie in (0.5, 1]. Each node
/// has `between` more neighbours anywhere, mostly in other families; weights lie in (0, 0.5]. The
/// graph is symmetric and has no loops. Whatever is random depends on the seed and the nodes alone,
/// so a rank makes its rows without another's help. A row costs as many hashes as its family has
/// nodes. Local.
class Families {
 public:
  /// Consecutive rows: first .. end-1.
  struct Family {
    std::int64_t first, end;
  };

  /// Throws MatrixError where the sizes do not fit each other.
  explicit Families(const GeneratorSpec& spec);

  std::int64_t size() const { return size_; }
  /// Returns the entries of a row, at most and in the mean.
  double entriesPerRow() const { return inside_ + static_cast<double>(matchings_.size()); }

  /// Returns the family of a row. Fast if rows are asked for in order.
  Family familyOf(std::int64_t row);

  /// Appends the entries of a row; does not end it.
  void appendRow(std::int64_t row, LocalRows& rows);

 private:
  struct Neighbour {
    std::int64_t node;
    double weight;
  };

  std::int64_t drawSize(double random) const;
  void cutBlock(std::int64_t block);
  void findNeighbours(std::int64_t row);

  std::int64_t size_, least_, most_;
  double power_, inside_;
  std::uint64_t seed_;
  std::int64_t blockRows_, blocks_;
  std::vector<HashPermutation> matchings_;

  std::int64_t block_ = -1;           // block whose families are those below
  std::vector<std::int64_t> begins_;  // first rows of the block's families, and its end
  std::vector<Neighbour> neighbours_;
};

/// Returns the planted truth of `families`: of rows first .. first+count-1 the first row of each
/// one's family, which names it. Local.
std::vector<std::int64_t> plantedFamilies(const GeneratorSpec& spec, std::int64_t first,
                                          std::int64_t count);

}  // namespace Problems
}  // namespace Trident

#endif
