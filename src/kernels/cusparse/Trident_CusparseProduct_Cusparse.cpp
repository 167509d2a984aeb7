// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_runtime_api.h>
#include <cusparse.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <string>

#include "Trident_Error.hpp"
#include "base/Trident_CudaRuntime.hpp"
#include "base/Trident_Ends.hpp"
#include "base/Trident_Lasting.hpp"
#include "base/Trident_Memory.hpp"
#include "kernels/cusparse/Trident_CusparseProduct.hpp"

#if CUSPARSE_VERSION < 12000
#error Trident needs the cuSPARSE of CUDA 12 or later; configure with Trident_ENABLE_CUSPARSE=OFF
#endif

/// Checks a cuSPARSE call; throws Trident::Error.
#define TRIDENT_CUSPARSE_CHECK(call) checkCusparse((call), #call, __FILE__, __LINE__)

/// The twin for destructors and callbacks.
#define TRIDENT_CUSPARSE_CHECK_NOTHROW(call) static_cast<void>(call)

namespace Trident::Impl {
namespace {

/// Throws Trident::Error naming the call when `status` is not success.
void checkCusparse(cusparseStatus_t status, const char* call, const char* file, int line) {
  if (status == CUSPARSE_STATUS_SUCCESS) return;
  throw Error(std::string(file) + ":" + std::to_string(line) + ": " + call +
              " failed: " + cusparseGetErrorString(status) +
              "; \"kernel\" = \"kokkos-kernels\" does without cuSPARSE");
}

struct DeviceHandle {
  cusparseHandle_t handle = nullptr;
  MemoryBlock workspace;
};

std::mutex mutex;

/// Returns the handles by device, which the mutex guards.
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

/// Returns the handle of the present device, with the mutex held. An entry of a map stays where it
/// is.
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

/// Returns the handle of this process on its present device, made at first use and destroyed before
/// Kokkos ends; it runs on Kokkos' default stream. Throws Trident::Error.
cusparseHandle_t cusparseHandle() {
  const std::lock_guard<std::mutex> lock(mutex);
  const cusparseHandle_t handle = handleOfDevice().handle;
  TRIDENT_CUSPARSE_CHECK(cusparseSetStream(handle, Kokkos::Cuda().cuda_stream()));
  return handle;
}

/// Returns device memory of at least that many bytes, kept with the handle for calls of one thread,
/// one after the other. What was in it is lost with the next call.
void* cusparseWorkspace(std::size_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex);
  MemoryBlock& workspace = handleOfDevice().workspace;
  if (workspace.size() < bytes || !workspace.data()) {
    workspace = MemoryBlock();  // before the larger one, which may not fit beside it
    workspace =
        MemoryBlock(MemoryKind::Device, "Trident::cusparseWorkspace", bytes + bytes / 4 + 1);
  }
  return workspace.data();
}

/// A scalar in cuSPARSE's terms, with its one and zero on the host.
struct ScalarType {
  cudaDataType type;
  std::size_t bytes;
  bool isDouble;
  double doubles[4] = {1, 0, 0, 0};
  float floats[4] = {1, 0, 0, 0};

  const void* one() const { return isDouble ? static_cast<const void*>(doubles) : floats; }
  const void* zero() const { return isDouble ? static_cast<const void*>(doubles + 2) : floats + 2; }
};

ScalarType typeOf(CusparseScalar scalar) {
  switch (scalar) {
    case CusparseScalar::Float:
      return {CUDA_R_32F, 4, false};
    case CusparseScalar::Double:
      return {CUDA_R_64F, 8, true};
    case CusparseScalar::ComplexFloat:
      return {CUDA_C_32F, 8, false};
    case CusparseScalar::ComplexDouble:
      return {CUDA_C_64F, 16, true};
    case CusparseScalar::None:
      break;
  }
  throw Error("Trident::CusparseProduct",
              "cuSPARSE does not know this scalar; use \"kernel\" = \"kokkos-kernels\"");
}

/// Makes a workspace. cuSPARSE takes a null buffer for a question, so there is none without memory.
MemoryBlock workspaceOf(std::size_t bytes) {
  return MemoryBlock(MemoryKind::Device, "Trident::cusparseProduct",
                     std::max<std::size_t>(bytes, 64));
}

struct MatrixDescriptor {
  cusparseSpMatDescr_t descriptor = nullptr;

  MatrixDescriptor(const CusparseMatrix& m, cudaDataType type) {
    TRIDENT_CUSPARSE_CHECK(
        cusparseCreateCsr(&descriptor, m.rows, m.columns, m.entries, const_cast<int*>(m.offsets),
                          const_cast<int*>(m.indices), const_cast<void*>(m.values),
                          CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type));
  }
  ~MatrixDescriptor() { TRIDENT_CUSPARSE_CHECK_NOTHROW(cusparseDestroySpMat(descriptor)); }
  MatrixDescriptor(const MatrixDescriptor&) = delete;
  MatrixDescriptor& operator=(const MatrixDescriptor&) = delete;
};

struct ProductDescriptor {
  cusparseSpGEMMDescr_t descriptor = nullptr;

  ProductDescriptor() { TRIDENT_CUSPARSE_CHECK(cusparseSpGEMM_createDescr(&descriptor)); }
  ~ProductDescriptor() { TRIDENT_CUSPARSE_CHECK_NOTHROW(cusparseSpGEMM_destroyDescr(descriptor)); }
  ProductDescriptor(const ProductDescriptor&) = delete;
  ProductDescriptor& operator=(const ProductDescriptor&) = delete;
};

/// An algorithm; `chunk` is the share of the products that ALG3 holds at once.
struct Attempt {
  cusparseSpGEMMAlg_t algorithm;
  float chunk;
};
constexpr Attempt attempts[] = {{CUSPARSE_SPGEMM_ALG1, 1.0f},
                                {CUSPARSE_SPGEMM_ALG2, 1.0f},
                                {CUSPARSE_SPGEMM_ALG3, 0.2f},
                                {CUSPARSE_SPGEMM_ALG3, 0.05f},
                                {CUSPARSE_SPGEMM_ALG3, 0.01f}};
constexpr cusparseOperation_t asIs = CUSPARSE_OPERATION_NON_TRANSPOSE;

}  // namespace

struct CusparseProduct::State {
  ScalarType scalar;
  cusparseHandle_t handle;
  MatrixDescriptor A, B, C;
  int* offsetsC;
  std::size_t bytesOfC;  // at most, where no two products meet
  std::unique_ptr<ProductDescriptor> product;
  Attempt attempt{};
  MemoryBlock estimation, computation;
  int entries = 0;

  State(CusparseScalar kind, const CusparseMatrix& a, const CusparseMatrix& b,
        long long multiplyAdds, int* offsets)
      : scalar(typeOf(kind)),
        handle(cusparseHandle()),
        A(a, scalar.type),
        B(b, scalar.type),
        C({a.rows, b.columns, 0, offsets, nullptr, nullptr}, scalar.type),
        offsetsC(offsets),
        bytesOfC(static_cast<std::size_t>(multiplyAdds) * (sizeof(int) + scalar.bytes)) {}

  /// Returns true if the device has room for a workspace, and then some for C. How much C needs is
  /// not known yet: its bound, but where products meet often that is far too much.
  bool fits(std::size_t bytes) const {
    const auto free = static_cast<std::size_t>(freeDeviceBytes());
    return bytes + std::min(bytesOfC, free / 4) <= free;
  }

  cusparseStatus_t estimateWork(std::size_t& bytes, void* buffer) {
    return cusparseSpGEMM_workEstimation(handle, asIs, asIs, scalar.one(), A.descriptor,
                                         B.descriptor, scalar.zero(), C.descriptor, scalar.type,
                                         attempt.algorithm, product->descriptor, &bytes, buffer);
  }
  cusparseStatus_t estimateMemory(std::size_t& bytes, void* buffer, std::size_t* computationBytes) {
    return cusparseSpGEMM_estimateMemory(handle, asIs, asIs, scalar.one(), A.descriptor,
                                         B.descriptor, scalar.zero(), C.descriptor, scalar.type,
                                         attempt.algorithm, product->descriptor, attempt.chunk,
                                         &bytes, buffer, computationBytes);
  }
  cusparseStatus_t compute(std::size_t& bytes, void* buffer) {
    return cusparseSpGEMM_compute(handle, asIs, asIs, scalar.one(), A.descriptor, B.descriptor,
                                  scalar.zero(), C.descriptor, scalar.type, attempt.algorithm,
                                  product->descriptor, &bytes, buffer);
  }

  /// Returns false if memory, or cuSPARSE's integers inside an algorithm, do not suffice.
  static bool suffices(cusparseStatus_t status, const char* call) {
    if (status == CUSPARSE_STATUS_INSUFFICIENT_RESOURCES || status == CUSPARSE_STATUS_ALLOC_FAILED)
      return false;
    checkCusparse(status, call, __FILE__, __LINE__);
    return true;
  }

  /// Finds the bytes that compute() will need; returns false if there is no room to ask.
  bool computationBytes(std::size_t& bytes) {
    if (attempt.algorithm == CUSPARSE_SPGEMM_ALG1)
      return suffices(compute(bytes, nullptr), "cusparseSpGEMM_compute");
    std::size_t own = 0;
    if (!suffices(estimateMemory(own, nullptr, nullptr), "cusparseSpGEMM_estimateMemory") ||
        !fits(own))
      return false;
    const MemoryBlock block = workspaceOf(own);
    return suffices(estimateMemory(own, block.data(), &bytes), "cusparseSpGEMM_estimateMemory");
  }

  bool succeeds(const Attempt& next) {
    attempt = next;
    estimation = computation = MemoryBlock();
    product = std::make_unique<ProductDescriptor>();
    std::size_t bytes = 0;
    if (!suffices(estimateWork(bytes, nullptr), "cusparseSpGEMM_workEstimation") || !fits(bytes))
      return false;
    estimation = workspaceOf(bytes);
    if (!suffices(estimateWork(bytes, estimation.data()), "cusparseSpGEMM_workEstimation"))
      return false;
    if (!computationBytes(bytes) || !fits(bytes)) return false;
    computation = workspaceOf(bytes);
    return suffices(compute(bytes, computation.data()), "cusparseSpGEMM_compute");
  }
};

bool hasCusparse() { return true; }

CusparseProduct::CusparseProduct(CusparseScalar scalar, const CusparseMatrix& A,
                                 const CusparseMatrix& B, long long multiplyAdds, int* offsetsC) {
  constexpr long long most = std::numeric_limits<int>::max();
  if (multiplyAdds > most)
    throw Error("Trident::CusparseProduct", "cuSPARSE takes less than 2^31 products at once, not " +
                                                std::to_string(multiplyAdds) +
                                                "; use \"kernel\" = \"kokkos-kernels\"");
  state_ = std::make_unique<State>(scalar, A, B, multiplyAdds, offsetsC);
  for (const Attempt& attempt : attempts) {
    if (!state_->succeeds(attempt)) continue;
    std::int64_t rows = 0, columns = 0, entries = 0;
    TRIDENT_CUSPARSE_CHECK(cusparseSpMatGetSize(state_->C.descriptor, &rows, &columns, &entries));
    if (entries < 0 || entries > multiplyAdds)
      throw Error("Trident::CusparseProduct", "cuSPARSE counts " + std::to_string(entries) +
                                                  " entries of " + std::to_string(multiplyAdds) +
                                                  " products; use \"kernel\" = \"kokkos-kernels\"");
    state_->entries = static_cast<int>(entries);
    return;
  }
  throw Error("Trident::CusparseProduct",
              "no algorithm of cuSPARSE has room for " + std::to_string(multiplyAdds) +
                  " products in " +
                  std::to_string(static_cast<std::size_t>(freeDeviceBytes()) >> 20) +
                  " MiB of free device memory; use \"kernel\" = \"kokkos-kernels\", less \"memory "
                  "bytes\" or more ranks");
}

CusparseProduct::~CusparseProduct() = default;

int CusparseProduct::entries() const { return state_->entries; }

void CusparseProduct::copy(int* columns, void* values) {
  State& s = *state_;
  TRIDENT_CUSPARSE_CHECK(cusparseCsrSetPointers(s.C.descriptor, s.offsetsC, columns, values));
  TRIDENT_CUSPARSE_CHECK(cusparseSpGEMM_copy(
      s.handle, asIs, asIs, s.scalar.one(), s.A.descriptor, s.B.descriptor, s.scalar.zero(),
      s.C.descriptor, s.scalar.type, s.attempt.algorithm, s.product->descriptor));
  Kokkos::Cuda().fence();  // it reads the workspaces until its end
}

namespace {

/// The csrgeam2 of a scalar.
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

/// Calls `work` with the functions of a scalar.
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

/// A general matrix that counts from 0, as all here are.
struct Description {
  cusparseMatDescr_t descriptor = nullptr;

  Description() { TRIDENT_CUSPARSE_CHECK(cusparseCreateMatDescr(&descriptor)); }
  ~Description() { TRIDENT_CUSPARSE_CHECK_NOTHROW(cusparseDestroyMatDescr(descriptor)); }
  Description(const Description&) = delete;
  Description& operator=(const Description&) = delete;
};

}  // namespace

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
