// SPDX-License-Identifier: BSD-3-Clause
// Matrices and right-hand sides of the lesson.
#ifndef PROBLEM_HPP
#define PROBLEM_HPP

#include <Galeri_XpetraProblemFactory.hpp>
#include <MatrixMarket_Tpetra.hpp>
#include <Teuchos_ParameterList.hpp>
#include <Tpetra_Core.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <Tpetra_Vector.hpp>
#include <cmath>
#include <stdexcept>
#include <string>

using matrix_type = Tpetra::CrsMatrix<>;
using SC = matrix_type::scalar_type;
using LO = matrix_type::local_ordinal_type;
using GO = matrix_type::global_ordinal_type;
using NO = matrix_type::node_type;
using vector_type = Tpetra::Vector<SC, LO, GO, NO>;

/// Makes "laplace3d:n=N" or "brick3d:n=N" by Galeri.
inline Teuchos::RCP<matrix_type> stencil(const std::string& spec) {
  using Map = matrix_type::map_type;
  const std::size_t colon = spec.find(":n=");
  const std::string name = spec.substr(0, colon);
  if (colon == std::string::npos || (name != "laplace3d" && name != "brick3d"))
    throw std::invalid_argument("--problem=" + spec + ": laplace3d:n=N or brick3d:n=N is known");
  const GO side = std::stoll(spec.substr(colon + 3));
  Teuchos::ParameterList list;
  for (const char* direction : {"nx", "ny", "nz"}) list.set(direction, side);
  const auto map = Teuchos::rcp(new Map(side * side * side, 0, Tpetra::getDefaultComm()));
  return Galeri::Xpetra::BuildProblem<SC, LO, GO, Map, matrix_type,
                                      Tpetra::MultiVector<SC, LO, GO, NO>>(
             name == "laplace3d" ? "Laplace3D" : "Brick3D", map, list)
      ->BuildMatrix();
}

/// Returns the matrix of the file, if one is named, else that of the stencil.
inline Teuchos::RCP<matrix_type> problem(const std::string& spec, const std::string& file) {
  if (file.empty()) return stencil(spec);
  return Tpetra::MatrixMarket::Reader<matrix_type>::readSparseFile(file, Tpetra::getDefaultComm());
}

/// Makes a vector that has equal entries on any number of ranks.
inline Teuchos::RCP<vector_type> randomVector(const Teuchos::RCP<const vector_type::map_type>& map,
                                              int seed) {
  const auto x = Teuchos::rcp(new vector_type(map));
  for (GO i = map->getMinGlobalIndex(); i <= map->getMaxGlobalIndex(); ++i) {
    // A hash of index and seed: each entry in (-1, 1).
    unsigned long long h = static_cast<unsigned long long>(i + 1) * 0x9E3779B97F4A7C15ull + seed;
    for (int round = 0; round < 2; ++round) h = (h ^ (h >> 31)) * 0xBF58476D1CE4E5B9ull;
    if (map->isNodeGlobalElement(i)) x->replaceGlobalValue(i, (h >> 11) * 0x1p-52 - 1.0);
  }
  return x;
}

/// Scales A from both sides by numbers near 1: other values, symmetric and positive as before.
inline void changeValues(matrix_type& A, int step) {
  vector_type scale(A.getRowMap());
  for (GO i = A.getRowMap()->getMinGlobalIndex(); i <= A.getRowMap()->getMaxGlobalIndex(); ++i)
    if (A.getRowMap()->isNodeGlobalElement(i))
      scale.replaceGlobalValue(i, 1.0 + 0.1 * std::sin(step * (i + 1.0)));
  A.leftScale(scale);
  A.rightScale(scale);
}

#endif
