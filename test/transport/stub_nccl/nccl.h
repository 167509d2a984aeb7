// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_STUB_NCCL_H
#define TRIDENT_STUB_NCCL_H

#include "cuda_runtime_api.h"

/// \file nccl.h
/// What Trident needs of NCCL, on a host: see Trident_StubNccl.hpp.

enum ncclResult_t {
  ncclSuccess,
  ncclInternalError,
  ncclInvalidArgument,
  ncclInvalidUsage,
  ncclInProgress
};
enum ncclDataType_t { ncclChar };
using ncclComm_t = struct StubComm*;
struct ncclUniqueId {
  int number;
};
struct ncclConfig_t {
  int blocking, splitShare;
};
struct ncclSimInfo_t {
  unsigned magic;
};
#define NCCL_CONFIG_INITIALIZER \
  { 1, 0 }

ncclResult_t ncclGetUniqueId(ncclUniqueId* id);
ncclResult_t ncclCommInitRankConfig(ncclComm_t* comm, int ranks, ncclUniqueId id, int rank,
                                    ncclConfig_t* config);
ncclResult_t ncclCommSplit(ncclComm_t comm, int color, int key, ncclComm_t* child,
                           ncclConfig_t* config);
ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* code);
ncclResult_t ncclCommFinalize(ncclComm_t comm);
ncclResult_t ncclCommDestroy(ncclComm_t comm);
ncclResult_t ncclCommAbort(ncclComm_t comm);
ncclResult_t ncclGroupStart();
ncclResult_t ncclGroupEnd();
ncclResult_t ncclGroupSimulateEnd(ncclSimInfo_t* info);
ncclResult_t ncclSend(const void* data, std::size_t count, ncclDataType_t type, int peer,
                      ncclComm_t comm, cudaStream_t stream);
ncclResult_t ncclRecv(void* data, std::size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream);
const char* ncclGetErrorString(ncclResult_t code);
const char* ncclGetLastError(ncclComm_t comm);

#endif
