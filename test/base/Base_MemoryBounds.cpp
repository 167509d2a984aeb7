// SPDX-License-Identifier: BSD-3-Clause
// Bounds of a process on its host's memory: control groups of both versions, as they stand on
// machines of several kinds, in folders that stand for /proc and /sys.

#include <sys/resource.h>
#include <unistd.h>

#include <Kokkos_Core.hpp>
#include <Teuchos_UnitTestHarness.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "base/Trident_Memory.hpp"
#include "base/Trident_MemoryBounds.hpp"

namespace Trident::Impl {
namespace {

namespace fs = std::filesystem;

constexpr double GB = 1e9;
const std::string unlimited1 = "9223372036854771712\n";  // as version 1 says it

/// A folder that stands for the root of a host with 64 GB (of 2^30 bytes), 48 of them free.
class FakeHost {
 public:
  FakeHost() {
    std::string name = (fs::temp_directory_path() / "TridentHostXXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp " + name);
    root_ = name;
    write("/proc/meminfo",
          "MemTotal:       67108864 kB\nMemFree: 1 kB\nMemAvailable: 50331648 kB\n");
  }
  ~FakeHost() { fs::remove_all(root_); }
  FakeHost(const FakeHost&) = delete;
  FakeHost& operator=(const FakeHost&) = delete;

  void write(const std::string& file, const std::string& text) const {
    fs::create_directories(fs::path(root_ + file).parent_path());
    std::ofstream(root_ + file) << text;
  }
  /// Writes the processes of a group; each has its number and the program that it runs.
  void processes(const std::string& group,
                 const std::vector<std::pair<std::string, std::string>>& all) const {
    std::string numbers;
    for (const auto& process : all) {
      const fs::path folder = root_ + "/proc/" + process.first;
      fs::create_directories(folder);
      fs::create_symlink(process.second, folder / "exe");
      if (process.first != "self") numbers += process.first + "\n";
    }
    write(group + "/cgroup.procs", numbers);
  }
  void version1(const std::string& group, const std::string& most, const std::string& used) const {
    write(group + "/memory.limit_in_bytes", most);
    write(group + "/memory.usage_in_bytes", used);
  }
  void version2(const std::string& group, const std::string& most, const std::string& used) const {
    write(group + "/memory.max", most);
    write(group + "/memory.high", "max\n");
    write(group + "/memory.current", used);
  }
  std::vector<MemoryBound> bounds(int ranks = 1) const { return memoryBounds(ranks, false, root_); }
  double most(int ranks = 1) const { return bytesOfRank(bounds(ranks)); }
  double left(int ranks = 1) const { return bytesLeftForRank(bounds(ranks)); }

 private:
  std::string root_;
};

const std::string unified = "29 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n";
const std::string memory1 =
    "30 25 0:27 / /sys/fs/cgroup/cpu rw shared:9 - cgroup cgroup rw,cpu\n"
    "31 25 0:28 / /sys/fs/cgroup/memory rw shared:10 - cgroup cgroup rw,memory\n";

TEUCHOS_UNIT_TEST(MemoryBounds, HostAlone) {
  const FakeHost host;
  TEST_EQUALITY(host.most(), 64.0 * (1 << 30));
  TEST_EQUALITY(host.left(), 48.0 * (1 << 30));
  TEST_EQUALITY(host.most(4), 16.0 * (1 << 30));
  TEST_EQUALITY(host.left(4), 12.0 * (1 << 30));
}

TEUCHOS_UNIT_TEST(MemoryBounds, NothingKnown) {
  TEST_EQUALITY_CONST(bytesOfRank({}), 0);
  TEST_EQUALITY_CONST(bytesLeftForRank({}), 0);
}

// Groups as Slurm has them: the job's group is limited, and a process is in one further in.
TEUCHOS_UNIT_TEST(MemoryBounds, Version1OfAJob) {
  const FakeHost host;
  host.write("/proc/self/cgroup", "5:cpu:/\n4:memory:/slurm/uid_7/job_9/step_0/task_0\n0::/\n");
  host.write("/proc/self/mountinfo", memory1);
  const std::string top = "/sys/fs/cgroup/memory";
  host.version1(top, unlimited1, "40000000000\n");
  host.version1(top + "/slurm", unlimited1, "30000000000\n");
  host.version1(top + "/slurm/uid_7/job_9", "8000000000\n", "3000000000\n");
  host.version1(top + "/slurm/uid_7/job_9/step_0", "9000000000\n", "1000000000\n");
  host.version1(top + "/slurm/uid_7/job_9/step_0/task_0", unlimited1, "1\n");
  TEST_EQUALITY(host.most(), 8 * GB);
  TEST_EQUALITY(host.left(), 5 * GB);
  TEST_EQUALITY(host.most(4), 2 * GB);
  TEST_EQUALITY(host.bounds()[2].source, "the control group /slurm/uid_7/job_9");
  // What files have in memory is given back: it is not taken.
  host.write(top + "/slurm/uid_7/job_9/memory.stat",
             "inactive_file 5\ntotal_inactive_file 500000000\ntotal_active_file 1500000000\n");
  TEST_EQUALITY(host.left(), 7 * GB);
  // A group may be told to count nothing of those inside.
  host.write(top + "/slurm/uid_7/job_9/memory.use_hierarchy", "0\n");
  TEST_EQUALITY(host.most(), 9 * GB);
}

// A container with the host's names of groups, and one whose mount shows its own group alone.
TEUCHOS_UNIT_TEST(MemoryBounds, Version1OfAContainer) {
  const FakeHost host;
  host.write("/proc/self/cgroup", "4:cpuacct,memory:/docker/12 34\n");
  host.write(
      "/proc/self/mountinfo",
      "31 25 0:28 /docker/12\\04034 /sys/fs/cgroup/memory ro - cgroup cgroup rw,cpuacct,memory\n");
  host.version1("/sys/fs/cgroup/memory", "150000000\n", "100000000\n");
  TEST_EQUALITY(host.most(), 0.15 * GB);
  TEST_EQUALITY(host.left(), 0.05 * GB);
  host.write("/proc/self/cgroup", "4:cpuacct,memory:/kubepods/5\n");  // not below the mount's top
  TEST_EQUALITY(host.most(), 0.15 * GB);
}

// Groups as systemd has them; a group without the controller has no such files.
TEUCHOS_UNIT_TEST(MemoryBounds, Version2Nested) {
  const FakeHost host;
  host.write("/proc/self/cgroup", "0::/user.slice/user-7.slice/session.scope\n");
  host.write("/proc/self/mountinfo", unified);
  const std::string user = "/sys/fs/cgroup/user.slice/user-7.slice";
  host.version2("/sys/fs/cgroup/user.slice", "max\n", "9000000000\n");
  host.version2(user, "4000000000\n", "3900000000\n");
  host.write(user + "/session.scope/cgroup.procs", "1\n2\n3\n4\n5\n6\n7\n8\n9\n");
  TEST_EQUALITY(host.most(), 4 * GB);
  TEST_EQUALITY(host.most(4), 1 * GB);
  TEST_EQUALITY(host.left(), 0.1 * GB);
  host.write(user + "/memory.stat", "anon 3\ninactive_file 1900000000\nactive_file 1000000000\n");
  TEST_EQUALITY(host.left(), 3 * GB);
  host.write(user + "/memory.high", "2000000000\n");  // above it, the system slows processes down
  TEST_EQUALITY(host.most(), 2 * GB);
  host.write(user + "/session.scope/memory.max", "1000000000\n");
  TEST_EQUALITY(host.most(), 1 * GB);
  host.version2("/sys/fs/cgroup", "500000000\n", "600000000\n");  // a container's own top
  TEST_EQUALITY(host.most(), 0.5 * GB);
  TEST_EQUALITY_CONST(host.left(), 1);  // more is taken than there may be
}

// Both versions stand side by side; the memory of this host is limited by version 1.
TEUCHOS_UNIT_TEST(MemoryBounds, BothVersions) {
  const FakeHost host;
  host.write("/proc/self/cgroup", "4:memory:/job\n1:name=systemd:/job\n0::/job\n");
  host.write("/proc/self/mountinfo",
             memory1 + "32 25 0:29 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
  host.write("/sys/fs/cgroup/unified/job/cgroup.procs", "1\n");
  host.version1("/sys/fs/cgroup/memory/job", "7000000000\n", "0\n");
  TEST_EQUALITY(host.most(), 7 * GB);
  host.version2("/sys/fs/cgroup/unified/job", "6000000000\n", "0\n");
  TEST_EQUALITY(host.most(), 6 * GB);
}

// A group of each rank alone is not divided; one that has all processes is.
TEUCHOS_UNIT_TEST(MemoryBounds, GroupOfEachRank) {
  const FakeHost host;
  host.write("/proc/self/cgroup", "0::/job/rank_2\n");
  host.write("/proc/self/mountinfo", unified);
  for (const std::string rank : {"0", "1", "2", "3"})
    host.write("/sys/fs/cgroup/job/rank_" + rank + "/cgroup.procs", "12" + rank + "\n");
  host.version2("/sys/fs/cgroup/job/rank_2", "1000000000\n", "200000000\n");
  TEST_EQUALITY(host.most(4), 1 * GB);
  TEST_EQUALITY(host.left(4), 0.8 * GB);
  host.version2("/sys/fs/cgroup/job", "2000000000\n", "0\n");
  TEST_EQUALITY(host.most(4), 0.5 * GB);
  TEST_EQUALITY(host.most(3), 2 * GB / 3);
}

// A script that starts a rank, and what it runs beside it, are no ranks. Of process 9 the system
// says nothing: it may be one.
TEUCHOS_UNIT_TEST(MemoryBounds, GroupWithOtherPrograms) {
  const FakeHost host;
  host.write("/proc/self/cgroup", "0::/task\n");
  host.write("/proc/self/mountinfo", unified);
  const std::string task = "/sys/fs/cgroup/task";
  host.version2(task, "1000000000\n", "200000000\n");
  host.processes(task, {{"self", "/bin/app"},
                        {"5", "/bin/bash"},
                        {"6", "/bin/sleep"},
                        {"7", "/bin/app"},
                        {"8", "/bin/bash"}});
  TEST_EQUALITY(host.most(4), 1 * GB);
  host.write(task + "/inner/cgroup.procs", "7\n9\n");
  TEST_EQUALITY(host.most(4), 1 * GB / 3);
  TEST_EQUALITY(host.most(2), 0.5 * GB);
}

TEUCHOS_UNIT_TEST(MemoryBounds, TextThatIsNoGroup) {
  const FakeHost host;
  host.write("/proc/self/cgroup", "\n:\nnothing\n4:memory:\n4:memory:/../other\n0::/\n");
  host.write("/proc/self/mountinfo", "\n1 2\n1 2 3 / /x\\0 - \n" + memory1 + unified);
  TEST_EQUALITY(host.most(), 64.0 * (1 << 30));
}

/// Lowers a soft limit of this process while it lives.
class Limit {
 public:
  Limit(int resource, double bytes) : resource_(resource) {
    getrlimit(resource_, &before_);
    struct rlimit less = before_;
    less.rlim_cur = static_cast<rlim_t>(bytes);
    setrlimit(resource_, &less);
  }
  ~Limit() { setrlimit(resource_, &before_); }

 private:
  int resource_;
  struct rlimit before_;
};

TEUCHOS_UNIT_TEST(MemoryBounds, LimitsOfTheProcess) {
  for (const int resource : {RLIMIT_AS, RLIMIT_DATA, RLIMIT_RSS}) {
    const Limit limit(resource, 40 * GB);
    const auto with = memoryBounds(4, true), without = memoryBounds(4, false);
    TEST_EQUALITY(with.size() - without.size(), std::size_t(resource != RLIMIT_RSS));
    const MemoryBound& bound = with.back();
    TEST_EQUALITY(bound.most, 40 * GB);
    TEST_EQUALITY_CONST(bound.sharers, 1);
    TEST_COMPARE(bound.taken, >, 1e5);
    TEST_COMPARE(bound.taken, <, 40 * GB);
  }
}

// The library's own question, on this machine.
TEUCHOS_UNIT_TEST(MemoryBounds, OfARank) {
  const double all = usableBytes(MemoryKind::Host, 1), left = availableBytes(MemoryKind::Host, 1);
  out << all << " bytes, of these " << left << " not taken\n";
  TEST_COMPARE(all, >, 0);
  TEST_COMPARE(left, <=, all);
  TEST_COMPARE(usableBytes(MemoryKind::Host, 1000), <=, all);
  constexpr bool hasDevice =
      !Kokkos::SpaceAccessibility<Kokkos::HostSpace,
                                  Kokkos::DefaultExecutionSpace::memory_space>::accessible;
  if (hasDevice) return;
  const Limit limit(RLIMIT_AS, all / 2);
  TEST_COMPARE(usableBytes(MemoryKind::Host, 1), <=, all / 2);
  TEST_COMPARE(availableBytes(MemoryKind::Host, 1), <, all / 2);
}

}  // namespace

}  // namespace Trident::Impl
