// SPDX-License-Identifier: BSD-3-Clause
// A·A of one rank by each local kernel: the product, the sort of its rows, and its values alone, as
// a reused plan computes them. One JSON object a line.
//
//   Trident_LocalKernels.exe [--repeat N] [--kernel NAME] [--teams] [--semirings] <matrix> ...
//
// The kernel "device" is timed once more where sums may be in any order ("reproducible" = false).
// Workspace that it kept from a product before is not counted.
//
// A matrix is what the driver takes: er:n=1000000,d=16, brick3d:n=150, laplace3d:n=200,
// brick2d:n=4096, laplace2d:n=4096, or a file .mtx, .mtx.gz, .bin. Seconds are the median of N (5)
// after one run to warm up, with the device at rest before and after. C·x is compared with A·(A·x)
// for every kernel; the exit code is 1 where they differ by more than 1e-10, relatively. --teams
// adds the product by Kokkos' teams, which "device" is where there is no kernel for CUDA.
// --semirings adds A·A over each semiring: whole, and within and outside of the structure of A.
// These values are not checked.
//
// "fraction" is the time that the bytes which have to move at least would take at the rate of a
// device-to-device copy, measured here, divided by the measured time. These bytes are
//   product, values:  A and B read once, C written once; the values alone also read C's structure
//   sort:             C's entries read and written once, its offsets read
// where an entry is 4 bytes of column and those of its value, and a row 8 bytes of offset. Rows of
// B that are read again, from a cache or not, are not in them: no product gets to 1 where rows of B
// are used often.

#include <Kokkos_Core.hpp>
#include <Tpetra_Core.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "TridentProblems_Memory.hpp"
#include "TridentProblems_ReadMatrix.hpp"
#include "Trident_ScopeGuard.hpp"
#include "base/Trident_Names.hpp"
#include "kernels/Trident_LocalMultiply.hpp"
#include "kernels/Trident_NumericProduct.hpp"
#include "kernels/Trident_SemiringProduct_decl.hpp"
#include "kernels/teams/Trident_TeamProduct.hpp"
#include "matrix/Trident_MultiplyAdds.hpp"
#include "matrix/Trident_SortRows.hpp"

namespace {

using Device = Trident::Problems::matrix_type::device_type;
using Scalar = Trident::Problems::scalar_type;
using Matrix = Trident::Impl::LocalMatrix<Scalar, Device>;
using Vector = Kokkos::View<Scalar*, Device>;

constexpr double tolerance = 1e-10;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Returns the median seconds of `work`; `before` each is not timed. Runs both once more, to warm
/// up.
template <class Before, class Work>
double medianSeconds(int repeat, const Before& before, const Work& work) {
  std::vector<double> seconds;
  for (int n = 0; n <= repeat; ++n) {
    before();
    Kokkos::fence();
    const double start = now();
    work();
    Kokkos::fence();
    if (n > 0) seconds.push_back(now() - start);
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}

/// Returns the bytes a second, read and written together, of a copy inside the device's memory.
double copyRate(int repeat) {
  const std::size_t count = std::size_t(1) << (Trident::Impl::isHost<Device> ? 24 : 27);
  const Kokkos::View<double*, Device> from("from", count), to("to", count);
  const double seconds = medianSeconds(
      repeat, [] {}, [&] { Kokkos::deep_copy(to, from); });
  return 2.0 * count * sizeof(double) / seconds;
}

/// Finds the place of each of Tpetra's local columns among the rows.
Kokkos::View<int*, Device> columnsToRows(const Trident::Problems::matrix_type& A) {
  const auto columns = A.getColMap(), rows = A.getRowMap();
  std::vector<int> rowOf(Trident::Problems::numLocalElements(*columns));
  for (std::size_t c = 0; c < rowOf.size(); ++c)
    rowOf[c] = rows->getLocalElement(columns->getGlobalElement(static_cast<int>(c)));
  return Trident::Impl::toDevice<int, Device>(rowOf);
}

void relabel(const Kokkos::View<int*, Device>& columns, const Kokkos::View<int*, Device>& rowOf) {
  Kokkos::parallel_for(
      "relabel", Trident::Impl::Range<Device>(0, columns.extent(0)),
      KOKKOS_LAMBDA(long long e) { columns(e) = rowOf(columns(e)); });
}

/// Copies a matrix's arrays, rows sorted and columns numbered as rows.
Matrix readLocal(const std::string& spec) {
  const auto read = Trident::Problems::readMatrix(spec, Tpetra::getDefaultComm());
  const Trident::Problems::matrix_type& A = *read.matrix;
  if (A.getGlobalNumRows() != A.getDomainMap()->getGlobalNumElements())
    throw std::runtime_error(spec + " is not square, so there is no A·A");
  const auto local = A.getLocalMatrixDevice();
  Trident::Impl::CrsArrays<Scalar, Device> arrays;
  const auto offsets =
      Trident::Impl::uninitialized<std::size_t, Device>("offsets", local.numRows() + 1);
  arrays.columns = Trident::Impl::uninitialized<int, Device>("columns", local.nnz());
  arrays.values = Trident::Impl::uninitialized<Scalar, Device>("values", local.nnz());
  Kokkos::deep_copy(offsets, local.graph.row_map);
  arrays.offsets = offsets;
  Kokkos::deep_copy(arrays.columns, local.graph.entries);
  Kokkos::deep_copy(arrays.values, local.values);
  relabel(arrays.columns, columnsToRows(A));
  const Matrix copy = arrays.matrix(local.numRows());
  Trident::Impl::sortRows<Scalar, Device>(copy);
  return copy;
}

Vector times(const Matrix& A, const Vector& x) {
  const Vector y("y", A.numRows());
  const auto offsets = A.graph.row_map;
  const auto columns = A.graph.entries;
  const auto values = A.values;
  Kokkos::parallel_for(
      "times", Trident::Impl::Range<Device>(0, A.numRows()), KOKKOS_LAMBDA(long long r) {
        Scalar sum(0);
        for (std::size_t e = offsets(r); e < offsets(r + 1); ++e) sum += values(e) * x(columns(e));
        y(r) = sum;
      });
  return y;
}

/// Numbers in [1, 2) without a pattern.
Vector someVector(int size) {
  const Vector x("x", size);
  Kokkos::parallel_for(
      "someVector", Trident::Impl::Range<Device>(0, size), KOKKOS_LAMBDA(long long i) {
        const unsigned long long mixed = (i + 1) * 0x9E3779B97F4A7C15ull;
        x(i) = 1.0 + static_cast<double>(mixed >> 40) / (1 << 24);
      });
  return x;
}

double norm(const Vector& x, const Vector& minus) {
  double sum = 0;
  Kokkos::parallel_reduce(
      "norm", Trident::Impl::Range<Device>(0, x.extent(0)),
      KOKKOS_LAMBDA(long long i, double& mine) { mine += (x(i) - minus(i)) * (x(i) - minus(i)); },
      sum);
  return std::sqrt(sum);
}

/// Returns the relative distance of C·x from A·(A·x).
double relativeError(const Matrix& A, const Matrix& C) {
  const Vector x = someVector(A.numCols()), expected = times(A, times(A, x));
  const double size = norm(expected, Vector("zero", expected.extent(0)));
  const double error = norm(times(C, x), expected);
  return size > 0 ? error / size : error;
}

/// Counts the entries that are not behind the one before them.
long long disorder(const Matrix& C) {
  const auto offsets = C.graph.row_map;
  const auto columns = C.graph.entries;
  long long count = 0;
  Kokkos::parallel_reduce(
      "disorder", Trident::Impl::Range<Device>(0, C.numRows()),
      KOKKOS_LAMBDA(long long r, long long& mine) {
        for (std::size_t e = offsets(r) + 1; e < offsets(r + 1); ++e)
          mine += columns(e - 1) >= columns(e);
      },
      count);
  return count;
}

/// A matrix, and what is measured of it.
class Benchmark {
 public:
  Benchmark(const std::string& spec, int repeat, double rate)
      : spec_(spec), repeat_(repeat), rate_(rate), A_(readLocal(spec)) {
    multiplyAdds_ = Trident::Impl::countMultiplyAdds<Scalar, Device>(A_, A_);
  }

  /// @param only the kernel of this name; all where it is empty
  /// @param teams true to time the product by teams too
  /// @param semirings true to time products over semirings and within masks
  bool run(const std::string& only, bool teams, bool semirings) {
    for (Trident::Impl::KernelKind kind :
         {Trident::Impl::KernelKind::Host, Trident::Impl::KernelKind::Device,
          Trident::Impl::KernelKind::KokkosKernels})
      if (Trident::Impl::whyNoKernel<Scalar, Device>(kind).empty() &&
          (only.empty() || only == Trident::Impl::nameOf(kind)))
        attempt(Trident::Impl::nameOf(kind),
                [&] { return Trident::Impl::multiplyLocal<Scalar, Device>(A_, A_, {kind}).C; });
    if (teams) attempt("teams", [&] { return Trident::Impl::teamProduct<Scalar, Device>(A_, A_); });
    if (semirings)
      for (const auto& semiring : Trident::Impl::NamesOf<Trident::Impl::SemiringKind>::all)
        over(semiring.name, semiring.value);
    return good_;
  }

 private:
  void over(const std::string& name, Trident::Impl::SemiringKind semiring) {
    using Mask = Trident::Impl::LocalMask<Device>;
    const Mask within(A_, false), outside(A_, true);
    const std::pair<const char*, const Mask*> masks[] = {
        {"", nullptr}, {", within A", &within}, {", outside of A", &outside}};
    Trident::Impl::KernelOptions options;
    options.semiring = semiring;
    for (const auto& mask : masks) {
      Matrix C;
      const double seconds = medianSeconds(
          repeat_, [&] { C = Matrix(); },
          [&] {
            C = Trident::Impl::semiringProduct<Scalar, Device>(A_, A_, mask.second, options, {}).C;
          });
      print("product", name + mask.first, C, seconds, 2.0 * bytesOf(A_) + bytesOf(C), 0);
    }
  }

  /// Runs a kernel, which may lack memory, or integers, for this matrix: the others do not.
  void attempt(const std::string& kernel, const std::function<Matrix()>& multiply) {
    try {
      product(kernel, multiply);
    } catch (const std::exception& e) {
      std::string why = e.what();
      for (char& c : why)
        if (c == '"' || c == '\\' || c < ' ') c = '\'';
      std::printf("{\"matrix\": \"%s\", \"kernel\": \"%s\", \"error\": \"%s\"}\n", spec_.c_str(),
                  kernel.c_str(), why.c_str());
    }
  }

  void product(const std::string& kernel, const std::function<Matrix()>& multiply) {
    Matrix C;
    double peak = 0;
    {
      const Trident::Problems::MemoryMeter meter;
      C = multiply();
      Kokkos::fence();
      peak = meter.allocatedPeak() - static_cast<double>(Trident::Impl::matrixBytes(C));
    }
    check(kernel, C);
    const double seconds = medianSeconds(
        repeat_, [&] { C = Matrix(); }, [&] { C = multiply(); });
    print("product", kernel, C, seconds, 2.0 * bytesOf(A_) + bytesOf(C), peak);
    if (kernel == Trident::Impl::nameOf(Trident::Impl::KernelKind::Device)) inAnyOrder(C);
    if (disorder(C) > 0) sort(kernel, C);
    values(kernel, C);
  }

  void inAnyOrder(Matrix& C) {
    Trident::Impl::KernelOptions options;
    options.kernel = Trident::Impl::KernelKind::Device;
    options.reproducible = false;
    const double seconds = medianSeconds(
        repeat_, [&] { C = Matrix(); },
        [&] { C = Trident::Impl::multiplyLocal<Scalar, Device>(A_, A_, options).C; });
    print("product", "device, any order", C, seconds, 2.0 * bytesOf(A_) + bytesOf(C), 0);
  }

  /// Sorts C's rows, by each sorter; C is sorted after it.
  void sort(const std::string& kernel, const Matrix& C) {
    const auto columns = Trident::Impl::uninitialized<int, Device>("columns", C.nnz());
    const auto values = Trident::Impl::uninitialized<Scalar, Device>("values", C.nnz());
    Kokkos::deep_copy(columns, C.graph.entries);
    Kokkos::deep_copy(values, C.values);
    const auto restore = [&] {
      Kokkos::deep_copy(C.graph.entries, columns);
      Kokkos::deep_copy(C.values, values);
    };
    std::vector<std::pair<const char*, Trident::Impl::SortMethod>> sorters{
        {Trident::Impl::isHost<Device> ? "host" : "kokkos-kernels",
         Trident::Impl::SortMethod::KokkosKernels}};
    if (Trident::Impl::hasSegmentedSort(sizeof(Scalar)))
      sorters.emplace_back("segmented", Trident::Impl::SortMethod::Segmented);
    for (const auto& sorter : sorters) {
      double peak = 0;
      restore();
      {
        const Trident::Problems::MemoryMeter meter;
        Trident::Impl::sortRows<Scalar, Device>(C, sorter.second);
        peak = meter.allocatedPeak();
      }
      if (disorder(C) > 0) fail(kernel, sorter.first, "rows are not sorted");
      const double seconds = medianSeconds(
          repeat_, restore, [&] { Trident::Impl::sortRows<Scalar, Device>(C, sorter.second); });
      const double entries = static_cast<double>(C.nnz() * (sizeof(int) + sizeof(Scalar)));
      print("sort", kernel + " + " + sorter.first, C, seconds, bytesOf(C) + entries, peak);
    }
    check(kernel + ", sorted", C);
  }

  void values(const std::string& kernel, const Matrix& C) {
    long long strays = 0;
    double peak = 0;
    const auto compute = [&] {
      strays += Trident::Impl::numericProduct<Scalar, Device>(A_, A_, C, false).strays;
    };
    {
      const Trident::Problems::MemoryMeter meter;
      compute();
      peak = meter.allocatedPeak();
    }
    const double seconds = medianSeconds(
        repeat_, [&] { Kokkos::deep_copy(C.values, Scalar(-1)); }, compute);
    if (strays > 0) fail(kernel, "values", "products outside C's structure");
    check(kernel + ", values", C);
    print("values", "numeric on " + kernel + "'s structure", C, seconds,
          2.0 * bytesOf(A_) + bytesOf(C), peak);
  }

  static double bytesOf(const Matrix& M) {
    return static_cast<double>(Trident::Impl::matrixBytes(M));
  }

  void check(const std::string& what, const Matrix& C) {
    const double error = relativeError(A_, C);
    std::printf("{\"matrix\": \"%s\", \"check\": \"%s\", \"relative_error\": %.3g}\n",
                spec_.c_str(), what.c_str(), error);
    if (!(error <= tolerance)) good_ = false;
  }
  void fail(const std::string& kernel, const std::string& step, const char* what) {
    std::printf("{\"matrix\": \"%s\", \"kernel\": \"%s\", \"step\": \"%s\", \"error\": \"%s\"}\n",
                spec_.c_str(), kernel.c_str(), step.c_str(), what);
    good_ = false;
  }
  void print(const char* step, const std::string& by, const Matrix& C, double seconds, double bytes,
             double workspace) const {
    std::printf(
        "{\"matrix\": \"%s\", \"step\": \"%s\", \"by\": \"%s\", \"rows\": %d, \"nnz\": %zu, "
        "\"multiply_adds\": %lld, \"nnz_c\": %zu, \"sorted\": %s, \"seconds\": %.6g, "
        "\"gflops\": %.4g, "
        "\"least_bytes\": %.6g, \"copy_bytes_per_second\": %.4g, \"least_seconds\": %.4g, "
        "\"fraction\": %.3g, \"workspace_bytes\": %.6g, \"repeat\": %d}\n",
        spec_.c_str(), step, by.c_str(), A_.numRows(), static_cast<std::size_t>(A_.nnz()),
        multiplyAdds_, static_cast<std::size_t>(C.nnz()), disorder(C) == 0 ? "true" : "false",
        seconds,
        std::strcmp(step, "sort") == 0 ? 0.0 : 2e-9 * static_cast<double>(multiplyAdds_) / seconds,
        bytes, rate_, bytes / rate_, bytes / rate_ / seconds, workspace, repeat_);
    std::fflush(stdout);
  }

  std::string spec_;
  int repeat_;
  double rate_;
  Matrix A_;
  long long multiplyAdds_;
  bool good_ = true;
};

bool runAll(int argc, char** argv) {
  int repeat = 5;
  bool teams = false, semirings = false;
  std::vector<std::string> specs;
  std::string kernel;
  for (int a = 1; a < argc; ++a)
    if (std::strcmp(argv[a], "--repeat") == 0 && a + 1 < argc)
      repeat = std::max(1, std::atoi(argv[++a]));
    else if (std::strcmp(argv[a], "--kernel") == 0 && a + 1 < argc)
      kernel = argv[++a];
    else if (std::strcmp(argv[a], "--teams") == 0)
      teams = true;
    else if (std::strcmp(argv[a], "--semirings") == 0)
      semirings = true;
    else if (std::strncmp(argv[a], "--kokkos", 8) != 0)
      specs.push_back(argv[a]);
  if (specs.empty())
    throw std::runtime_error(
        "usage: [--repeat N] [--kernel NAME] [--teams] [--semirings] <matrix> ...");
  if (Tpetra::getDefaultComm()->getSize() != 1) throw std::runtime_error("one rank, please");
  const double rate = copyRate(repeat);
  bool good = true;
  for (const std::string& spec : specs)
    good = Benchmark(spec, repeat, rate).run(kernel, teams, semirings) && good;
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  const Trident::ScopeGuard scope(&argc, &argv);
  try {
    return runAll(argc, argv) ? EXIT_SUCCESS : EXIT_FAILURE;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "Trident_LocalKernels: %s\n", e.what());
    return 2;
  }
}
