// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_runtime_api.h>
#include <cusparse.h>

#include <Kokkos_Core.hpp>
#include <map>
#include <mutex>
#include <string>

#include "Trident_Error.hpp"
#include "base/Trident_CudaRuntime.hpp"
#include "base/Trident_Ends.hpp"
#include "base/Trident_Lasting.hpp"
#include "base/Trident_Memory.hpp"
#include "kernels/cusparse/Trident_CusparseSum.hpp"

#if CUSPARSE_VERSION < 12000
#error Trident needs the cuSPARSE of CUDA 12 or later; configure with Trident_ENABLE_CUSPARSE=OFF
#endif

/// Checks a cuSPARSE call; throws Trident::Error.
#define TRIDENT_CUSPARSE_CHECK(call) checkCusparse((call), #call, __FILE__, __LINE__)

/// Makes a cuSPARSE call in a destructor or callback, and ignores its errors.
#define TRIDENT_CUSPARSE_CHECK_NOTHROW(call) static_cast<void>(call)

namespace Trident::Impl {
namespace {

/// Throws Trident::Error with the name of the call if `status` is not success.
void checkCusparse(cusparseStatus_t status, const char* call, const char* file, int line) {
  if (status == CUSPARSE_STATUS_SUCCESS) return;
  throw Error(std::string(file) + ":" + std::to_string(line) + ": " + call +
              " failed: " + cusparseGetErrorString(status));
}

struct DeviceHandle {
  cusparseHandle_t handle = nullptr;
  MemoryBlock workspace;
};

std::mutex mutex;

/// Returns the handles by device. The caller holds the mutex.
std::map<int, DeviceHandle>& handles() {
  static Lasting<std::map<int, DeviceHandle>> all;
  return *all;
}

void destroyHandles() {
  const std::lock_guard<std::mutex> lock(mutex);
  for (auto& entry : handles())
    TRIDENT_CUSPARSE_CHECK_NOTHROW(cusparseDestroy(entry.second.handle));
  handles().clear();
}

/// Returns the present device's handle. If there is none, makes one. The caller holds the mutex.
DeviceHandle& handleOfDevice() {
  int device = 0;
  TRIDENT_CUDA_CHECK(cudaGetDevice(&device));
  DeviceHandle& entry = handles()[device];
  if (!entry.handle) {
    TRIDENT_CUSPARSE_CHECK(cusparseCreate(&entry.handle));
    atKokkosEnd(destroyHandles);
  }
  return entry;
}

/// Returns this process's handle on its present device, for Kokkos' default stream. The first call
/// makes the handle, which is destroyed before Kokkos ends. Throws Trident::Error.
cusparseHandle_t cusparseHandle() {
  const std::lock_guard<std::mutex> lock(mutex);
  const cusparseHandle_t handle = handleOfDevice().handle;
  TRIDENT_CUSPARSE_CHECK(cusparseSetStream(handle, Kokkos::Cuda().cuda_stream()));
  return handle;
}

/// Returns device memory of at least `bytes` bytes, which the handle owns. The next call may free
/// this memory, so only one thread may call at a time.
void* cusparseWorkspace(std::size_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex);
  MemoryBlock& workspace = handleOfDevice().workspace;
  if (workspace.size() < bytes || !workspace.data()) {
    workspace = MemoryBlock();  // freed first, because old and new memory may not fit together
    workspace =
        MemoryBlock(MemoryKind::Device, "Trident::cusparseWorkspace", bytes + bytes / 4 + 1);
  }
  return workspace.data();
}

/// The csrgeam2 functions of a scalar.
struct FloatSum {
  using Value = float;
  static constexpr auto bufferSize = cusparseScsrgeam2_bufferSizeExt;
  static constexpr auto sum = cusparseScsrgeam2;
  static constexpr Value one = 1;
};
struct DoubleSum {
  using Value = double;
  static constexpr auto bufferSize = cusparseDcsrgeam2_bufferSizeExt;
  static constexpr auto sum = cusparseDcsrgeam2;
  static constexpr Value one = 1;
};
struct ComplexFloatSum {
  using Value = cuComplex;
  static constexpr auto bufferSize = cusparseCcsrgeam2_bufferSizeExt;
  static constexpr auto sum = cusparseCcsrgeam2;
  static constexpr Value one = {1, 0};
};
struct ComplexDoubleSum {
  using Value = cuDoubleComplex;
  static constexpr auto bufferSize = cusparseZcsrgeam2_bufferSizeExt;
  static constexpr auto sum = cusparseZcsrgeam2;
  static constexpr Value one = {1, 0};
};

/// Runs `work` with the csrgeam2 functions of a scalar.
template <class Work>
void withScalar(CusparseScalar scalar, Work&& work) {
  switch (scalar) {
    case CusparseScalar::Float:
      return work(FloatSum());
    case CusparseScalar::Double:
      return work(DoubleSum());
    case CusparseScalar::ComplexFloat:
      return work(ComplexFloatSum());
    case CusparseScalar::ComplexDouble:
      return work(ComplexDoubleSum());
    case CusparseScalar::None:
      break;
  }
  throw Error("Trident::CusparseSum", "cuSPARSE does not know this scalar");
}

/// A description of a general matrix whose indices begin at 0, as everywhere in Trident.
struct Description {
  cusparseMatDescr_t descriptor = nullptr;

  Description() { TRIDENT_CUSPARSE_CHECK(cusparseCreateMatDescr(&descriptor)); }
  ~Description() { TRIDENT_CUSPARSE_CHECK_NOTHROW(cusparseDestroyMatDescr(descriptor)); }
  Description(const Description&) = delete;
  Description& operator=(const Description&) = delete;
};

}  // namespace

bool hasCusparse() { return true; }

struct CusparseSum::State {
  CusparseScalar scalar;
  CusparseMatrix A, B;
  int* offsetsC;
  Description general;
  void* workspace = nullptr;
  int entries = 0;
};

CusparseSum::CusparseSum(CusparseScalar scalar, const CusparseMatrix& A, const CusparseMatrix& B,
                         int* offsetsC)
    : state_(new State{scalar, A, B, offsetsC, {}, nullptr, 0}) {
  const cusparseHandle_t handle = cusparseHandle();
  const cusparseMatDescr_t general = state_->general.descriptor;
  std::size_t bytes = 0;
  withScalar(scalar, [&](auto functions) {
    using Functions = decltype(functions);
    using Value = typename Functions::Value;
    const Value one = Functions::one;
    TRIDENT_CUSPARSE_CHECK(Functions::bufferSize(
        handle, A.rows, A.columns, &one, general, A.entries, static_cast<const Value*>(A.values),
        A.offsets, A.indices, &one, general, B.entries, static_cast<const Value*>(B.values),
        B.offsets, B.indices, general, nullptr, offsetsC, nullptr, &bytes));
  });
  state_->workspace = cusparseWorkspace(bytes);
  TRIDENT_CUSPARSE_CHECK(cusparseXcsrgeam2Nnz(
      handle, A.rows, A.columns, general, A.entries, A.offsets, A.indices, general, B.entries,
      B.offsets, B.indices, general, offsetsC, &state_->entries, state_->workspace));
}

CusparseSum::~CusparseSum() = default;

int CusparseSum::entries() const { return state_->entries; }

void CusparseSum::compute(int* columns, void* values) {
  const State& s = *state_;
  const cusparseMatDescr_t general = s.general.descriptor;
  withScalar(s.scalar, [&](auto functions) {
    using Functions = decltype(functions);
    using Value = typename Functions::Value;
    const Value one = Functions::one;
    TRIDENT_CUSPARSE_CHECK(Functions::sum(
        cusparseHandle(), s.A.rows, s.A.columns, &one, general, s.A.entries,
        static_cast<const Value*>(s.A.values), s.A.offsets, s.A.indices, &one, general, s.B.entries,
        static_cast<const Value*>(s.B.values), s.B.offsets, s.B.indices, general,
        static_cast<Value*>(values), s.offsetsC, columns, s.workspace));
  });
}

}  // namespace Trident::Impl
