// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_runtime_api.h>

#include <Kokkos_Core.hpp>
#include <cub/device/device_radix_sort.cuh>

#include "base/Trident_CudaCheck.hpp"
#include "base/Trident_Memory.hpp"
#include "matrix/Trident_SortNumbers.hpp"

namespace Trident::Impl {

void sortDeviceNumbers(Position* numbers, std::size_t count) {
  if (count == 0) return;
  const MemoryBlock other(MemoryKind::Device, "Trident::sortNumbers", count * sizeof(Position));
  cub::DoubleBuffer<Position> keys(numbers, reinterpret_cast<Position*>(other.data()));
  const Kokkos::Cuda cuda;
  std::size_t bytes = 0;
  TRIDENT_CUDA_CHECK(cub::DeviceRadixSort::SortKeys(
      nullptr, bytes, keys, count, 0, 8 * static_cast<int>(sizeof(Position)), cuda.cuda_stream()));
  const MemoryBlock temporary(MemoryKind::Device, "Trident::sortNumbers", bytes > 0 ? bytes : 1);
  TRIDENT_CUDA_CHECK(cub::DeviceRadixSort::SortKeys(temporary.data(), bytes, keys, count, 0,
                                                    8 * static_cast<int>(sizeof(Position)),
                                                    cuda.cuda_stream()));
  if (keys.Current() != numbers)
    TRIDENT_CUDA_CHECK(cudaMemcpyAsync(numbers, keys.Current(), count * sizeof(Position),
                                       cudaMemcpyDeviceToDevice, cuda.cuda_stream()));
  cuda.fence();  // before the room goes
}

}  // namespace Trident::Impl
