// SPDX-License-Identifier: BSD-3-Clause
// A product's resources are made once per communicator, and end with it.

#include <Teuchos_UnitTestHarness.hpp>

#include "Trident_TestMpiCounters.hpp"
#include "Trident_TestProduct.hpp"
#include "exchange/Trident_Context.hpp"

namespace {

using namespace TridentTest;

Teuchos::RCP<Teuchos::ParameterList> parameters(int lambda, const std::string& gather) {
  const auto list = tridentList();
  list->sublist("Trident").set("ranks per node", lambda).sublist("expert").set("gather", gather);
  return list;
}

/// Forms a product with its Maps made anew, as an application would.
void product(const CommPtr& comm, int n, int lambda, const std::string& gather) {
  Random random(n);
  const MatrixPtr A = makeUniform(randomSparse(random, n, n, true), comm);
  matrix_type C(A->getRowMap(), 0);
  Trident::Multiply(*A, *A, C, parameters(lambda, gather));
}

TEUCHOS_UNIT_TEST(Resources, LaterCallsMakeNothing) {
  const CommPtr comm = world();
  const int P = comm->getSize();
  for (const char* gather : {"mpi", "shared"})
    for (int lambda : {1, 2, P}) {
      product(comm, 60, gcd(lambda, P), gather);
      const MpiCounters first = mpiCounters();
      const int files = openFiles();
      for (int call = 2; call <= 30; ++call) product(comm, 60, gcd(lambda, P), gather);
      const MpiCounters later = mpiCounters();
      TEST_EQUALITY(later.commsMade, first.commsMade);
      TEST_EQUALITY(later.commsFreed, first.commsFreed);
      TEST_EQUALITY(openFiles(), files);
      // Workspaces of one size are kept.
      TEST_EQUALITY(later.windowsMade, first.windowsMade);
      TEST_EQUALITY(later.windowsFreed, first.windowsFreed);
    }
}

// Products that grow keep nothing old, though shared memory must be made anew for each.
TEUCHOS_UNIT_TEST(Resources, GrowingProductsKeepNothingOld) {
  const CommPtr comm = world();
  product(comm, 20, comm->getSize(), "shared");
  const MpiCounters first = mpiCounters();
  const int files = openFiles();
  for (int n = 30; n <= 300; n += 15) product(comm, n, comm->getSize(), "shared");
  TEST_EQUALITY(mpiCounters().commsMade, first.commsMade);
  TEST_EQUALITY(mpiCounters().windows(), first.windows());
  TEST_COMPARE(openFiles() - files, <=, 0);
}

// Failing calls too.
TEUCHOS_UNIT_TEST(Resources, FailingCallsMakeNothing) {
  const CommPtr comm = world();
  const MatrixPtr A = makeUniform(Sparse(12, 10), comm), C = newResult(*A);
  product(comm, 30, 1, "mpi");
  const int made = mpiCounters().commsMade, files = openFiles();
  for (int call = 0; call < 10; ++call)
    TEST_THROW(Trident::Multiply(*A, *A, *C, parameters(1, "mpi")), Trident::Error);
  TEST_EQUALITY(mpiCounters().commsMade, made);
  TEST_EQUALITY(openFiles(), files);
}

TEUCHOS_UNIT_TEST(Resources, FreedCommunicatorReleasesContext) {
  product(world(), 30, 1, "mpi");  // what MPI and Tpetra make once is made now
  const MpiCounters before = mpiCounters();
  int files = 0;
  for (int round = 0; round < 20; ++round) {
    MPI_Comm raw = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &raw);
    const CommPtr comm = Teuchos::rcp(new Teuchos::MpiComm<int>(raw));
    for (const char* gather : {"mpi", "shared"})
      for (int lambda : {1, comm->getSize()}) product(comm, 40, lambda, gather);
    TEST_COMPARE(mpiCounters().comms(), >, before.comms() + 1);  // there is a context
    MPI_Comm_free(&raw);
    TEST_EQUALITY(mpiCounters().comms(), before.comms());
    TEST_EQUALITY(mpiCounters().windows(), before.windows());
    if (round == 2) files = openFiles();  // MPI's own have been opened by now
  }
  TEST_EQUALITY(openFiles(), files);
}

TEUCHOS_UNIT_TEST(Resources, ReleaseFreesAll) {
  product(world(), 30, 1, "mpi");
  MPI_Comm raw = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &raw);
  const int comms = mpiCounters().comms(), windows = mpiCounters().windows();
  const CommPtr comm = Teuchos::rcp(new Teuchos::MpiComm<int>(raw));
  for (int round = 0; round < 3; ++round) {
    product(comm, 40, comm->getSize(), "shared");
    Trident::Impl::Context::release(raw);
    TEST_EQUALITY(mpiCounters().comms(), comms);
    TEST_EQUALITY(mpiCounters().windows(), windows);
  }
  MPI_Comm_free(&raw);
}

}  // namespace
