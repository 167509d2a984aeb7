// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_CUDACHECK_HPP
#define TRIDENT_CUDACHECK_HPP

namespace Trident::Impl {

/// Throws Trident::Error naming the call when `code`, a cudaError_t, is not cudaSuccess. Only in
/// builds with CUDA.
void checkCuda(int code, const char* call, const char* file, int line);

}  // namespace Trident::Impl

/// Checks a call of the CUDA runtime; throws Trident::Error.
#define TRIDENT_CUDA_CHECK(call) ::Trident::Impl::checkCuda((call), #call, __FILE__, __LINE__)

#endif
