// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_CUDARUNTIME_HPP
#define TRIDENT_CUDARUNTIME_HPP

namespace Trident::Impl {

/// Throws Trident::Error, with the text of the call, if `code` (a cudaError_t) is not cudaSuccess.
/// Exists only in builds with CUDA.
void checkCuda(int code, const char* call, const char* file, int line);

/// Returns the number of devices that this process sees, even before Kokkos runs; 0 without CUDA,
/// or if the driver does not answer.
int deviceCount();

/// Returns true until CUDA's exit handler has run in this process. Always true in a build without
/// CUDA. May take as long as a copy.
bool deviceRuns() noexcept;

/// Returns true if a copy may still read a host's pageable memory after the call that started the
/// copy has returned. This is so on devices that use the host's page tables, such as GH200's. Asks
/// this thread's device, at the first call only.
bool readsPageableLate();

/// Returns the free bytes of this thread's device; 0 if unknown.
double freeDeviceBytes();

/// Returns the bytes of this thread's device, free or not; 0 if unknown.
double totalDeviceBytes();

}  // namespace Trident::Impl

/// Throws Trident::Error if a call of the CUDA runtime fails.
#define TRIDENT_CUDA_CHECK(call) ::Trident::Impl::checkCuda((call), #call, __FILE__, __LINE__)

#endif
