// SPDX-License-Identifier: BSD-3-Clause
// Problems by Galeri, for a program that knows Tpetra and MueLu alone.
#ifndef MUELU_PLAINPROBLEM_HPP
#define MUELU_PLAINPROBLEM_HPP

#include <Galeri_XpetraProblemFactory.hpp>
#include <Teuchos_ParameterList.hpp>
#include <Tpetra_Core.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <Tpetra_MultiVector.hpp>
#include <Tpetra_Vector.hpp>
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

using Teuchos::RCP;
using Teuchos::rcp;
using matrix_type = Tpetra::CrsMatrix<>;
using SC = matrix_type::scalar_type;
using LO = matrix_type::local_ordinal_type;
using GO = matrix_type::global_ordinal_type;
using NO = matrix_type::node_type;
using map_type = matrix_type::map_type;
using multivector_type = Tpetra::MultiVector<SC, LO, GO, NO>;
using vector_type = Tpetra::Vector<SC, LO, GO, NO>;

/// A matrix, and what MueLu wants to know of its unknowns.
struct Problem {
  RCP<matrix_type> A;
  RCP<multivector_type> nullspace, coordinates;
  int equations = 1;  ///< unknowns of a point
};

/// Makes a Map of `equations` unknowns for each of side³ points, in slabs along the third axis, as
/// Galeri cuts the elements between them. If `idle` is a rank, the next one takes its slab.
inline RCP<const map_type> slabs(GO side, int equations, int idle) {
  const auto comm = Tpetra::getDefaultComm();
  const int ranks = comm->getSize(), rank = comm->getRank();
  const auto planes = [&](int of) {
    const GO elements = side - 1;
    return elements / ranks + (of < elements % ranks) + (of == ranks - 1);
  };
  GO mine = rank == idle ? 0 : planes(rank);
  if (idle >= 0 && idle < ranks && rank == (idle + 1) % ranks) mine += planes(idle);
  const GO points = mine * side * side;
  return rcp(new map_type(side * side * side * equations, points * equations, 0, comm));
}

/// Makes Galeri's problem `name` ("Laplace3D", "Brick3D", "Elasticity3D") with side³ points. If
/// `idle` is a rank, that one has no rows; not of Elasticity3D. The first axis is `stretch` times
/// as long.
inline Problem plainProblem(const std::string& name, GO side, int idle = -1, double stretch = 1) {
  Problem problem;
  problem.equations = name == "Elasticity3D" ? 3 : 1;
  Teuchos::ParameterList list;
  for (const char* direction : {"nx", "ny", "nz"}) list.set(direction, side);
  for (const char* parts : {"mx", "my"}) list.set<GO>(parts, 1);
  list.set<GO>("mz", Tpetra::getDefaultComm()->getSize());
  list.set("stretchx", stretch);
  const auto galeri =
      Galeri::Xpetra::BuildProblem<SC, LO, GO, map_type, matrix_type, multivector_type>(
          name, slabs(side, problem.equations, idle), list);
  problem.A = galeri->BuildMatrix();
  problem.nullspace = galeri->BuildNullspace();
  const auto points = slabs(side, 1, idle);
  problem.coordinates = rcp(new multivector_type(points, 3));
  for (GO i = points->getMinGlobalIndex(); i <= points->getMaxGlobalIndex(); ++i) {
    const GO along[] = {i % side, i / side % side, i / (side * side)};
    for (int d = 0; d < 3; ++d)
      if (points->isNodeGlobalElement(i)) problem.coordinates->replaceGlobalValue(i, d, along[d]);
  }
  return problem;
}

/// Makes a vector whose entries depend on the row and `step` alone, in (-1, 1).
inline RCP<vector_type> wave(const RCP<const map_type>& map, int step) {
  const auto x = rcp(new vector_type(map));
  for (LO i = 0; i < static_cast<LO>(x->getLocalLength()); ++i)
    x->replaceLocalValue(i, std::sin(1.0 + step + 0.7 * map->getGlobalElement(i)));
  return x;
}

/// Makes A with other values, in a matrix of its own, with the structure of A. It is scaled from
/// both sides by numbers near 1, as symmetric and positive as before.
inline RCP<matrix_type> otherValues(const matrix_type& A, int step) {
  const auto scaled = rcp(new matrix_type(A, Teuchos::Copy));
  const auto scale = wave(A.getRowMap(), step);
  const auto ones = rcp(new vector_type(A.getRowMap()));
  ones->putScalar(1.0);
  scale->update(1.0, *ones, 0.1);
  scaled->leftScale(*scale);
  scaled->rightScale(*scale);
  return scaled;
}

#endif
