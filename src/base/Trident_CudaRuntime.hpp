// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_CUDARUNTIME_HPP
#define TRIDENT_CUDARUNTIME_HPP

namespace Trident::Impl {

/// Throws Trident::Error naming the call when `code`, a cudaError_t, is not cudaSuccess. Only in
/// builds with CUDA.
void checkCuda(int code, const char* call, const char* file, int line);

/// Devices that this process sees, before Kokkos runs; 0 where Kokkos has none or the driver does
/// not answer.
int deviceCount();

/// Returns whether CUDA still works in this process: false once CUDA's exit handler has run.
/// Returns true without CUDA. May take as long as a copy.
bool deviceRuns() noexcept;

/// Whether a copy may still read a host's pageable memory when the call that started it has
/// returned: on devices that use the host's page tables, as GH200's. Others have staged it by then.
/// Of this thread's device; asked once.
bool readsPageableLate();

/// Free bytes of this thread's device; 0 where that is not known.
double freeDeviceBytes();

/// All bytes of this thread's device; 0 where that is not known.
double totalDeviceBytes();

}  // namespace Trident::Impl

/// Checks a call of the CUDA runtime; throws Trident::Error.
#define TRIDENT_CUDA_CHECK(call) ::Trident::Impl::checkCuda((call), #call, __FILE__, __LINE__)

#endif
