// SPDX-License-Identifier: BSD-3-Clause
#include <optional>
#include <utility>

#include "Trident_HeldHostView.hpp"

namespace TridentTest {
namespace {

using Held = decltype(std::declval<matrix_type>().getLocalMatrixHost());

std::optional<Held>& held() {
  static std::optional<Held> view;
  return view;
}

}  // namespace

bool HeldHostView::keepsDeviceAway() {
  return !Kokkos::SpaceAccessibility<Kokkos::HostSpace,
                                     matrix_type::node_type::device_type::memory_space>::accessible;
}
HeldHostView::HeldHostView(const matrix_type& matrix) { held() = matrix.getLocalMatrixHost(); }
HeldHostView::~HeldHostView() { held().reset(); }

}  // namespace TridentTest
