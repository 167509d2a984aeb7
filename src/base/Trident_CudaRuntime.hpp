// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_CUDARUNTIME_HPP
#define TRIDENT_CUDARUNTIME_HPP

namespace Trident::Impl {

/// Throws Trident::Error naming the call when `code`, a cudaError_t, is not cudaSuccess. Only in
/// builds with CUDA.
void checkCuda(int code, const char* call, const char* file, int line);

/// Returns the number of devices that this process sees, before Kokkos runs. It is 0 if Kokkos has
/// none or the driver does not answer.
int deviceCount();

/// Returns true while CUDA works in this process: until its exit handler runs, and always without
/// CUDA. May take as long as a copy.
bool deviceRuns() noexcept;

/// Returns true if a copy may still read a host's pageable memory after the call that started it
/// has returned. Devices that use the host's page tables do so, such as GH200's; others have staged
/// it by then. It asks once, about this thread's device.
bool readsPageableLate();

/// Returns the free bytes of this thread's device; 0 if that is not known.
double freeDeviceBytes();

/// Returns all bytes of this thread's device; 0 if that is not known.
double totalDeviceBytes();

}  // namespace Trident::Impl

/// Checks a call of the CUDA runtime; throws Trident::Error.
#define TRIDENT_CUDA_CHECK(call) ::Trident::Impl::checkCuda((call), #call, __FILE__, __LINE__)

#endif
