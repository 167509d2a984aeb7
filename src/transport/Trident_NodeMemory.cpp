// SPDX-License-Identifier: BSD-3-Clause
#include "transport/Trident_NodeMemory.hpp"

#include <algorithm>
#include <string>

#include "Trident_Error.hpp"
#include "base/Trident_Agreement.hpp"
#include "base/Trident_Mpi.hpp"

#if defined(__linux__)
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <random>
#include <system_error>
#endif

namespace Trident::Impl {
namespace {

#if defined(__linux__) && defined(MFD_CLOEXEC)

constexpr char fileName[] = "Trident::tile";

[[noreturn]] void fail(const std::string& call, int code) {
  throw Error("Trident::NodeMemory", call + ": " + std::generic_category().message(code));
}

class File {
 public:
  File() = default;
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (number_ >= 0) close(number_);
  }
  void take(int number, const std::string& call) {
    if (number < 0) fail(call, errno);
    number_ = number;
  }
  int get() const { return number_; }

 private:
  int number_ = -1;
};

/// The place where other ranks find rank 0's file, and the mark in the file's first bytes.
struct FileLocation {
  long long process = 0, file = -1, mark = 0;
};
static_assert(sizeof(FileLocation) == 3 * sizeof(long long), "travels as numbers");

long long randomMark() {
  std::random_device device;
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  return static_cast<long long>((static_cast<unsigned long long>(device()) << 32 ^ device())) ^ now;
}

/// Throws if the system would kill this process for a file of this length: by SIGXFSZ if the file
/// is longer than RLIMIT_FSIZE, or later by SIGKILL if it needs more pages than the host has.
void requirePossible(std::size_t bytes) {
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      bytes > limit.rlim_cur)
    throw Error("Trident::NodeMemory", "this process may make files of " +
                                           std::to_string(limit.rlim_cur) +
                                           " bytes at most (ulimit -f)");
  const long pages = sysconf(_SC_PHYS_PAGES), pageBytes = sysconf(_SC_PAGESIZE);
  if (pages > 0 && pageBytes > 0 && bytes / pageBytes > static_cast<std::size_t>(pages))
    throw Error("Trident::NodeMemory", "the host has " + std::to_string(pages) + " pages of " +
                                           std::to_string(pageBytes) + " bytes");
}

FileLocation makeFile(File& file, std::size_t bytes) {
  requirePossible(bytes);
  file.take(memfd_create(fileName, MFD_CLOEXEC), "memfd_create");
  if (ftruncate(file.get(), static_cast<off_t>(bytes)) != 0) fail("ftruncate", errno);
  const FileLocation location{getpid(), file.get(), randomMark()};
  const ssize_t written = pwrite(file.get(), &location.mark, sizeof location.mark, 0);
  if (written != sizeof location.mark) fail("pwrite", written < 0 ? errno : ENOSPC);
  return location;
}

/// Opens the file and checks its mark, because in another container the process number may mean
/// another process.
void openFile(File& file, const FileLocation& location) {
  const std::string path =
      "/proc/" + std::to_string(location.process) + "/fd/" + std::to_string(location.file);
  const std::string expected = std::string("/memfd:") + fileName;
  std::string target(expected.size(), ' ');
  const ssize_t length = readlink(path.c_str(), &target[0], target.size());
  if (length < 0) fail("readlink of " + path + ", a file of the node's first rank", errno);
  if (target == expected) file.take(open(path.c_str(), O_RDWR | O_CLOEXEC), "open of " + path);
  long long mark = 0;
  if (target != expected || pread(file.get(), &mark, sizeof mark, 0) != sizeof mark ||
      mark != location.mark)
    throw Error("Trident::NodeMemory",
                path +
                    " is not the file of the node's first rank: the ranks run on several hosts "
                    "or in containers that do not see each other's processes");
}

/// Reserves the pages of [begin, end), and adds their bytes to `got`.
void reservePages(const File& file, std::size_t begin, std::size_t end, long long& got) {
  constexpr std::size_t atOnce = std::size_t(1) << 24;  // short: interrupted calls start anew
  while (begin < end) {
    const std::size_t length = std::min(atOnce, end - begin);
    const int code =
        posix_fallocate(file.get(), static_cast<off_t>(begin), static_cast<off_t>(length));
    if (code == EINTR) continue;
    if (code != 0) fail("posix_fallocate", code);
    begin += length;
    got += static_cast<long long>(length);
  }
}

char* mapFile(const File& file, std::size_t bytes) {
  void* const data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (data == MAP_FAILED) fail("mmap", errno);
  return static_cast<char*>(data);
}

void unmapFile(char* data, std::size_t bytes) { static_cast<void>(munmap(data, bytes)); }

#else

class File {};
struct FileLocation {
  long long process = 0, file = -1, mark = 0;
};

FileLocation makeFile(File&, std::size_t) {
  throw Error("Trident::NodeMemory", "this system has no files in memory (memfd_create)");
}
void openFile(File&, const FileLocation&) {}
void reservePages(const File&, std::size_t, std::size_t, long long&) {}
char* mapFile(const File&, std::size_t) { return nullptr; }
void unmapFile(char*, std::size_t) {}

#endif

/// Throws on every rank of `node` if some rank has failed. The Error tells the sum of `got`.
/// @param got bytes that this rank has reserved
void agree(MPI_Comm node, const LocalFailure& failure, std::size_t asked, long long got) {
  long long sums[2] = {failure.failed(), got};
  allReduce(MPI_IN_PLACE, sums, 2, MPI_LONG_LONG, MPI_SUM, node,
            "the ranks of a node to share memory");
  if (sums[0] == 0) return;
  throw Error("Trident::NodeMemory", std::to_string(asked) +
                                         " bytes in memory that a node's ranks share were asked "
                                         "for, and " +
                                         std::to_string(sums[1]) +
                                         " could be reserved: " + firstText(node, failure.text()));
}

}  // namespace

NodeMemory::NodeMemory(MPI_Comm node, std::size_t bytes)
    : bytes_(std::max(bytes, sizeof(long long))) {  // with room for the mark
  int rank = 0, size = 1;
  TRIDENT_MPI_CHECK(MPI_Comm_rank(node, &rank));
  TRIDENT_MPI_CHECK(MPI_Comm_size(node, &size));
  File file;  // rank 0's file stays open until all ranks have agreed
  FileLocation location;
  LocalFailure failure;
  if (rank == 0) failure.guard([&] { location = makeFile(file, bytes_); });
  broadcast(&location, 3, MPI_LONG_LONG, 0, node, "where a node's memory is");
  long long got = 0;
  if (location.file >= 0)
    failure.guard([&] {
      if (rank != 0) openFile(file, location);
      // Each rank reserves a part, at the same time, and in the rank's NUMA region.
      const std::size_t part = bytes_ / size;
      reservePages(file, part * rank, rank + 1 < size ? part * (rank + 1) : bytes_, got);
      data_ = mapFile(file, bytes_);
    });
  try {
    agree(node, failure, bytes, got);
  } catch (...) {
    unmap();
    throw;
  }
}

NodeMemory::~NodeMemory() { unmap(); }

void NodeMemory::unmap() {
  if (data_) unmapFile(data_, bytes_);
}

}  // namespace Trident::Impl
