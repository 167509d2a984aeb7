// SPDX-License-Identifier: BSD-3-Clause
// Calls of the system that a signal interrupts, that move a part of the bytes, and that fail late.

#include <sys/syscall.h>
#include <unistd.h>

#include <Teuchos_UnitTestHarness.hpp>
#include <cerrno>
#include <sstream>

#include "TridentDriver_TestTools.hpp"
#include "TridentProblems_WriteMatrix.hpp"
#include "TridentProblems_WriteText.hpp"

namespace {

int calls = 0;         // of pread and pwrite
bool hampers = false;  // every second is interrupted, and the others move few bytes
int errorOfSync = 0, errorOfClose = 0;

/// \return how many bytes to move, or -1: not this time
ssize_t allowed(std::size_t bytes) {
  if (!hampers) return static_cast<ssize_t>(bytes);
  if (++calls % 2 == 0) {
    errno = EINTR;
    return -1;
  }
  return static_cast<ssize_t>(bytes < 1000 ? bytes : bytes / 3);
}

}  // namespace

// Replaces pread(), pwrite(), fsync() and close() of the C library.
extern "C" ssize_t pread(int descriptor, void* to, std::size_t bytes, off_t offset) {
  const ssize_t part = allowed(bytes);
  return part < 0 ? part : syscall(SYS_pread64, descriptor, to, part, offset);
}
extern "C" ssize_t pwrite(int descriptor, const void* from, std::size_t bytes, off_t offset) {
  const ssize_t part = allowed(bytes);
  return part < 0 ? part : syscall(SYS_pwrite64, descriptor, from, part, offset);
}
extern "C" int fsync(int descriptor) {
  if (hampers && ++calls % 2 == 0) return errno = EINTR, -1;
  if (errorOfSync != 0) return errno = errorOfSync, -1;
  return static_cast<int>(syscall(SYS_fsync, descriptor));
}
extern "C" int close(int descriptor) {
  const auto result = static_cast<int>(syscall(SYS_close, descriptor));
  if (errorOfClose != 0) return errno = errorOfClose, -1;
  return result;
}

namespace {

using namespace TestTools;

TEUCHOS_UNIT_TEST(Interrupted, AllBytesMove) {
  const auto A = readMatrix("er:n=3000,d=5", world()).matrix;
  for (const std::string name : {"A.mtx", "A.csr", "A.mtx.gz"}) {
    const TempFile file(name, "");
    hampers = true;
    writeMatrix(*A, file.path());
    hampers = false;
    TEST_EQUALITY(checksum(*readMatrix(file.path(), world()).matrix), checksum(*A));
    hampers = true;
    const auto again = readMatrix(file.path(), world()).matrix;
    hampers = false;
    TEST_EQUALITY(checksum(*again), checksum(*A));
  }
  TEST_COMPARE(calls, >, 0);
}

// A file system that says at the end that it is full, as those of networks do: of one rank.
TEUCHOS_UNIT_TEST(Interrupted, FullAtTheEnd) {
  const auto A = readMatrix("er:n=3000,d=5", world()).matrix;
  const bool last = world()->getRank() + 1 == world()->getSize();
  for (int* const error : {&errorOfSync, &errorOfClose}) {
    const TempFile file("A.csr", "older");
    *error = last ? ENOSPC : 0;
    const bool told = throwsEverywhere([&] { writeMatrix(*A, file.path()); }, "is the disk full?");
    *error = 0;
    TEST_ASSERT(told);
    TEST_EQUALITY(contents(file.path()), "older");
  }
  const TempFile file("A.csr", "older");
  errorOfSync = EINVAL;  // of what has nothing to write out
  writeMatrix(*A, file.path());
  errorOfSync = 0;
  TEST_EQUALITY(checksum(*readMatrix(file.path(), world()).matrix), checksum(*A));
}

}  // namespace
