// SPDX-License-Identifier: BSD-3-Clause
#include "TridentProblems_HostMemory.hpp"

#include <Kokkos_Core.hpp>
#include <sstream>

#include "Trident_HostMemory.hpp"

namespace Trident {
namespace Problems {

namespace {

constexpr bool hasDevice =
    !Kokkos::SpaceAccessibility<Kokkos::HostSpace,
                                Kokkos::DefaultExecutionSpace::memory_space>::accessible;

/// Sums over the ranks that share this rank's memory. Collective.
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

/// The subject of a bound, as far as this rank knows.
struct Need {
  int ranks;     ///< number of ranks of this host
  double bytes;  ///< need of this rank
  double ofAll;  ///< need of these ranks together
};

/// Returns the reason why this rank's need is more than a bound allows, or an empty text. Assumes
/// that ranks that share a control group need as much as this one, unless all ranks of the host
/// share it.
std::string whyTooMuch(const Need& need, const MemoryBound& bound) {
  const double bytes = bound.sharers == need.ranks ? need.ofAll : bound.sharers * need.bytes;
  if (bytes <= bound.most) return "";
  const std::string most = text(bound.most);
  if (bound.kind == MemoryBound::Host) return text(bytes) + " on a host, which has " + most;
  if (bound.kind == MemoryBound::Process)
    return text(bytes) + " on a rank, which may have " + most + " (" + bound.source + ")";
  return text(bytes) + " in " + bound.source + ", which may have " + most;
}

}  // namespace

int ranksOfHost(const Comm& comm) { return static_cast<int>(sumOverHost(1, comm)); }

void requireMemory(double bytes, const std::string& what, const Comm& comm) {
  const Need need{ranksOfHost(comm), bytes, sumOverHost(bytes, comm)};
  std::string why;
  for (const MemoryBound& bound : memoryBounds(need.ranks, !hasDevice))
    if (why.empty()) why = whyTooMuch(need, bound);
  throwEverywhere(comm, !why.empty(),
                  what + " needs at least " + why + ": use more hosts or a smaller matrix");
}

std::string lackOfMemory(const std::string& name, const std::string& error) {
  const auto says = [&](const char* words) { return error.find(words) != std::string::npos; };
  const bool lacks = says("bad_alloc") || says("failed to allocate") || says("out of memory");
  if (!lacks || error.find(name) != std::string::npos) return "";
  return name + ": there is not enough memory: use more hosts or a smaller matrix (" +
         error.substr(0, error.find('\n')) + ")";
}

}  // namespace Problems
}  // namespace Trident
