// SPDX-License-Identifier: BSD-3-Clause
// Tpetra's matrix of a problem: each rank forms its rows by itself.
#ifndef GPU_SETUP_ASSEMBLY_HPP
#define GPU_SETUP_ASSEMBLY_HPP

#include <Tpetra_CrsMatrix.hpp>
#include <Tpetra_MultiVector.hpp>
#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "Problems.hpp"
#include "tpetra/Trident_TpetraCompat.hpp"

using Trident::Impl::localSize;
using Node = Tpetra::Map<>::node_type;
using Map = Tpetra::Map<int, GO, Node>;
using TpetraMatrix = Tpetra::CrsMatrix<double, int, GO, Node>;
using TpetraVectors = Tpetra::MultiVector<double, int, GO, Node>;

/// A problem's matrix: each rank has a range of points, and forms its rows.
class Assembly {
 public:
  Assembly(const Problem& problem, const Teuchos::RCP<const Teuchos::Comm<int>>& comm)
      : problem_(problem) {
    const Map points(problem.cube.points(), 0, comm);
    const GO unknowns = problem.unknowns();
    rows_ = Teuchos::rcp(
        new Map(unknowns * problem.cube.points(), localSize(points) * unknowns, 0, comm));
    findColumns();
  }

  /// Makes the matrix of a step, with Maps, graph and values of its own.
  Teuchos::RCP<TpetraMatrix> matrix(int step) const {
    using Local = TpetraMatrix::local_matrix_device_type;
    typename Local::row_map_type::non_const_type begins("begins", offsets_.size());
    typename Local::index_type::non_const_type indices("indices", indices_.size());
    typename Local::values_type values("values", indices_.size());
    upload(offsets_, begins);
    upload(indices_, indices);
    upload(this->values(step), values);
    const Local local("A", static_cast<int>(localSize(*rows_)),
                      static_cast<int>(localSize(*columns_)), indices_.size(), values, begins,
                      indices);
    return Teuchos::rcp(new TpetraMatrix(local, rows_, columns_, rows_, rows_));
  }

  /// Puts the values of a step into a matrix of this assembly.
  void change(TpetraMatrix& A, int step) const {
    upload(values(step), A.getLocalMatrixDevice().values);
  }

  /// Makes constants, or the motions of a rigid body.
  Teuchos::RCP<TpetraVectors> nullspace() const {
    const bool body = problem_.unknowns() == 3;
    const auto result = Teuchos::rcp(new TpetraVectors(rows_, body ? 6 : 1));
    const auto view = result->getLocalViewHost(Tpetra::Access::OverwriteAll);
    for (std::size_t i = 0; i < localSize(*rows_); ++i) {
      const GO number = rows_->getGlobalElement(static_cast<int>(i));
      if (!body) {
        view(i, 0) = 1.0;
        continue;
      }
      const auto at = problem_.cube.place(number / 3);
      const int d = static_cast<int>(number % 3);
      for (int mode = 0; mode < 6; ++mode) view(i, mode) = motion(mode, d, at);
    }
    return result;
  }

 private:
  double motion(int mode, int d, const std::array<GO, 3>& at) const {
    if (mode < 3) return mode == d ? 1.0 : 0.0;
    const int axis = mode - 3, next = (axis + 1) % 3, last = (axis + 2) % 3;
    const double middle = 0.5 * static_cast<double>(problem_.cube.side - 1);
    if (d == next) return -(static_cast<double>(at[last]) - middle);
    if (d == last) return static_cast<double>(at[next]) - middle;
    return 0.0;
  }

  /// Finds the columns. Own ones stand first, as rows do; then others', by number.
  void findColumns() {
    Row row;
    const GO first = rows_->getMinGlobalIndex();
    const auto count = static_cast<GO>(localSize(*rows_));
    std::vector<GO> all(count), others;
    std::iota(all.begin(), all.end(), first);
    const auto own = [&](GO column) { return column >= first && column < first + count; };
    for (const GO number : all) {
      problem_.row(number, 0, row);
      for (const auto& entry : row)
        if (!own(entry.first)) others.push_back(entry.first);
      if (others.size() > 100000) makeUnique(others);
    }
    makeUnique(others);
    all.insert(all.end(), others.begin(), others.end());
    columns_ = Teuchos::rcp(new Map(Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid(),
                                    Teuchos::ArrayView<const GO>(all.data(), all.size()), 0,
                                    rows_->getComm()));
    offsets_.assign(1, 0);
    for (GO number = first; number < first + count; ++number) {
      localRow(number, 0, row);
      for (const auto& entry : row) indices_.push_back(static_cast<int>(entry.first));
      offsets_.push_back(indices_.size());
    }
  }
  static void makeUnique(std::vector<GO>& numbers) {
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  }
  void localRow(GO number, int step, Row& row) const {
    problem_.row(number, step, row);
    const GO first = rows_->getMinGlobalIndex();
    const auto count = static_cast<GO>(localSize(*rows_));
    for (auto& entry : row) {
      const bool own = entry.first >= first && entry.first < first + count;
      entry.first = own ? entry.first - first : columns_->getLocalElement(entry.first);
    }
    std::sort(row.begin(), row.end());
  }
  std::vector<double> values(int step) const {
    std::vector<double> result;
    result.reserve(indices_.size());
    Row row;
    for (GO number = rows_->getMinGlobalIndex(); number <= rows_->getMaxGlobalIndex(); ++number) {
      localRow(number, step, row);
      for (const auto& entry : row) result.push_back(entry.second);
    }
    return result;
  }
  template <class From, class View>
  static void upload(const std::vector<From>& from, const View& to) {
    const Kokkos::View<const From*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> host(from.data(),
                                                                                     from.size());
    Kokkos::deep_copy(to, host);
  }

  const Problem& problem_;
  Teuchos::RCP<const Map> rows_, columns_;
  std::vector<std::size_t> offsets_;
  std::vector<int> indices_;
};

#endif
