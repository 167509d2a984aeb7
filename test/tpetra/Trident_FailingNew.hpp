// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_FAILINGNEW_HPP
#define TRIDENT_FAILINGNEW_HPP

#include <Kokkos_Macros.hpp>
#include <cstddef>

/// \file Trident_FailingNew.hpp
/// Memory for objects that runs out when a test wants it to: an operator new of the program's own.

namespace TridentTest {

/// True if a program lives on that lacks memory for Kokkos' own bookkeeping. From 5 on Kokkos
/// allocates in functions that may not throw, which ends the program: no test of ours can probe it.
constexpr bool kokkosMayLackMemory = KOKKOS_VERSION < 50000;

/// Fails one operator new of this rank while it lives; one at a time. Counted are those made in the
/// export phase of a product, but for small ones: the library takes these for a few characters or
/// numbers without telling other ranks.
class FailingNew {
 public:
  static constexpr int never = -1;

  /// @param number of counted ones that succeed before the one that fails
  /// @param phases of export that end before counting begins: a product has one or two
  /// @param views of Trident's that are made in the next one before counting begins
  FailingNew(int number, int phases, int views);
  /// Counts objects that are larger than those taken for each rank, until Tpetra makes a Map. It
  /// does that together with the other ranks.
  static FailingNew beforeMaps(int number) { return FailingNew(number, 0, 0, 1000, "lgMap"); }
  /// Counts objects of so many bytes or more.
  static FailingNew ofBytes(std::size_t bytes, int number) {
    return FailingNew(number, 0, 0, bytes, nullptr);
  }
  ~FailingNew();
  FailingNew(const FailingNew&) = delete;
  FailingNew& operator=(const FailingNew&) = delete;

  /// Returns the number of counted objects; phases() and views() return the number of phases of
  /// export, and that of views in the last.
  static int seen();
  static int phases();
  static int views();
  /// Stops counting.
  static void end();

 private:
  FailingNew(int number, int phases, int views, std::size_t bytes, const char* label);
};

}  // namespace TridentTest

#endif
