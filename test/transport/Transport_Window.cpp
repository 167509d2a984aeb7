// SPDX-License-Identifier: BSD-3-Clause
// A window stands on all ranks or on none.

#include <sys/statvfs.h>

#include <Teuchos_UnitTestHarness.hpp>
#include <string>

#include "Transport_TestTools.hpp"
#include "Trident_Error.hpp"
#include "Trident_TestNeeds.hpp"
#include "grid/Trident_Communicator.hpp"
#include "transport/Trident_Window.hpp"

namespace {

/// The rank that MPI tells that it has no window, while the others have theirs.
int victim = -1;
int made = 0, freed = 0;

}  // namespace

extern "C" {

int MPI_Win_allocate(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void* base,
                     MPI_Win* window) {
  ++made;
  const int code = PMPI_Win_allocate(size, unit, info, comm, base, window);
  if (victim != Trident::Impl::TestTools::worldRank()) return code;
  *window = MPI_WIN_NULL;
  return MPI_ERR_OTHER;
}

int MPI_Win_free(MPI_Win* window) {
  ++freed;
  return PMPI_Win_free(window);
}

}  // extern "C"

namespace Trident::Impl {
namespace {

using TestTools::worldSize;

TEUCHOS_UNIT_TEST(Window, IsFreed) {
  const Communicator comm = Communicator::duplicate(MPI_COMM_WORLD);
  made = freed = 0;
  {
    const Window window = Window::allocate(comm.get(), worldSize(), 64);
    TEST_ASSERT(window.base() != nullptr);
  }
  TEST_EQUALITY_CONST(made, 1);
  TEST_EQUALITY_CONST(freed, 1);
}

// Others that free theirs, which is collective, would wait for the victim for ever.
TEUCHOS_UNIT_TEST(Window, NobodyFreesWhatOneCouldNotMake) {
  const Communicator comm = Communicator::duplicate(MPI_COMM_WORLD);
  for (victim = 0; victim < worldSize(); ++victim) {
    made = freed = 0;
    TEST_THROW(Window::allocate(comm.get(), worldSize(), 64), Error);
    TEST_EQUALITY_CONST(made, 1);
    TEST_EQUALITY_CONST(freed, 0);
  }
  victim = -1;
  TEST_NOTHROW(Window::allocate(comm.get(), worldSize(), 64));
  TEST_EQUALITY_CONST(freed, 1);
}

// Some ranks of an MPI that finds no room there wait for ever, so MPI is not asked.
TEUCHOS_UNIT_TEST(WindowInShm, WithoutRoomNobodyAsksMpi) {
  struct statvfs shm {};
  TRIDENT_TEST_NEEDS(worldSize() > 1 && statvfs("/dev/shm", &shm) == 0 && shm.f_blocks > 0,
                     "one rank, or no /dev/shm of a size");
  const Communicator comm = Communicator::duplicate(MPI_COMM_WORLD);
  const auto all = static_cast<MPI_Aint>(shm.f_blocks) * static_cast<MPI_Aint>(shm.f_frsize);
  made = 0;
  std::string said;
  try {
    Window::allocate(comm.get(), worldSize(), all);
  } catch (const Error& e) {
    said = e.what();
  }
  out << said << "\n";
  TEST_ASSERT(said.find("/dev/shm, where MPI keeps windows, has ") != std::string::npos);
  TEST_EQUALITY_CONST(made, 0);
}

}  // namespace

}  // namespace Trident::Impl
