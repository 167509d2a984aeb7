// SPDX-License-Identifier: BSD-3-Clause
// Matrices that get another structure in the same graph object.
#ifndef TRIDENT_PUBLIC_RESTRUCTURE_HPP
#define TRIDENT_PUBLIC_RESTRUCTURE_HPP

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "Public_Products.hpp"

namespace TridentTest {
namespace PublicStress {

/// Gives a fill-complete matrix a column Map of the same indices, backwards, and maybe with others
/// of its domain Map. Collective.
inline void reindex(matrix_type& M, bool more) {
  Teuchos::Array<GO> columns;
  const auto add = [&](GO gid) {
    if (std::find(columns.begin(), columns.end(), gid) == columns.end()) columns.push_back(gid);
  };
  const auto old = Trident::Impl::localGids(*M.getColMap());
  for (auto c = old.size(); c > 0; --c) add(old[c - 1]);
  if (more)
    for (const GO gid : Trident::Impl::localGids(*M.getDomainMap())) add(gid);
  const auto any = Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid();
  const MapPtr map =
      Teuchos::rcp(new map_type(any, columns(), M.getColMap()->getIndexBase(), M.getComm()));
  const MapPtr domain = M.getDomainMap(), range = M.getRangeMap();
  M.resumeFill();
  M.reindexColumns(nullptr, map);
  M.fillComplete(domain, range);
}

/// Makes a matrix like M with room in its rows: its storage is not optimized. Collective.
inline MatrixPtr withRoom(const matrix_type& M) {
  const auto list = Teuchos::parameterList();
  list->set("Optimize Storage", false);
  const MatrixPtr loose = Teuchos::rcp(
      new matrix_type(M.getRowMap(), M.getColMap(), Trident::Impl::localSize(*M.getColMap()) + 3));
  for (const auto& entry : entriesOf(M))
    loose->insertGlobalValues(entry.first.first, Teuchos::tuple<GO>(entry.first.second)(),
                              Teuchos::tuple<double>(entry.second)());
  loose->fillComplete(M.getDomainMap(), M.getRangeMap(), list);
  return loose;
}

/// Inserts into local row 0 of a random owner, where the matrix has an entry, or has none. False
/// where there is no such place. Local row and column of M are op's, transposed or not. Collective.
inline bool insertOne(const Setting& s, Factor& factor, bool whereOneIs) {
  const Sparse stored = factor.transposed ? factor.op.transpose() : factor.op;
  const Indices& rows = factor.transposed ? factor.cols : factor.rows;
  const Indices& cols = factor.transposed ? factor.rows : factor.cols;
  matrix_type& M = *factor.matrix;
  std::vector<std::pair<int, int>> places;
  for (int i = 0; i < stored.numRows(); ++i)
    for (int j = 0; j < stored.cols; ++j)
      if ((stored.rows[i].count(j) > 0) == whereOneIs) places.push_back({i, j});
  s.random.shuffle(places);
  for (const auto& place : places) {
    const GO row = rows.gids[place.first], column = cols.gids[place.second];
    const LO r = M.getRowMap()->getLocalElement(row), c = M.getColMap()->getLocalElement(column);
    const auto none = Teuchos::OrdinalTraits<LO>::invalid();
    if (countRanks(s.part, r != none && c != none) == 0) continue;
    const MapPtr domain = M.getDomainMap(), range = M.getRangeMap();
    const auto list = Teuchos::parameterList();
    list->set("Optimize Storage", s.random.chance(0.5));
    M.resumeFill();
    if (r != none) M.insertLocalValues(r, Teuchos::tuple<LO>(c)(), Teuchos::tuple<double>(2)());
    M.fillComplete(domain, range, list);
    factor.op.rows[factor.transposed ? place.second : place.first]
                  [factor.transposed ? place.first : place.second] += 2;
    return true;
  }
  return false;
}

/// Compares a matrix that Tpetra made with the factor that it should be. Local.
inline std::string checkFactor(const Factor& factor) {
  const Sparse stored = factor.transposed ? factor.op.transpose() : factor.op;
  const Indices& rows = factor.transposed ? factor.cols : factor.rows;
  const Indices& cols = factor.transposed ? factor.rows : factor.cols;
  Sparse unit(stored.cols, stored.cols);
  for (int j = 0; j < stored.cols; ++j) unit.rows[j][j] = 1;
  const std::string problem =
      checkEntries(*factor.matrix, Expected(stored, unit), rows, cols, true);
  return problem.empty() ? "" : "Tpetra made another factor: " + problem;
}

}  // namespace PublicStress
}  // namespace TridentTest

#endif
