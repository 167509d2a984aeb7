// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_LASTING_HPP
#define TRIDENT_LASTING_HPP

#include <new>
#include <utility>

namespace Trident::Impl {

/// An object that lives as long as the process, however that ends: it lies in static storage, and
/// nothing destroys it. Programs end Kokkos and MPI in exit handlers and in destructors of static
/// objects, in any order, and what is Trident's must be there then. Leak checkers find what it
/// holds. All that src/ keeps for the process and that has a destructor is one of these; the test
/// `lasting` looks:
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
