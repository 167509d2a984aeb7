// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPREDICT_MARKS_HPP
#define TRIDENTPREDICT_MARKS_HPP

#include <vector>

#include "base/Trident_Types.hpp"

namespace Trident {
namespace Predict {

/// A set of indices that is cleared at once.
class Marks {
 public:
  explicit Marks(Impl::Position size) : last_(size, 0) {}

  void clear() {
    ++now_;
    count_ = 0;
  }
  /// Adds an index, and returns true if it is new since clear().
  bool add(Impl::Position index) {
    const bool isNew = last_[index] != now_;
    last_[index] = now_;
    count_ += isNew;
    return isNew;
  }
  Impl::Position count() const { return count_; }

 private:
  int now_ = 1;  // fits: sets are cleared for each row, of which there are fewer than 2^31
  Impl::Position count_ = 0;
  std::vector<int> last_;
};

}  // namespace Predict
}  // namespace Trident

#endif
