// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_NAMES_HPP
#define TRIDENT_NAMES_HPP

#include "base/Trident_Options.hpp"

namespace Trident::Impl {

/// An enumerator and its word in parameters, reports and messages.
template <class Enum>
struct Named {
  Enum value;
  const char* name;
};

/// All names of an enumeration, each once, in `all`.
template <class Enum>
struct NamesOf;

template <>
struct NamesOf<Algorithm> {
  static constexpr Named<Algorithm> all[] = {{Algorithm::Trident, "trident"},
                                             {Algorithm::Summa, "summa"}};
};
template <>
struct NamesOf<PartitionKind> {
  static constexpr Named<PartitionKind> all[] = {{PartitionKind::Aligned, "aligned"},
                                                 {PartitionKind::Uniform, "uniform"},
                                                 {PartitionKind::Balanced, "balanced"},
                                                 {PartitionKind::Work, "work"}};
};
template <>
struct NamesOf<GatherKind> {
  static constexpr Named<GatherKind> all[] = {{GatherKind::Auto, "auto"},
                                              {GatherKind::Mpi, "mpi"},
                                              {GatherKind::Shared, "shared"},
                                              {GatherKind::Nccl, "nccl"},
                                              {GatherKind::Peer, "peer"}};
};
template <>
struct NamesOf<FetchKind> {
  static constexpr Named<FetchKind> all[] = {{FetchKind::Auto, "auto"},
                                             {FetchKind::Tiles, "tiles"},
                                             {FetchKind::NeededRows, "needed-rows"}};
};
template <>
struct NamesOf<ExchangeKind> {
  static constexpr Named<ExchangeKind> all[] = {{ExchangeKind::Auto, "auto"},
                                                {ExchangeKind::RequestQueue, "request-queue"},
                                                {ExchangeKind::Prefetch, "prefetch"},
                                                {ExchangeKind::Ring, "ring"},
                                                {ExchangeKind::Nccl, "nccl"}};
};
template <>
struct NamesOf<DeviceMessages> {
  static constexpr Named<DeviceMessages> all[] = {{DeviceMessages::Auto, "auto"},
                                                  {DeviceMessages::Direct, "direct"},
                                                  {DeviceMessages::Staged, "staged"}};
};
template <>
struct NamesOf<KernelKind> {
  static constexpr Named<KernelKind> all[] = {{KernelKind::Auto, "auto"},
                                              {KernelKind::KokkosKernels, "kokkos-kernels"},
                                              {KernelKind::Host, "host"},
                                              {KernelKind::Device, "device"}};
};
template <>
struct NamesOf<SemiringKind> {
  static constexpr Named<SemiringKind> all[] = {{SemiringKind::PlusTimes, "plus-times"},
                                                {SemiringKind::MinPlus, "min-plus"},
                                                {SemiringKind::MaxMin, "max-min"},
                                                {SemiringKind::OrAnd, "or-and"},
                                                {SemiringKind::PlusSecond, "plus-second"}};
};
template <>
struct NamesOf<DropRelativeTo> {
  static constexpr Named<DropRelativeTo> all[] = {{DropRelativeTo::Nothing, "nothing"},
                                                  {DropRelativeTo::Largest, "largest"},
                                                  {DropRelativeTo::Sum, "sum"}};
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
