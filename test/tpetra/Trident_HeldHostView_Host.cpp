// SPDX-License-Identifier: BSD-3-Clause
#include <stdexcept>

#include "Trident_HeldHostView.hpp"

namespace TridentTest {
namespace {

const matrix_type* held = nullptr;

}  // namespace

bool HeldHostView::keepsDeviceAway() { return true; }
HeldHostView::HeldHostView(const matrix_type& matrix) { held = &matrix; }
HeldHostView::~HeldHostView() { held = nullptr; }

}  // namespace TridentTest

// Replaces Tpetra's function, whose symbol is a weak one. On a host both local matrices are one.
template <>
TridentTest::matrix_type::local_matrix_device_type TridentTest::matrix_type::getLocalMatrixDevice()
    const {
  if (this == TridentTest::held)
    throw std::runtime_error("Cannot access data on device while a host view is alive");
  return getLocalMatrixHost();
}
