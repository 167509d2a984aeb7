// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_LASTING_HPP
#define TRIDENT_LASTING_HPP

#include <new>
#include <utility>

namespace Trident::Impl {

/// Holds an object whose destructor is never called. Use it for everything in src/ that lasts as
/// long as the process and has a destructor, since programs may end Kokkos and MPI after main().
/// The object lies in static storage, so leak checkers can reach its data and report none. The test
/// `lasting` checks that everything is held so.
///
///     static Lasting<std::vector<MPI_Comm>> comms;
template <class T>
class Lasting {
 public:
  template <class... Arguments>
  explicit Lasting(Arguments&&... arguments) {
    new (storage_) T(std::forward<Arguments>(arguments)...);
  }
  Lasting(const Lasting&) = delete;
  Lasting& operator=(const Lasting&) = delete;

  T& operator*() { return *std::launder(reinterpret_cast<T*>(storage_)); }
  const T& operator*() const { return *std::launder(reinterpret_cast<const T*>(storage_)); }

 private:
  alignas(T) unsigned char storage_[sizeof(T)];
};

}  // namespace Trident::Impl

#endif
