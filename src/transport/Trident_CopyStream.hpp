// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_COPYSTREAM_HPP
#define TRIDENT_COPYSTREAM_HPP

#include <cstddef>
#include <memory>

#include "base/Trident_Memory.hpp"

namespace Trident::Impl {

/// Copies between device and pinned memory that go on, one after the other, while the host does
/// something else. Where there is no such thing a copy is done at once.
class CopyStream {
 public:
  /// @param slots copies that may be under way at a time
  explicit CopyStream(int slots);
  ~CopyStream();  ///< waits for what is under way

  /// Starts a copy known as `slot`, whose former one is done. No kernel writes its bytes any more.
  void copy(int slot, void* to, MemoryKind toKind, const void* from, MemoryKind fromKind,
            std::size_t bytes);
  /// Whether the copy known as `slot` is done.
  bool done(int slot);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace Trident::Impl

#endif
