// SPDX-License-Identifier: BSD-3-Clause
#include "Trident_TestMatrices.hpp"

namespace TridentTest {

CommPtr world() { return Tpetra::getDefaultComm(); }

Indices contiguousIndices(int n, GO base) {
  Indices indices{std::vector<GO>(n), base, true};
  std::iota(indices.gids.begin(), indices.gids.end(), base);
  return indices;
}

Indices randomIndices(Random& random, int n) {
  const GO base = random.below(2);
  Indices indices = contiguousIndices(n, base);
  if (random.chance(0.4)) {
    const GO gap = sizeof(GO) > 4 ? GO(1) << 33 : GO(1) << 20;
    GO next = base + random.below(1000);
    for (GO& gid : indices.gids) {
      gid = next;
      next +=
          1 + static_cast<GO>(random.real() * static_cast<double>(random.chance(0.5) ? 3 : gap));
    }
    random.shuffle(indices.gids);
    indices.contiguous = false;
  }
  return indices;
}

Layout randomLayout(Random& random) { return static_cast<Layout>(random.below(5)); }

std::vector<std::vector<int>> dealPlaces(Random& random, int n, Layout layout, int ranks) {
  std::vector<std::vector<int>> places(ranks);
  std::vector<int> cuts(ranks + 1, 0);
  cuts[ranks] = n;
  for (int r = 1; r < ranks; ++r)  // uneven cuts meet often, which leaves ranks empty
    cuts[r] = layout == Layout::Uneven ? random.below(n + 1) / 4 * 4
                                       : static_cast<int>(static_cast<long long>(n) * r / ranks);
  std::sort(cuts.begin(), cuts.end());
  const int only = random.below(ranks);
  const int among = random.between(1, ranks);  // the last ranks may be empty
  for (int p = 0; p < n; ++p) {
    int owner = 0;
    switch (layout) {
      case Layout::Uniform:
      case Layout::Uneven:
        while (p >= cuts[owner + 1]) ++owner;
        break;
      case Layout::Cyclic:
        owner = p % ranks;
        break;
      case Layout::Scattered:
        owner = random.below(among);
        break;
      case Layout::OneRank:
        owner = only;
        break;
    }
    places[owner].push_back(p);
  }
  if (layout == Layout::Scattered)
    for (auto& mine : places) random.shuffle(mine);
  return places;
}

MapPtr makeMap(Random& random, const Indices& indices, Layout layout, const CommPtr& comm) {
  const auto places = dealPlaces(random, indices.size(), layout, comm->getSize());
  const auto& mine = places[comm->getRank()];
  const Tpetra::global_size_t size = indices.size();
  if (indices.contiguous && (layout == Layout::Uniform || layout == Layout::Uneven)) {
    if (layout == Layout::Uniform) return Teuchos::rcp(new map_type(size, indices.base, comm));
    return Teuchos::rcp(new map_type(size, mine.size(), indices.base, comm));
  }
  Teuchos::Array<GO> gids;
  for (int p : mine) gids.push_back(indices.gids[p]);
  return Teuchos::rcp(new map_type(size, gids(), indices.base, comm));
}

Sparse randomSparse(Random& random, int m, int n, bool exact) {
  Sparse A(m, n);
  if (n == 0 || random.chance(0.05)) return A;
  const double density = random.oneOf<double>({0.02, 0.1, 0.1, 0.4});
  for (auto& row : A.rows) {
    if (random.chance(0.2)) continue;
    const double p = random.chance(0.05) ? 1.0 : density;
    for (int j = 0; j < n; ++j)
      if (random.chance(p))
        row[j] = random.chance(0.1) ? 0.0
                 : exact            ? random.oneOf<double>({-3, -2, -1, 1, 2, 3})
                                    : 2 * random.real() - 1;
  }
  return A;
}

MatrixPtr makeMatrix(const Sparse& A, const Indices& rows, const Indices& cols,
                     const MapPtr& rowMap, const MapPtr& domainMap, const MapPtr& rangeMap) {
  std::size_t longest = 1;
  for (const auto& row : A.rows) longest = std::max(longest, row.size());
  const MatrixPtr matrix = Teuchos::rcp(new matrix_type(rowMap, longest));
  const auto place = rows.places();
  for (const GO gid : Trident::Impl::localGids(*rowMap)) {
    Teuchos::Array<GO> columns;
    Teuchos::Array<double> values;
    for (const auto& entry : A.rows[place.at(gid)]) {
      columns.push_back(cols.gids[entry.first]);
      values.push_back(entry.second);
    }
    if (columns.size() > 0) matrix->insertGlobalValues(gid, columns(), values());
  }
  matrix->fillComplete(domainMap, rangeMap);
  return matrix;
}

MatrixPtr makeUniform(const Sparse& A, const CommPtr& comm) {
  Random none(0);
  const Indices rows = contiguousIndices(A.numRows()), cols = contiguousIndices(A.cols);
  const MapPtr rowMap = makeMap(none, rows, Layout::Uniform, comm);
  const MapPtr colMap = A.numRows() == A.cols ? rowMap : makeMap(none, cols, Layout::Uniform, comm);
  return makeMatrix(A, rows, cols, rowMap, colMap, rowMap);
}

MatrixPtr withRoom(const matrix_type& A, Arrays how, LO column) {
  using Local = matrix_type::local_matrix_device_type;
  using Graph = Local::staticcrsgraph_type;
  const Local local = A.getLocalMatrixDevice();
  const std::size_t entries = Trident::Impl::localEntries(A), room = 1000;
  const std::pair<std::size_t, std::size_t> own(0, entries);
  Local::row_map_type::non_const_type offsets("offsets", local.graph.row_map.extent(0));
  Local::index_type::non_const_type columns("columns", entries + room);
  Local::values_type::non_const_type values("values", entries + room);
  Kokkos::deep_copy(offsets, local.graph.row_map);
  Kokkos::deep_copy(columns, column);
  Kokkos::deep_copy(values, -1e30);
  Kokkos::deep_copy(Kokkos::subview(columns, own), Kokkos::subview(local.graph.entries, own));
  Kokkos::deep_copy(Kokkos::subview(values, own), Kokkos::subview(local.values, own));
  const MapPtr rows = A.getRowMap(), cols = A.getColMap();
  MatrixPtr made;
  if (how == Arrays::LocalMatrix)
    return Teuchos::rcp(
        new matrix_type(Local("room", local.numCols(), values, Graph(columns, offsets)), rows, cols,
                        A.getDomainMap(), A.getRangeMap()));
  if (how == Arrays::Constructor) {
    made = Teuchos::rcp(new matrix_type(rows, cols, offsets, columns, values));
    made->fillComplete(A.getDomainMap(), A.getRangeMap());
  } else {
    made = Teuchos::rcp(new matrix_type(rows, cols, 0));
    made->setAllValues(offsets, columns, values);
    made->expertStaticFillComplete(A.getDomainMap(), A.getRangeMap());
  }
  return made;
}

MatrixPtr newResult(const matrix_type& A) {
  return Teuchos::rcp(new matrix_type(A.getRowMap(), 0));
}

Teuchos::RCP<Teuchos::ParameterList> tridentList() {
  const auto list = Teuchos::parameterList();
  list->sublist("Trident");
  return list;
}

}  // namespace TridentTest
