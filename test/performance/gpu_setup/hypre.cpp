// SPDX-License-Identifier: BSD-3-Clause
// Setups of hypre's BoomerAMG on the problems of gpu_setup: seconds of the first and of later ones,
// levels, and iterations of conjugate gradients. Needs no Trilinos. Parameters are those of
// hypredrive on GPUs, by its presets "poisson" and "elasticity_3D".
#include <HYPRE.h>
#include <HYPRE_IJ_mv.h>
#include <HYPRE_krylov.h>
#include <HYPRE_parcsr_ls.h>
#include <_hypre_parcsr_ls.h>
#include <_hypre_parcsr_mv.h>
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "Peers_Device.hpp"
#include "Problems.hpp"

// Functions of later versions than hypre 2.26; null with that one, which computes on hosts.
extern "C" {
__attribute__((weak)) HYPRE_Int HYPRE_DeviceInitialize();
__attribute__((weak)) HYPRE_Int HYPRE_BoomerAMGSetFilterFunctions(HYPRE_Solver, HYPRE_Int);
}

namespace {

struct Options {
  std::string problem = "laplace3d", products = "vendor";
  int n = 20, setups = 3;
  bool filter = false, anew = false;
};

Options parse(int argc, char* argv[]) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i], name = word.substr(0, word.find('='));
    const std::string value = name == word ? "" : word.substr(name.size() + 1);
    if (name == "--problem")
      options.problem = value;
    else if (name == "--products" && (value == "vendor" || value == "own"))
      options.products = value;
    else if (name == "--n" || name == "--setups")
      (name == "--n" ? options.n : options.setups) = std::atoi(value.c_str());
    else if (word == "--filter")
      options.filter = true;
    else if (word == "--new-matrix")
      options.anew = true;
    else if (word != "--reuse=none")  // of `measure setups`; hypre keeps nothing
      throw std::invalid_argument(word +
                                  ": the options are --problem=NAME --n=N --setups=N "
                                  "--products=vendor|own --filter --new-matrix");
  }
  if (options.setups < 1) throw std::invalid_argument("--setups must be 1 or more");
  return options;
}

/// Throws if something went wrong, which hypre keeps until somebody asks.
void check(const char* what) {
  const HYPRE_Int code = HYPRE_GetError();
  if (code == 0) return;
  char text[1024] = "";
  HYPRE_DescribeError(code, text);
  throw std::runtime_error(std::string(what) + " failed in hypre: " + text);
}

int rankOf() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

double sumOfRanks(double mine) {
  double sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

/// Returns the seconds from a barrier to a barrier, the device included.
double seconds(const std::function<void()>& work) {
  Peers::finishDevice();
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  work();
  Peers::finishDevice();
  MPI_Barrier(MPI_COMM_WORLD);
  return MPI_Wtime() - start;
}

/// An array where hypre computes.
template <class T>
class Array {
 public:
  explicit Array(const std::vector<T>& from)
      : data_(hypre_TAlloc(T, from.size(), HYPRE_MEMORY_DEVICE)) {
    write(from);
  }
  ~Array() { hypre_TFree(data_, HYPRE_MEMORY_DEVICE); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  void write(const std::vector<T>& from) {
    hypre_TMemcpy(data_, const_cast<T*>(from.data()), T, from.size(), HYPRE_MEMORY_DEVICE,
                  HYPRE_MEMORY_HOST);
  }
  T* get() { return data_; }

 private:
  T* data_;
};

/// This rank's rows of a problem: as many points as gpu_setup has on this rank.
class LocalRows {
 public:
  LocalRows(const Problem& problem, int rank, int ranks) : problem_(problem) {
    const GO points = problem.cube.points(), each = points / ranks, more = points % ranks;
    first = problem.unknowns() * (rank * each + std::min<GO>(rank, more));
    count = problem.unknowns() * (each + (rank < more ? 1 : 0));
    if (problem.unknowns() * points > std::numeric_limits<HYPRE_BigInt>::max())
      throw std::invalid_argument("this hypre has no numbers for so many rows");
    rows.resize(count);
    std::iota(rows.begin(), rows.end(), static_cast<HYPRE_BigInt>(first));
    for (GO i = 0; i < count; ++i) right.push_back(rightSide(first + i));
    change(0);
  }
  void change(int step) {
    columns.clear();
    values.clear();
    sizes.clear();
    Row row;
    for (GO i = first; i < first + count; ++i) {
      problem_.row(i, step, row);
      for (const auto& entry : row) {
        columns.push_back(static_cast<HYPRE_BigInt>(entry.first));
        values.push_back(entry.second);
      }
      sizes.push_back(static_cast<HYPRE_Int>(row.size()));
    }
  }
  /// Returns the square of the norm of the matrix times the right side. Collective.
  double squareOfProduct() const {
    double sum = 0;
    std::size_t entry = 0;
    for (const HYPRE_Int size : sizes) {
      double inner = 0;
      for (const std::size_t end = entry + size; entry < end; ++entry)
        inner += values[entry] * rightSide(columns[entry]);
      sum += inner * inner;
    }
    return sumOfRanks(sum);
  }

  GO first, count;
  std::vector<HYPRE_Int> sizes;
  std::vector<HYPRE_BigInt> rows, columns;
  std::vector<double> values, right;

 private:
  /// Returns a number from -1 to 1 that looks random.
  static double rightSide(GO row) {
    const double x = 43758.5453 * std::sin(12.9898 * static_cast<double>(row + 1));
    return 2 * (x - std::floor(x)) - 1;
  }
  const Problem& problem_;
};

struct Vector {
  HYPRE_IJVector ij = nullptr;
  HYPRE_ParVector par = nullptr;
  Vector(const LocalRows& local, const std::vector<double>& values) {
    Array<HYPRE_BigInt> rows(local.rows);
    Array<double> numbers(values);
    HYPRE_IJVectorCreate(MPI_COMM_WORLD, local.first, local.first + local.count - 1, &ij);
    HYPRE_IJVectorSetObjectType(ij, HYPRE_PARCSR);
    HYPRE_IJVectorInitialize_v2(ij, HYPRE_MEMORY_DEVICE);
    HYPRE_IJVectorSetValues(ij, static_cast<HYPRE_Int>(local.count), rows.get(), numbers.get());
    HYPRE_IJVectorAssemble(ij);
    void* object = nullptr;
    HYPRE_IJVectorGetObject(ij, &object);
    par = static_cast<HYPRE_ParVector>(object);
    check("making a vector");
  }
  ~Vector() { HYPRE_IJVectorDestroy(ij); }
  Vector(const Vector&) = delete;
  Vector& operator=(const Vector&) = delete;
};

/// A matrix whose entries come from arrays where hypre computes.
struct Matrix {
  HYPRE_IJMatrix ij = nullptr;
  HYPRE_ParCSRMatrix par = nullptr;
  explicit Matrix(const LocalRows& local) {
    const HYPRE_BigInt first = local.first, last = local.first + local.count - 1;
    HYPRE_IJMatrixCreate(MPI_COMM_WORLD, first, last, first, last, &ij);
    HYPRE_IJMatrixSetObjectType(ij, HYPRE_PARCSR);
    check("making a matrix");
  }
  ~Matrix() { HYPRE_IJMatrixDestroy(ij); }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;
  /// Writes all values, the pattern too if it is not there. Collective.
  void write(GO count, HYPRE_Int* sizes, const HYPRE_BigInt* rows, const HYPRE_BigInt* columns,
             const double* values) {
    HYPRE_IJMatrixInitialize_v2(ij, HYPRE_MEMORY_DEVICE);
    HYPRE_IJMatrixSetValues(ij, static_cast<HYPRE_Int>(count), sizes, rows, columns, values);
    HYPRE_IJMatrixAssemble(ij);
    void* object = nullptr;
    HYPRE_IJMatrixGetObject(ij, &object);
    par = static_cast<HYPRE_ParCSRMatrix>(object);
    check("writing a matrix");
  }
};

/// Throws unless hypre's matrix is that of the host's rows, by its product with b. Collective.
void checkProduct(const LocalRows& local, const Matrix& A, const Vector& b, Vector& x) {
  HYPRE_Real square = 0;
  HYPRE_ParCSRMatrixMatvec(1.0, A.par, b.par, 0.0, x.par);
  HYPRE_ParVectorInnerProd(x.par, x.par, &square);
  check("a product with a vector");
  const double expected = local.squareOfProduct();
  if (!(std::abs(square - expected) <= 1e-10 * expected))
    throw std::runtime_error("hypre's matrix has other entries than the problem");
}

class BoomerAMG {
 public:
  BoomerAMG(const Options& options, int unknowns, const Matrix& A, const Vector& b,
            const Vector& x) {
    HYPRE_BoomerAMGCreate(&solver_);
    HYPRE_BoomerAMGSetCoarsenType(solver_, 8);  // PMIS
    HYPRE_BoomerAMGSetInterpType(solver_, 6);   // extended+i
    HYPRE_BoomerAMGSetPMaxElmts(solver_, 4);
    HYPRE_BoomerAMGSetStrongThreshold(solver_, unknowns == 3 ? 0.8 : 0.25);
    HYPRE_BoomerAMGSetNumFunctions(solver_, unknowns);
    HYPRE_BoomerAMGSetMaxRowSum(solver_, 0.9);
    HYPRE_BoomerAMGSetMaxCoarseSize(solver_, 64);
    HYPRE_BoomerAMGSetAggNumLevels(solver_, 0);
    HYPRE_BoomerAMGSetModuleRAP2(solver_, 1);
    HYPRE_BoomerAMGSetKeepTranspose(solver_, 1);
    HYPRE_BoomerAMGSetRelaxOrder(solver_, 0);
    for (const int when : {1, 2}) HYPRE_BoomerAMGSetCycleRelaxType(solver_, 18, when);  // l1-Jacobi
    HYPRE_BoomerAMGSetCycleRelaxType(solver_, 9, 3);  // Gaussian elimination
    HYPRE_BoomerAMGSetMaxIter(solver_, 1);
    HYPRE_BoomerAMGSetTol(solver_, 0.0);
    if (options.filter) HYPRE_BoomerAMGSetFilterFunctions(solver_, 1);
    HYPRE_BoomerAMGSetup(solver_, A.par, b.par, x.par);
    check("the setup");
  }
  ~BoomerAMG() { HYPRE_BoomerAMGDestroy(solver_); }
  BoomerAMG(const BoomerAMG&) = delete;
  BoomerAMG& operator=(const BoomerAMG&) = delete;

  /// Prints the levels' rows and entries. Collective.
  void printLevels() const {
    const auto data = static_cast<hypre_ParAMGData*>(static_cast<void*>(solver_));
    for (HYPRE_Int l = 0; l < hypre_ParAMGDataNumLevels(data); ++l) {
      hypre_ParCSRMatrix* const A = hypre_ParAMGDataAArray(data)[l];
      hypre_ParCSRMatrixSetDNumNonzeros(A);
      if (rankOf() == 0)
        std::printf("  level %d: %10lld rows %12.0f entries\n", static_cast<int>(l),
                    static_cast<long long>(hypre_ParCSRMatrixGlobalNumRows(A)),
                    static_cast<double>(hypre_ParCSRMatrixDNumNonzeros(A)));
    }
  }

  /// Solves by conjugate gradients from zero; returns the number of iterations, or -1.
  int solve(const Matrix& A, const Vector& b, Vector& x) const {
    HYPRE_Solver cg = nullptr;
    HYPRE_ParCSRPCGCreate(MPI_COMM_WORLD, &cg);
    HYPRE_PCGSetTol(cg, 1e-8);
    HYPRE_PCGSetTwoNorm(cg, 1);
    HYPRE_PCGSetMaxIter(cg, 500);
    const auto done = [](HYPRE_Solver, HYPRE_ParCSRMatrix, HYPRE_ParVector, HYPRE_ParVector) {
      return HYPRE_Int(0);
    };
    HYPRE_ParCSRPCGSetPrecond(cg, HYPRE_BoomerAMGSolve, done, solver_);
    HYPRE_ParVectorSetConstantValues(x.par, 0.0);
    HYPRE_ParCSRPCGSetup(cg, A.par, b.par, x.par);
    HYPRE_ParCSRPCGSolve(cg, A.par, b.par, x.par);
    HYPRE_Int iterations = 0;
    HYPRE_PCGGetNumIterations(cg, &iterations);
    HYPRE_ParCSRPCGDestroy(cg);
    if (HYPRE_CheckError(HYPRE_GetError(), HYPRE_ERROR_CONV)) {
      HYPRE_ClearError(HYPRE_ERROR_CONV);
      iterations = -1;
    }
    check("conjugate gradients");
    return iterations;
  }

 private:
  HYPRE_Solver solver_ = nullptr;
};

void measure(const Options& options, int rank, int ranks) {
  const auto problem = makeProblem(options.problem, options.n);
  LocalRows local(*problem, rank, ranks);
  Array<HYPRE_Int> sizes(local.sizes);
  Array<HYPRE_BigInt> rows(local.rows), columns(local.columns);
  Array<double> values(local.values);
  const Vector b(local, local.right);
  Vector x(local, std::vector<double>(local.count));
  if (rank == 0)
    std::printf("%s:n=%d by hypre %d, products %s, filter %d, reuse none, %d ranks\n",
                options.problem.c_str(), options.n, static_cast<int>(HYPRE_RELEASE_NUMBER),
                options.products.c_str(), options.filter ? 1 : 0, ranks);
  std::unique_ptr<Matrix> A;
  std::unique_ptr<BoomerAMG> amg;
  for (int step = 0; step < options.setups; ++step) {
    local.change(step);
    values.write(local.values);
    amg.reset();  // the hierarchy before goes first
    if (options.anew) A.reset();
    const double making = seconds([&] {
      if (!A) A = std::make_unique<Matrix>(local);
      A->write(local.count, sizes.get(), rows.get(), columns.get(), values.get());
    });
    checkProduct(local, *A, b, x);
    const double time =
        seconds([&] { amg = std::make_unique<BoomerAMG>(options, problem->unknowns(), *A, b, x); });
    if (rank == 0) std::printf("new setup %d %.5f s\n  %9.5f s  matrix\n", step, time, making);
  }
  amg->printLevels();
  int iterations = 0;
  const double time = seconds([&] { iterations = amg->solve(*A, b, x); });
  if (rank == 0) std::printf("  %d iterations, %.5f s\n", iterations, time);
}

/// Starts hypre where it is to compute. Throws if there is no such hypre.
void initialize(const Options& options) {
  if (options.filter && !HYPRE_BoomerAMGSetFilterFunctions)
    throw std::invalid_argument("--filter needs hypre 2.32 or later");
  Peers::chooseDevice();
  HYPRE_Init();
  if (!Peers::onDevice()) return;
  if (HYPRE_DeviceInitialize) HYPRE_DeviceInitialize();  // sets limits that its kernels have
  HYPRE_SetMemoryLocation(HYPRE_MEMORY_DEVICE);
  HYPRE_SetExecutionPolicy(HYPRE_EXEC_DEVICE);
  HYPRE_SetSpGemmUseVendor(options.products == "vendor");
  check("starting");
}

}  // namespace

int main(int argc, char* argv[]) {
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return EXIT_FAILURE;
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  try {
    const Options options = parse(argc, argv);
    initialize(options);
    measure(options, rankOf(), ranks);
    HYPRE_Finalize();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rank %d: %s\n", rankOf(), error.what());
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  }
  MPI_Finalize();
}
