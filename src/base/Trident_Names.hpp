// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_NAMES_HPP
#define TRIDENT_NAMES_HPP

#include <array>
#include <cstddef>

#include "base/Trident_Options.hpp"

namespace Trident::Impl {

/// An enumerator, and its word in parameters, reports and messages.
template <class Enum>
struct Named {
  Enum value;
  const char* name;
};

/// Makes a table of an enumeration's words, which are given in the order of its enumerators.
template <class Enum, class... Words>
constexpr auto named(Words... words) {
  std::array<Named<Enum>, sizeof...(words)> all{Named<Enum>{Enum(), words}...};
  for (std::size_t e = 0; e < all.size(); ++e) all[e].value = static_cast<Enum>(e);
  return all;
}

constexpr auto namesOf(Algorithm) { return named<Algorithm>("trident", "summa"); }
constexpr auto namesOf(PartitionKind) {
  return named<PartitionKind>("aligned", "uniform", "balanced", "work");
}
constexpr auto namesOf(GatherKind) {
  return named<GatherKind>("auto", "mpi", "shared", "nccl", "peer");
}
constexpr auto namesOf(FetchKind) { return named<FetchKind>("auto", "tiles", "needed-rows"); }
constexpr auto namesOf(ExchangeKind) {
  return named<ExchangeKind>("auto", "request-queue", "prefetch", "ring", "nccl");
}
constexpr auto namesOf(DeviceMessages) { return named<DeviceMessages>("auto", "direct", "staged"); }
constexpr auto namesOf(KernelKind) {
  return named<KernelKind>("auto", "kokkos-kernels", "host", "device");
}
constexpr auto namesOf(SemiringKind) {
  return named<SemiringKind>("plus-times", "min-plus", "max-min", "or-and", "plus-second");
}
constexpr auto namesOf(DropRelativeTo) {
  return named<DropRelativeTo>("nothing", "largest", "sum");
}

/// The table of an enumeration's words, as `all`.
template <class Enum>
struct NamesOf {
  static constexpr auto all = namesOf(Enum());
};

/// Returns the word for an enumerator.
template <class Enum>
constexpr const char* nameOf(Enum value) {
  for (const Named<Enum>& named : NamesOf<Enum>::all)
    if (named.value == value) return named.name;
  return "";
}

}  // namespace Trident::Impl

#endif
