// SPDX-License-Identifier: BSD-3-Clause
#include "TridentProblems_HostMemory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>

namespace Trident {
namespace Problems {

namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

/// Of all processes of this host, as this one sees it.
double hostBytes() {
  const long pages = sysconf(_SC_PHYS_PAGES), pageBytes = sysconf(_SC_PAGESIZE);
  double bytes = pages > 0 && pageBytes > 0 ? static_cast<double>(pages) * pageBytes : unlimited;
  double limit = 0;  // a word, "max", where there is none
  if (std::ifstream("/sys/fs/cgroup/memory.max") >> limit) bytes = std::min(bytes, limit);
  return bytes;
}

/// Of this process.
double processBytes() {
  struct rlimit limit;
  if (getrlimit(RLIMIT_RSS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unlimited;
  return static_cast<double>(limit.rlim_cur);
}

/// Sum over the ranks that share this rank's memory. Collective.
double sumOverHost(double mine, const Comm& comm) {
  MPI_Comm host = MPI_COMM_NULL;
  checkMpi(MPI_Comm_split_type(comm.get(), MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host),
           "MPI_Comm_split_type");
  double sum = 0;
  const int code = MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, host);
  checkMpi(MPI_Comm_free(&host), "MPI_Comm_free");
  checkMpi(code, "MPI_Allreduce");
  return sum;
}

std::string text(double bytes) {
  std::ostringstream stream;
  stream.precision(3);
  stream << 1e-9 * bytes << " GB";
  return stream.str();
}

}  // namespace

int ranksOfHost(const Comm& comm) { return static_cast<int>(sumOverHost(1, comm)); }

void requireMemory(double bytes, const std::string& what, const Comm& comm) {
  const double needed = sumOverHost(bytes, comm);
  const bool tooMuchHere = bytes > processBytes(), tooMuch = needed > hostBytes();
  const std::string message =
      what + " needs at least " +
      (tooMuch ? text(needed) + " on a host, which has " + text(hostBytes())
               : text(bytes) + " on a rank, which may have " + text(processBytes())) +
      ": use more hosts or a smaller matrix";
  throwEverywhere(comm, tooMuch || tooMuchHere, message);
}

}  // namespace Problems
}  // namespace Trident
