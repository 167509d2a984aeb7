// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_GRIDMATRIX_HPP
#define TRIDENT_GRIDMATRIX_HPP

#include <memory>
#include <utility>

#include "base/Trident_Memory.hpp"
#include "exchange/Trident_GridExchanges.hpp"
#include "grid/Trident_IndexSpace.hpp"
#include "matrix/Trident_Device.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_RowReading.hpp"

namespace Trident::Impl {

/// Kind of the memory in which a device's matrices lie.
template <class Device>
constexpr MemoryKind memoryOf = isHost<Device> ? MemoryKind::Host : MemoryKind::Device;

/// Order of columns in each row. Ascending: columns are known to ascend. Any: no order is known.
enum class RowOrder { Any, Ascending };

/// One rank's part of a matrix on the trident grid. Rank (i, j, k) holds some rows of tile row i
/// (IndexSpace::localRows), with the columns of tile column j. Columns count from the tile's first
/// column. A cheap handle: copies share data.
template <class Scalar, class Device>
class GridMatrix {
 public:
  using local_matrix_type = LocalMatrix<Scalar, Device>;
  using scalar_type = Scalar;
  using device_type = Device;

  GridMatrix() = default;
  GridMatrix(std::shared_ptr<GridExchanges> exchanges, std::shared_ptr<const IndexSpace> rows,
             std::shared_ptr<const IndexSpace> columns, const local_matrix_type& local,
             RowOrder order = RowOrder::Any)
      : exchanges_(std::move(exchanges)),
        rows_(std::move(rows)),
        columns_(std::move(columns)),
        local_(local),
        order_(order) {}
  /// Makes a left factor whose rows a product reads from `stored`, by the rules of `reading`.
  GridMatrix(std::shared_ptr<GridExchanges> exchanges, std::shared_ptr<const IndexSpace> rows,
             std::shared_ptr<const IndexSpace> columns, const local_matrix_type& stored,
             const RowReading<Scalar, Device>& reading)
      : GridMatrix(std::move(exchanges), std::move(rows), std::move(columns), stored) {
    reading_ = std::make_shared<const RowReading<Scalar, Device>>(reading);
  }

  const ProcessGrid& grid() const { return exchanges_->grid(); }
  const std::shared_ptr<GridExchanges>& exchanges() const { return exchanges_; }
  const std::shared_ptr<const IndexSpace>& rows() const { return rows_; }
  const std::shared_ptr<const IndexSpace>& columns() const { return columns_; }
  const local_matrix_type& local() const { return local_; }
  /// Returns the rules for reading local()'s rows; null if a product reads rows as they are stored.
  const RowReading<Scalar, Device>* reading() const { return reading_.get(); }
  /// Returns a matrix of this structure with other values, in the order of local()'s values.
  GridMatrix withValues(const typename local_matrix_type::values_type& values) const {
    return GridMatrix(
        exchanges_, rows_, columns_,
        local_matrix_type("Trident::withValues", local_.numRows(), local_.numCols(), local_.nnz(),
                          values, local_.graph.row_map, local_.graph.entries),
        order_);
  }
  bool rowsAscend() const { return order_ == RowOrder::Ascending; }

 private:
  std::shared_ptr<GridExchanges> exchanges_;
  std::shared_ptr<const IndexSpace> rows_, columns_;
  local_matrix_type local_;
  std::shared_ptr<const RowReading<Scalar, Device>> reading_;
  RowOrder order_ = RowOrder::Any;
};

}  // namespace Trident::Impl

#endif
