// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_STUB_CUDA_RUNTIME_API_H
#define TRIDENT_STUB_CUDA_RUNTIME_API_H

#include <cstddef>

/// \file cuda_runtime_api.h
/// What Trident_NcclCommunicator_Nccl.cpp needs of CUDA, on a host: see Trident_StubNccl.hpp.

using cudaError_t = int;
using cudaStream_t = struct StubStream*;
using cudaEvent_t = struct StubEvent*;
constexpr cudaError_t cudaSuccess = 0, cudaErrorNotReady = 1;
constexpr unsigned cudaStreamNonBlocking = 0, cudaEventDisableTiming = 0;
enum cudaMemcpyKind { cudaMemcpyDeviceToHost };

cudaError_t cudaGetDevice(int* device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetLastError();
const char* cudaGetErrorString(cudaError_t code);
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaMemsetAsync(void* data, int value, std::size_t bytes, cudaStream_t stream);
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream);

#endif
