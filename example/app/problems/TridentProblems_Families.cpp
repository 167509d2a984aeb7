// SPDX-License-Identifier: BSD-3-Clause
#include "TridentProblems_Families.hpp"

#include <algorithm>
#include <cmath>

namespace Trident {
namespace Problems {

namespace {

/// Seeds of what is random, apart from each other.
enum Stream : std::uint64_t { sizes = 1, pairs = 2, matching = 3 };

/// Returns the random numbers of a pair of nodes, equal from both ends.
HashStream ofPair(std::uint64_t seed, std::int64_t a, std::int64_t b) {
  return HashStream(hash(seed + pairs, static_cast<std::uint64_t>(std::min(a, b))),
                    static_cast<std::uint64_t>(std::max(a, b)));
}

}  // namespace

Families::Families(const GeneratorSpec& spec)
    : size_(spec.integer("n")),
      least_(spec.integer("least")),
      most_(spec.integer("most")),
      power_(spec["power"]),
      inside_(spec["d"]),
      seed_(hash(static_cast<std::uint64_t>(spec.integer("seed")))) {
  if (most_ < 2 * least_ - 1)  // else what is left of a block may fit no family
    throw MatrixError(spec.text() + ": most should be at least 2*least-1");
  // Families do not cross borders of blocks, so that a rank need not cut the rows of others.
  blockRows_ = std::max<std::int64_t>(4096, 16 * most_);
  blocks_ = std::max<std::int64_t>(1, size_ / blockRows_);
  for (std::int64_t m = 0; m < spec.integer("between"); ++m)
    matchings_.emplace_back(hash(seed_ + matching, static_cast<std::uint64_t>(m)), size_);
}

/// Draws a size of probability size^-power, from the inverse of the distribution function of real
/// numbers in [least, most + 1).
std::int64_t Families::drawSize(double random) const {
  const double low = static_cast<double>(least_), high = static_cast<double>(most_) + 1;
  const double exponent = 1 - power_;
  const double real = std::abs(exponent) < 1e-9
                          ? low * std::pow(high / low, random)
                          : std::pow(std::pow(low, exponent) + random * (std::pow(high, exponent) -
                                                                         std::pow(low, exponent)),
                                     1 / exponent);
  return std::clamp(static_cast<std::int64_t>(real), least_, most_);
}

void Families::cutBlock(std::int64_t block) {
  block_ = block;
  const std::int64_t end = block + 1 == blocks_ ? size_ : (block + 1) * blockRows_;
  HashStream random(seed_ + sizes, static_cast<std::uint64_t>(block));
  begins_.assign(1, block * blockRows_);
  while (begins_.back() < end) {
    const std::int64_t left = end - begins_.back();
    std::int64_t size = drawSize(random.unit());
    if (left - size < least_)  // the rest must be a family too, or none
      size = left <= most_ ? left : left - least_;
    begins_.push_back(begins_.back() + size);
  }
}

Families::Family Families::familyOf(std::int64_t row) {
  const std::int64_t block = std::min(row / blockRows_, blocks_ - 1);
  if (block != block_) cutBlock(block);
  const auto end = std::upper_bound(begins_.begin(), begins_.end(), row);
  return {*(end - 1), *end};
}

void Families::findNeighbours(std::int64_t row) {
  const Family family = familyOf(row);
  const double probability = inside_ / static_cast<double>(family.end - family.first - 1);
  neighbours_.clear();
  for (std::int64_t other = family.first; other < family.end; ++other) {
    if (other == row) continue;
    HashStream random = ofPair(seed_, row, other);
    if (random.unit() <= probability) neighbours_.push_back({other, 0.5 + 0.5 * random.unit()});
  }
  // Two nodes whose places differ in the last bit find each other: a permutation pairs all nodes.
  for (const HashPermutation& matching : matchings_) {
    const std::int64_t place = matching(row) ^ 1;
    if (place >= size_) continue;  // one of an odd number is left over
    const std::int64_t other = matching.inverse(place);
    if (other < family.first || other >= family.end)
      neighbours_.push_back({other, 0.5 * ofPair(seed_, row, other).unit()});
  }
}

void Families::appendRow(std::int64_t row, LocalRows& rows) {
  findNeighbours(row);
  std::sort(neighbours_.begin(), neighbours_.end(),
            [](const Neighbour& a, const Neighbour& b) { return a.node < b.node; });
  std::int64_t last = -1;  // two matchings may join the same nodes, by the same weight
  for (const Neighbour& neighbour : neighbours_) {
    if (neighbour.node == last) continue;
    last = neighbour.node;
    rows.append(static_cast<global_ordinal_type>(last), neighbour.weight);
  }
}

std::vector<std::int64_t> plantedFamilies(const GeneratorSpec& spec, std::int64_t first,
                                          std::int64_t count) {
  Families families(spec);
  std::vector<std::int64_t> names(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < names.size(); ++i)
    names[i] = families.familyOf(first + static_cast<std::int64_t>(i)).first;
  return names;
}

}  // namespace Problems
}  // namespace Trident
