// SPDX-License-Identifier: BSD-3-Clause
#include "TridentClustering_UsableCores.hpp"

#include <sched.h>

#include <algorithm>
#include <fstream>
#include <thread>

namespace Trident {
namespace Clustering {

namespace {

/// Returns the cores that the system lets this process run on.
int coresOfAffinity() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return CPU_COUNT(&allowed);
  return static_cast<int>(std::thread::hardware_concurrency());  // more than the set has room for
}

/// Returns the smaller of two bounds, of which 0 is none.
int smaller(int a, int b) { return a == 0 || b == 0 ? a + b : std::min(a, b); }

/// Returns the cores of a time in each period; 0 where there is no bound.
int coresOf(double time, double period) {
  return time > 0 && period > 0 ? std::max(1, static_cast<int>(std::min(time / period, 1e6))) : 0;
}

/// Returns the bound of one control group, of the second version or the first.
int coresOfGroup(const std::string& folder) {
  double time = 0, period = 0;
  std::ifstream both(folder + "/cpu.max");
  if (both >> time >> period) return coresOf(time, period);  // "max" is no number
  std::ifstream first(folder + "/cpu.cfs_quota_us"), second(folder + "/cpu.cfs_period_us");
  if (first >> time && second >> period) return coresOf(time, period);
  return 0;
}

/// Returns the smallest bound of a group and of those that it lies in. In a container the group's
/// own name may lead nowhere; then the topmost one is its own.
int coresOfGroups(const std::string& mount, std::string group) {
  int cores = 0;
  for (;;) {
    cores = smaller(cores, coresOfGroup(mount + group));
    if (group.empty() || group == "/") return cores;
    group.resize(group.rfind('/'));
  }
}

}  // namespace

int coresOfControlGroups(const std::string& root) {
  const std::string mounts = root + "/sys/fs/cgroup";
  std::ifstream lines(root + "/proc/self/cgroup");
  int cores = 0;
  for (std::string line; std::getline(lines, line);) {  // NUMBER:CONTROLLER,...:/GROUP
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second >= line.size() - 1 || line[second + 1] != '/') continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string group = line.substr(second + 1);
    if (controllers == ",,")
      cores = smaller(cores, coresOfGroups(mounts, group));
    else if (controllers.find(",cpu,") != std::string::npos)
      cores = smaller(cores, coresOfGroups(mounts + "/cpu", group));
  }
  return cores;
}

int usableCores() { return std::max(1, smaller(coresOfAffinity(), coresOfControlGroups())); }

}  // namespace Clustering
}  // namespace Trident
