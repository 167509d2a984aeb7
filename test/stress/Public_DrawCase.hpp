// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PUBLIC_DRAWCASE_HPP
#define TRIDENT_PUBLIC_DRAWCASE_HPP

#include "Public_Case.hpp"

namespace TridentTest {
namespace PublicStress {

/// Draws a case. Every rank of the part draws the same. Collective over the part.
class CaseDraw {
 public:
  /// @param least of every size
  CaseDraw(Random& random, const Part& part, const Arguments& arguments, int least = 0)
      : random_(random), part_(part), arguments_(arguments), least_(least) {}

  Case draw() {
    case_.parameters = ParametersDraw(random_, part_, arguments_).draw();
    case_.kind = random_.oneOf<Kind>(
        {Kind::Product, Kind::Product, Kind::Product, Kind::Galerkin, Kind::Jacobi});
    if (case_.kind == Kind::Galerkin && !arguments_.with("galerkin")) case_.kind = Kind::Product;
    if (case_.kind == Kind::Jacobi && !arguments_.with("jacobi")) case_.kind = Kind::Product;
    const bool onTwin = random_.chance(0.1);
    twin_ = onTwin ? part_.twin->teuchos() : part_.comm();
    drawFactors();
    if (case_.kind == Kind::Jacobi) {
      case_.inverse = Teuchos::rcp(new vector_type(case_.factors[0].rowMap));
      case_.inverse->putScalar(0.5);
    }
    case_.formAll();
    note(onTwin);
    return case_;
  }

 private:
  int size() {
    if (random_.chance(0.06)) return std::max(least_, random_.below(3));
    return random_.between(5, random_.chance(0.15) ? 60 : 25);
  }
  MapPtr map(const Indices& indices, const CommPtr& comm) {
    return makeMap(random_, indices, randomLayout(random_), comm);
  }

  void drawFactors() {
    const int count = case_.kind == Kind::Galerkin ? 3 : 2;
    const bool oneSize = case_.kind == Kind::Product && random_.chance(0.2);
    std::vector<Indices> indices;
    for (int s = 0; s <= count; ++s) {
      const bool again = s > 0 && (oneSize || (s == 1 && case_.kind == Kind::Jacobi));
      indices.push_back(again ? indices[s - 1] : randomIndices(random_, size()));
    }
    case_.factors.resize(count);
    for (int f = 0; f < count; ++f) {
      Factor& factor = case_.factors[f];
      const CommPtr comm = f == 0 ? part_.comm() : twin_;
      factor.rows = indices[f];
      factor.cols = indices[f + 1];
      factor.op = randomSparse(random_, factor.rows.size(), factor.cols.size(), true);
      factor.rowMap = map(factor.rows, comm);
      factor.transposed =
          case_.kind != Kind::Jacobi && arguments_.with("transposes") && random_.chance(0.3);
    }
    drawColumnMaps();
  }

  // Columns are often dealt as the next factor's rows, in the very Map, or otherwise; a square
  // factor's often as its own rows.
  void drawColumnMaps() {
    auto& factors = case_.factors;
    for (std::size_t f = 0; f < factors.size(); ++f) {
      const CommPtr comm = f == 0 ? part_.comm() : twin_;
      const bool next = f + 1 < factors.size() && random_.chance(0.6);
      const bool own = factors[f].rows.gids == factors[f].cols.gids && random_.chance(0.6);
      factors[f].colMap = next && twin_ == part_.comm() ? factors[f + 1].rowMap
                          : own                         ? factors[f].rowMap
                                                        : map(factors[f].cols, comm);
    }
  }

  void note(bool onTwin) {
    const char* const kinds[] = {"product", "Galerkin product", "Jacobi step"};
    case_.tags = case_.parameters.tags;
    case_.tags.push_back(std::string("form: ") + kinds[static_cast<int>(case_.kind)]);
    bool transposed = false;
    for (const Factor& factor : case_.factors) transposed = transposed || factor.transposed;
    if (transposed) case_.tags.push_back("form: with transposes");
    if (onTwin) case_.tags.push_back("communicator: factors on duplicates");
  }

  Random& random_;
  const Part& part_;
  const Arguments& arguments_;
  const int least_;
  CommPtr twin_;  // communicator of the factors but the first
  Case case_;
};

}  // namespace PublicStress
}  // namespace TridentTest

#endif
