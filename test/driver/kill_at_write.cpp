// SPDX-License-Identifier: BSD-3-Clause
// Preloaded into a program: ends it with SIGKILL before its n-th change of files in a folder.
//
// TRIDENT_KILL_AT=n, TRIDENT_KILL_RANK=r (of Open MPI or MPICH), TRIDENT_KILL_UNDER=part of the
// path. Changes are writes, truncations, modes and names: whatever a file's bytes or name take.
#include <dlfcn.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#ifndef __THROW  // of glibc's headers, whose functions these are
#define __THROW
#endif

namespace {

void count(const char* path) {
  static long seen = 0;
  const char *under = std::getenv("TRIDENT_KILL_UNDER"), *at = std::getenv("TRIDENT_KILL_AT"),
             *wanted = std::getenv("TRIDENT_KILL_RANK"),
             *rank = std::getenv("OMPI_COMM_WORLD_RANK");
  if (rank == nullptr) rank = std::getenv("PMI_RANK");
  if (under == nullptr || at == nullptr || wanted == nullptr || rank == nullptr) return;
  if (std::strcmp(wanted, rank) != 0 || std::strstr(path, under) == nullptr) return;
  if (++seen == std::atol(at)) kill(getpid(), SIGKILL);
}

void countOpen(int descriptor) {
  char name[64], path[4096];
  std::snprintf(name, sizeof name, "/proc/self/fd/%d", descriptor);
  const ssize_t size = readlink(name, path, sizeof path - 1);
  if (size < 0) return;
  path[size] = '\0';
  count(path);
}

}  // namespace

#define NEXT(name) reinterpret_cast<decltype(&name)>(dlsym(RTLD_NEXT, #name))
#define OF_OPEN(result, name, parameters, throwing, arguments) \
  extern "C" result name parameters throwing {                 \
    countOpen(fd);                                             \
    return NEXT(name) arguments;                               \
  }
#define OF_PATH(name, parameters, arguments) \
  extern "C" int name parameters __THROW {   \
    count(path);                             \
    return NEXT(name) arguments;             \
  }

OF_OPEN(ssize_t, write, (int fd, const void* from, size_t n), , (fd, from, n))
OF_OPEN(ssize_t, writev, (int fd, const iovec* v, int n), , (fd, v, n))
OF_OPEN(ssize_t, pwrite, (int fd, const void* from, size_t n, off_t at), , (fd, from, n, at))
OF_OPEN(ssize_t, pwrite64, (int fd, const void* from, size_t n, off64_t at), , (fd, from, n, at))
OF_OPEN(ssize_t, pwritev, (int fd, const iovec* v, int n, off_t at), , (fd, v, n, at))
OF_OPEN(ssize_t, pwritev64, (int fd, const iovec* v, int n, off64_t at), , (fd, v, n, at))
OF_OPEN(int, ftruncate, (int fd, off_t n), __THROW, (fd, n))
OF_OPEN(int, fsync, (int fd), , (fd))
OF_PATH(truncate, (const char* path, off_t n), (path, n))
OF_PATH(chmod, (const char* path, mode_t mode), (path, mode))
OF_PATH(rename, (const char* path, const char* to), (path, to))
