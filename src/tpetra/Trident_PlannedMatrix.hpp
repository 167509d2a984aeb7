// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PLANNEDMATRIX_HPP
#define TRIDENT_PLANNEDMATRIX_HPP

#include <array>
#include <string>
#include <vector>

#include "Trident_Error.hpp"
#include "base/Trident_Agreement.hpp"
#include "tpetra/Trident_CheckInput.hpp"
#include "tpetra/Trident_Fingerprint.hpp"
#include "tpetra/Trident_SeenStructures.hpp"
#include "tpetra/Trident_TpetraCompat.hpp"

namespace Trident::Impl {

/// Facts that a plan expects of a matrix: its Maps, and the fingerprint of its structure. The graph
/// object alone proves nothing, because Tpetra can change its structure.
template <class Matrix>
class PlannedMatrix {
  using map_type = typename Matrix::map_type;

 public:
  /// @param matrix a fill-complete matrix
  /// @param print fingerprint of its structure
  /// @param name name of the matrix in messages
  /// @param result true if the matrix is the product
  PlannedMatrix(const Matrix& matrix, const EntriesPrint& print, const std::string& name,
                bool result)
      : name_(name), result_(result), maps_(mapsOf(matrix)), print_(print) {}

  /// Throws if the matrix is a factor that is not fill-complete, or a product into which values
  /// cannot be written. Local.
  void requireState(const Matrix& matrix) const {
    if (!result_ && !matrix.isFillComplete())
      throw Error(name_ + " is not fill-complete; call " + name_ +
                  ".fillComplete() after its values are set");
    if (!result_) return;
    const std::string problem = isNew(matrix)
                                    ? name_ + " is new; " + remedy()
                                    : problemOfResult(matrix, name_, ResultPattern::Any, remedy());
    if (!problem.empty()) throw Error(problem);
  }
  /// Throws if a matrix has other entries than the planned one. The message names the first
  /// difference that this rank sees. Local.
  /// @param all every planned matrix, to find out if the caller swapped factors
  void requireEntries(const Matrix& matrix, const EntriesPrint& print,
                      const std::vector<PlannedMatrix>& all) const {
    if (print == print_) return;
    const Maps maps = mapsOf(matrix);
    for (const PlannedMatrix& other : all)
      if (print == other.print_ && sizeText(maps) == sizeText(other.maps_) && !result_ &&
          !other.result_)
        throw Error(name_ + " is like the planned " + other.name_ +
                    "; pass the factors in the planned order");
    if (sizeText(maps) != sizeText(maps_))
      throw Error(name_ + " is " + sizeText(maps) + ", and the planned one " + sizeText(maps_) +
                  "; " + remedy());
    for (std::size_t m = 0; m < maps.size(); ++m)
      if (m != columnMap && !maps[m]->locallySameAs(*maps_[m])) throwOtherMap(m);
    throw Error(name_ + " has other entries than the planned one; " + remedy());
  }
  /// Returns true if a matrix has the same Map objects as the planned one. Local.
  bool hasTheseMaps(const Matrix& matrix) const { return mapsOf(matrix) == maps_; }
  /// Throws on every rank if a matrix's Maps differ from the planned ones. Collective.
  void requireMaps(const Matrix& matrix) const {
    const Maps maps = mapsOf(matrix);
    for (std::size_t m = 0; m < maps.size(); ++m)
      if (!maps[m]->isSameAs(*maps_[m])) throwOtherMap(m);
  }

 private:
  using Maps = std::array<Teuchos::RCP<const map_type>, 4>;
  static Maps mapsOf(const Matrix& matrix) {
    return {matrix.getRowMap(), matrix.getColMap(), matrix.getDomainMap(), matrix.getRangeMap()};
  }
  static constexpr std::size_t columnMap = 1;  // place of the column Map in Maps
  static std::string sizeText(const Maps& maps) {
    return std::to_string(maps[0]->getGlobalNumElements()) + " x " +
           std::to_string(maps[2]->getGlobalNumElements());
  }
  [[noreturn]] void throwOtherMap(std::size_t which) const {
    constexpr std::array<const char*, 4> words{"row", "column", "domain", "range"};
    throw Error(name_ + " has another " + words[which] + " Map than the planned one; " + remedy());
  }
  std::string remedy() const {
    return result_ ? "pass the planned " + name_ + ", or a matrix on its graph"
                   : "make a new plan for factors of another structure";
  }

  std::string name_;
  bool result_;
  Maps maps_;
  EntriesPrint print_;
};

/// Throws if a matrix has another structure than planned, as far as this rank sees. Local.
/// @param matrices matrices in the order of `planned`
/// @param seen structures that need not be read again
/// @param readsAll true if all structures are read again nevertheless
/// @return true if all Map objects are the planned ones; if false on any rank, call requireMaps()
template <class Matrix>
bool requireStructures(const std::vector<PlannedMatrix<Matrix>>& planned,
                       const std::vector<const Matrix*>& matrices, SeenStructures& seen,
                       bool readsAll) {
  for (std::size_t m = 0; m < planned.size(); ++m) planned[m].requireState(*matrices[m]);
  const std::vector<EntriesPrint> prints = seen.prints(matrices, readsAll);
  bool veryMaps = true;
  for (std::size_t m = 0; m < planned.size(); ++m) {
    planned[m].requireEntries(*matrices[m], prints[m], planned);
    veryMaps = veryMaps && planned[m].hasTheseMaps(*matrices[m]);
  }
  return veryMaps;
}

/// Throws Trident::Error on every rank if a matrix has other Maps than planned. Collective over
/// `comm`, the matrices' communicator.
template <class Matrix>
void requireMaps(MPI_Comm comm, const std::vector<PlannedMatrix<Matrix>>& planned,
                 const std::vector<const Matrix*>& matrices) {
  std::vector<long long> otherMaps;
  for (std::size_t m = 0; m < planned.size(); ++m)
    otherMaps.push_back(!planned[m].hasTheseMaps(*matrices[m]));
  sumEverywhere(comm, otherMaps, LocalFailure());
  for (std::size_t m = 0; m < planned.size(); ++m)
    if (otherMaps[m] > 0) planned[m].requireMaps(*matrices[m]);
}

}  // namespace Trident::Impl

#endif
