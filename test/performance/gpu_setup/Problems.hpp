// SPDX-License-Identifier: BSD-3-Clause
// The matrices of the program, row by row: regular meshes, with other values at each step and the
// same pattern.
#ifndef GPU_SETUP_PROBLEMS_HPP
#define GPU_SETUP_PROBLEMS_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using GO = long long;

/// One row: columns and their values, in any order, each column once.
using Row = std::vector<std::pair<GO, double>>;

/// A cube of side³ points, numbered x first.
struct Cube {
  GO side;
  GO points() const { return side * side * side; }
  std::array<GO, 3> place(GO point) const {
    return {point % side, point / side % side, point / (side * side)};
  }
  bool inside(const std::array<GO, 3>& p) const {
    return std::all_of(p.begin(), p.end(), [&](GO x) { return x >= 0 && x < side; });
  }
  GO number(const std::array<GO, 3>& p) const { return p[0] + side * (p[1] + side * p[2]); }
};

/// Returns a number near 1 that depends on the step: how strong an edge or a cell is.
inline double strength(GO what, int step) {
  return step == 0 ? 1.0 : 1.0 + 0.1 * std::sin(0.37 * step * static_cast<double>(what % 1009 + 1));
}

/// A problem: its unknowns at a point, and its rows.
class Problem {
 public:
  explicit Problem(GO side, int unknowns)
      : cube(side > 1 ? Cube{side} : throw std::invalid_argument("--n must be 2 or more")),
        unknowns_(unknowns) {}
  virtual ~Problem() = default;
  virtual void row(GO number, int step, Row& result) const = 0;
  int unknowns() const { return unknowns_; }
  const Cube cube;

 private:
  int unknowns_;
};

/// 7 or 27 points; the sum of a row is positive where the cube ends, and zero elsewhere.
class Stencil : public Problem {
 public:
  Stencil(GO side, bool corners) : Problem(side, 1), corners_(corners) {}
  void row(GO point, int step, Row& result) const override {
    result.assign(1, {point, 0.0});
    const auto at = cube.place(point);
    for (GO dz = -1; dz <= 1; ++dz)
      for (GO dy = -1; dy <= 1; ++dy)
        for (GO dx = -1; dx <= 1; ++dx) {
          const GO steps = std::abs(dx) + std::abs(dy) + std::abs(dz);
          if (steps == 0 || (steps > 1 && !corners_)) continue;
          const std::array<GO, 3> to{at[0] + dx, at[1] + dy, at[2] + dz};
          const GO other = cube.number(to);
          const double weight = cube.inside(to) ? strength(point + other, step) : 1.0;
          result.front().second += weight;
          if (cube.inside(to)) result.emplace_back(other, -weight);
        }
  }

 private:
  bool corners_;
};

/// The stiffness of a unit cube of an elastic body (modulus 1, ratio 1/4) by trilinear functions.
/// Corners are numbered x first; unknown 3·corner + direction.
class ElasticCell {
 public:
  ElasticCell() {
    const double place = 0.5 / std::sqrt(3.0);
    for (int point = 0; point < 8; ++point)
      add({0.5 + (point & 1 ? place : -place), 0.5 + (point & 2 ? place : -place),
           0.5 + (point & 4 ? place : -place)});
  }
  double operator()(int row, int column) const { return K_[row][column]; }

 private:
  static std::array<double, 3> gradient(int corner, const std::array<double, 3>& x) {
    std::array<double, 3> value, slope, result;
    for (int d = 0; d < 3; ++d) {
      const bool far = corner >> d & 1;
      value[d] = far ? x[d] : 1 - x[d];
      slope[d] = far ? 1 : -1;
    }
    for (int d = 0; d < 3; ++d) result[d] = slope[d] * value[(d + 1) % 3] * value[(d + 2) % 3];
    return result;
  }
  void add(const std::array<double, 3>& x) {
    const double ratio = 0.25, lambda = ratio / ((1 + ratio) * (1 - 2 * ratio)),
                 mu = 0.5 / (1 + ratio);
    for (int a = 0; a < 8; ++a)
      for (int b = 0; b < 8; ++b) {
        const auto g = gradient(a, x), h = gradient(b, x);
        const double inner = g[0] * h[0] + g[1] * h[1] + g[2] * h[2];
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 3; ++j)
            K_[3 * a + i][3 * b + j] +=
                (lambda * g[i] * h[j] + mu * g[j] * h[i] + (i == j ? mu * inner : 0)) / 8;
      }
  }
  std::array<std::array<double, 24>, 24> K_{};
};

/// An elastic cube that is held where x = 0: there a row has its diagonal alone.
class Elasticity : public Problem {
 public:
  explicit Elasticity(GO side) : Problem(side, 3) {}
  void row(GO number, int step, Row& result) const override {
    const GO point = number / 3;
    const int direction = static_cast<int>(number % 3);
    result.clear();
    const auto at = cube.place(point);
    if (at[0] == 0) return result.emplace_back(number, 1.0), void();
    std::array<double, 81> sums{};  // by neighbour and direction
    std::array<bool, 27> met{};
    for (int corner = 0; corner < 8; ++corner) addCell(at, corner, direction, step, sums, met);
    for (int n = 0; n < 27; ++n) {
      const std::array<GO, 3> to{at[0] + n % 3 - 1, at[1] + n / 3 % 3 - 1, at[2] + n / 9 - 1};
      if (!met[n] || to[0] == 0) continue;
      for (int j = 0; j < 3; ++j) result.emplace_back(3 * cube.number(to) + j, sums[3 * n + j]);
    }
  }

 private:
  /// Adds the share of the cell of which this point is the corner.
  void addCell(const std::array<GO, 3>& at, int corner, int direction, int step,
               std::array<double, 81>& sums, std::array<bool, 27>& met) const {
    const std::array<GO, 3> first{at[0] - (corner & 1), at[1] - (corner >> 1 & 1),
                                  at[2] - (corner >> 2)};
    const std::array<GO, 3> last{first[0] + 1, first[1] + 1, first[2] + 1};
    if (!cube.inside(first) || !cube.inside(last)) return;
    const double factor = strength(cube.number(first), step);
    for (int other = 0; other < 8; ++other) {
      int n = 0;
      for (int d = 2; d >= 0; --d)
        n = 3 * n + 1 + static_cast<int>(other >> d & 1) - static_cast<int>(corner >> d & 1);
      met[n] = true;
      for (int j = 0; j < 3; ++j)
        sums[3 * n + j] += factor * cell_(3 * corner + direction, 3 * other + j);
    }
  }
  ElasticCell cell_;
};

inline std::unique_ptr<Problem> makeProblem(const std::string& name, GO side) {
  if (name == "laplace3d" || name == "brick3d")
    return std::make_unique<Stencil>(side, name == "brick3d");
  if (name == "elasticity3d") return std::make_unique<Elasticity>(side);
  throw std::invalid_argument("--problem is laplace3d, brick3d or elasticity3d");
}

#endif
