// SPDX-License-Identifier: BSD-3-Clause
#include "Trident_TestOracle.hpp"

#include <TpetraExt_MatrixMatrix.hpp>
#include <Tpetra_Distributor.hpp>
#include <algorithm>
#include <cmath>
#include <set>

namespace TridentTest {

Expected::Expected(const Sparse& A, const Sparse& B)
    : m(A.numRows()), n(B.cols), value(m * n, 0.0), bound(m * n, 0.0), terms(m * n, 0) {
  for (int i = 0; i < m; ++i)
    for (const auto& a : A.rows[i])
      for (const auto& b : B.rows[a.first]) {
        const int at = i * n + b.first;
        value[at] += a.second * b.second;
        bound[at] += std::abs(a.second * b.second);
        ++terms[at];
        ++multiplyAdds;
      }
}

long long Expected::entries() const {
  return std::count_if(terms.begin(), terms.end(), [](int t) { return t > 0; });
}

Sparse Expected::sparse() const {
  Sparse C(m, n);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      if (terms[i * n + j]) C.rows[i][j] = value[i * n + j];
  return C;
}

Sparse identity(int n) {
  Sparse one(n, n);
  for (int i = 0; i < n; ++i) one.rows[i][i] = 1;
  return one;
}

Expected itself(const Sparse& a) { return {a, identity(a.cols)}; }

std::string everywhere(const Teuchos::Comm<int>& comm, const std::string& problem) {
  const MPI_Comm raw = Trident::Impl::rawComm(comm);
  int rank = comm.getRank(), first = problem.empty() ? comm.getSize() : rank;
  MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, raw);
  if (first == comm.getSize()) return "";
  std::string text = "rank " + std::to_string(rank) + ": " + problem;
  int length = static_cast<int>(text.size());
  MPI_Bcast(&length, 1, MPI_INT, first, raw);
  text.resize(length);
  MPI_Bcast(&text[0], length, MPI_CHAR, first, raw);
  return text;
}

bool onAll(const Teuchos::Comm<int>& comm, bool mine) {
  return everywhere(comm, mine ? "" : "no").empty();
}

std::map<std::pair<GO, GO>, double> entriesOf(const matrix_type& C) {
  std::map<std::pair<GO, GO>, double> entries;
  const auto local = C.getLocalMatrixHost();
  const auto rows = Trident::Impl::localGids(*C.getRowMap()),
             cols = Trident::Impl::localGids(*C.getColMap());
  for (int r = 0; r < static_cast<int>(rows.size()); ++r)
    for (auto e = local.graph.row_map(r); e < local.graph.row_map(r + 1); ++e)
      entries[{rows[r], cols[local.graph.entries(e)]}] = local.values(e);
  return entries;
}

bool sameValue(double value, double expected, double bound, bool exact) {
  if (std::isnan(expected)) return std::isnan(value);
  if (exact || std::isinf(expected)) return value == expected;
  return std::abs(value - expected) <= 1e-13 * bound;
}

std::string checkEntries(const matrix_type& C, const Expected& expected, const Indices& rows,
                         const Indices& cols, bool exact) {
  const auto entries = entriesOf(C);
  if (entries.size() != Trident::Impl::localEntries(C)) return "C has an entry twice";
  const auto rowPlace = rows.places(), colPlace = cols.places();
  long long found = 0;
  for (const auto& entry : entries) {
    const auto col = colPlace.find(entry.first.second);
    if (col == colPlace.end()) return say("C has the unknown column ", entry.first.second);
    const int i = rowPlace.at(entry.first.first), at = i * expected.n + col->second;
    if (!expected.terms[at]) return say("C(", i, ",", col->second, ") should not be there");
    if (!sameValue(entry.second, expected.value[at], expected.bound[at], exact))
      return say("C(", i, ",", col->second, ") = ", entry.second, ", expected ",
                 expected.value[at]);
    ++found;
  }
  long long wanted = 0;
  for (const GO gid : Trident::Impl::localGids(*C.getRowMap())) {
    const int* terms = expected.terms.data() + rowPlace.at(gid) * expected.n;
    wanted += std::count_if(terms, terms + expected.n, [](int t) { return t > 0; });
  }
  return found == wanted ? "" : say("C has ", found, " entries here, expected ", wanted);
}

std::string checkColumns(const matrix_type& C) {
  const auto cols = Trident::Impl::localGids(*C.getColMap());
  const auto owned = Trident::Impl::localGids(*C.getDomainMap());
  const auto local = C.getLocalMatrixHost();
  std::vector<GO> remotes;
  std::set<GO> seen(cols.begin(), cols.end()), used;
  std::string problem;
  if (C.getColMap()->getIndexBase() != C.getDomainMap()->getIndexBase())
    problem = "the column Map has another index base than the domain Map";
  if (static_cast<long long>(seen.size()) != cols.size())
    problem = "the column Map has a GID twice";
  if (cols.size() < owned.size() || !std::equal(owned.begin(), owned.end(), cols.begin()))
    problem = "the column Map does not begin with the domain Map";
  else
    remotes.assign(cols.begin() + owned.size(), cols.end());
  for (int r = 0; r < local.numRows(); ++r)
    for (auto e = local.graph.row_map(r); e < local.graph.row_map(r + 1); ++e) {
      const int c = local.graph.entries(e);
      if (e > local.graph.row_map(r) && local.graph.entries(e - 1) >= c)
        problem = say("local row ", r, " is not sorted");
      if (c >= static_cast<int>(owned.size())) used.insert(cols[c]);
    }
  if (used.size() != remotes.size()) problem = "the column Map has remote columns that C lacks";
  Teuchos::Array<int> owner(remotes.size(), -1);
  C.getDomainMap()->getRemoteIndexList(Teuchos::ArrayView<const GO>(remotes.data(), remotes.size()),
                                       owner());
  for (std::size_t c = 0; c < remotes.size(); ++c) {
    if (owner[c] < 0) problem = say("nobody owns column ", remotes[c]);
    if (c > 0 &&
        std::make_pair(owner[c - 1], remotes[c - 1]) >= std::make_pair(owner[c], remotes[c]))
      problem = "remote columns are not in the order (owner, GID)";
  }
  return everywhere(*C.getComm(), problem);
}

template <class List>
bool equal(const List& a, const List& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
}

std::string checkImporter(const matrix_type& C) {
  const auto importer = C.getGraph()->getImporter();
  const MapPtr domain = C.getDomainMap(), columns = C.getColMap();
  if (importer.is_null())
    return domain->isSameAs(*columns) ? "" : "C has no importer for its remote columns";
  const Tpetra::Import<> found(domain, columns);  // Tpetra asks around
  const auto difference = [&]() -> std::string {
    if (importer->getNumSameIDs() != found.getNumSameIDs()) return "same ids";
    if (importer->getNumPermuteIDs() != found.getNumPermuteIDs()) return "permuted ids";
    if (!equal(importer->getRemoteLIDs(), found.getRemoteLIDs())) return "remote ids";
    if (!equal(importer->getExportLIDs(), found.getExportLIDs())) return "exported ids";
    if (!equal(importer->getExportPIDs(), found.getExportPIDs())) return "ranks exported to";
    if (importer->isLocallyComplete() != found.isLocallyComplete()) return "completeness";
    if (importer->areRemoteLIDsContiguous() != found.areRemoteLIDsContiguous())
      return "whether remote ids are contiguous";
    if (importer->areExportLIDsContiguous() != found.areExportLIDsContiguous())
      return "whether exported ids are contiguous";
    const auto &a = importer->getDistributor(), &b = found.getDistributor();
    if (!equal(a.getProcsFrom(), b.getProcsFrom())) return "ranks that send";
    if (!equal(a.getLengthsFrom(), b.getLengthsFrom())) return "what ranks send";
    if (!equal(a.getProcsTo(), b.getProcsTo())) return "ranks that receive";
    if (!equal(a.getLengthsTo(), b.getLengthsTo())) return "what ranks receive";
    if (a.getTotalReceiveLength() != b.getTotalReceiveLength()) return "the receive length";
    if (a.getMaxSendLength() != b.getMaxSendLength()) return "the longest send";
    return a.hasSelfMessage() != b.hasSelfMessage() ? "the message to itself" : "";
  }();
  return everywhere(*C.getComm(), difference.empty()
                                      ? ""
                                      : "C's importer differs from Tpetra's in " + difference);
}

std::string checkForm(const matrix_type& A, const matrix_type& B, const matrix_type& C) {
  if (!C.isFillComplete()) return "C is not fill-complete";
  if (!C.getRowMap()->isSameAs(*A.getRowMap())) return "C's row Map is not A's";
  if (!C.getDomainMap()->isSameAs(*B.getDomainMap())) return "C's domain Map is not B's";
  if (!C.getRangeMap()->isSameAs(*A.getRangeMap())) return "C's range Map is not A's";
  const std::string problem = checkColumns(C);
  return problem.empty() ? checkImporter(C) : problem;
}

vector_type vectorOf(const MapPtr& map, const Indices& indices, const std::vector<double>& x) {
  vector_type v(map);
  const auto place = indices.places();
  const auto gids = Trident::Impl::localGids(*map);
  for (int l = 0; l < static_cast<int>(gids.size()); ++l)
    v.replaceLocalValue(l, x[place.at(gids[l])]);
  return v;
}

std::string checkApply(const matrix_type& A, const matrix_type& B, const matrix_type& C,
                       const Expected& expected, const Indices& rows, const Indices& cols,
                       bool exact) {
  std::vector<double> x(expected.n), y(expected.m, 0.0), bound(expected.m, 0.0);
  for (int j = 0; j < expected.n; ++j) x[j] = j % 7 - 3;
  for (int i = 0; i < expected.m; ++i)
    for (int j = 0; j < expected.n; ++j) {
      y[i] += expected.value[i * expected.n + j] * x[j];
      bound[i] += expected.bound[i * expected.n + j] * std::abs(x[j]);
    }
  const vector_type vx = vectorOf(B.getDomainMap(), cols, x);
  vector_type bx(B.getRangeMap()), inner(A.getDomainMap()), abx(A.getRangeMap()),
      cx(C.getRangeMap());
  B.apply(vx, bx);
  inner.doImport(bx, Tpetra::Import<>(B.getRangeMap(), A.getDomainMap()), Tpetra::INSERT);
  A.apply(inner, abx);
  C.apply(vx, cx);
  const auto place = rows.places();
  const auto gids = Trident::Impl::localGids(*A.getRangeMap());
  const auto ofC = cx.getData(), ofTpetra = abx.getData();
  for (int l = 0; l < static_cast<int>(gids.size()); ++l) {
    const int i = place.at(gids[l]);
    if (!sameValue(ofC[l], y[i], bound[i], exact))
      return say("(C x)(", i, ") = ", ofC[l], ", expected ", y[i]);
    if (!sameValue(ofC[l], ofTpetra[l], bound[i], exact))
      return say("(C x)(", i, ") = ", ofC[l], ", by Tpetra A (B x) = ", ofTpetra[l]);
  }
  return "";
}

bool tpetraCan(const matrix_type& A, const matrix_type& B) {
  return A.getComm()->getSize() == 1 || (A.getDomainMap()->isSameAs(*B.getRowMap()) &&
                                         B.getDomainMap()->getGlobalNumElements() > 0);
}

std::string checkAgainstTpetra(const matrix_type& A, bool transA, const matrix_type& B, bool transB,
                               const matrix_type& C, bool exact) {
  matrix_type T(transA ? A.getDomainMap() : A.getRowMap(), 0);
  Tpetra::MatrixMatrix::Multiply(A, transA, B, transB, T);
  if (!T.getDomainMap()->isSameAs(*C.getDomainMap()) ||
      !T.getRangeMap()->isSameAs(*C.getRangeMap()))
    return "domain and range Map are not those of Tpetra's product";
  auto mine = entriesOf(C);
  for (const auto& entry : entriesOf(T)) {
    const auto found = mine.find(entry.first);
    if (found == mine.end()) return say("C lacks an entry of row ", entry.first.first);
    if (!sameValue(found->second, entry.second, 1 + std::abs(entry.second), exact))
      return say("C has ", found->second, ", Tpetra ", entry.second, " in row ", entry.first.first);
    mine.erase(found);
  }
  for (const auto& entry : mine)
    if (entry.second != 0) return say("C has an entry more in row ", entry.first.first);
  return "";
}

namespace {

std::vector<const void*> mapsOfFactor(const matrix_type& A) {
  return {A.getRowMap().get(),
          A.getColMap().get(),
          A.getDomainMap().get(),
          A.getRangeMap().get(),
          A.getGraph()->getImporter().get(),
          A.getGraph()->getExporter().get()};
}

std::string bitsOf(const matrix_type& A) {
  const auto local = A.getLocalMatrixHost();
  std::string bits;
  const auto add = [&](const auto& view) {
    bits.append(reinterpret_cast<const char*>(view.data()), view.extent(0) * sizeof(*view.data()));
  };
  add(local.graph.row_map);
  add(local.graph.entries);
  add(local.values);
  return bits;
}

}  // namespace

Snapshot::Snapshot(const matrix_type& A) : A_(A), maps_(mapsOfFactor(A)), bits_(bitsOf(A)) {}

std::string Snapshot::changes() const {
  if (maps_ != mapsOfFactor(A_)) return "a Map of a factor was replaced";
  return bits_ == bitsOf(A_) ? "" : "a factor's entries changed";
}

}  // namespace TridentTest
