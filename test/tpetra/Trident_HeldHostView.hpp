// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_HELDHOSTVIEW_HPP
#define TRIDENT_HELDHOSTVIEW_HPP

#include "Trident_TestMatrices.hpp"

/// \file Trident_HeldHostView.hpp
/// A host view of a matrix's values that the caller of a product keeps. There is a file for
/// devices, which takes one, and one for hosts, where Tpetra throws nothing for it: a function of
/// Tpetra's that the program replaces stands for that.

namespace TridentTest {

/// While it lives, Tpetra refuses this rank the matrix's values on the device; one at a time.
class HeldHostView {
 public:
  /// Returns true if a host view keeps a device from values here: not if they share memory.
  static bool keepsDeviceAway();

  explicit HeldHostView(const matrix_type& matrix);
  ~HeldHostView();
  HeldHostView(const HeldHostView&) = delete;
  HeldHostView& operator=(const HeldHostView&) = delete;
};

}  // namespace TridentTest

#endif
