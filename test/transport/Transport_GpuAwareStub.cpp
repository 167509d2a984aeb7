// SPDX-License-Identifier: BSD-3-Clause
// The decision whether device memory goes to MPI as it lies, with MPIs that are not here: a stub
// stands for them. There is a program for each way of asking, with the file of src/transport that
// asks so; its argument names the way. MPI is not started.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "Trident_StubMpi.hpp"
#include "transport/Trident_GpuAware.hpp"

namespace {

using Variable = std::optional<const char*>;  // none: not set

constexpr const char* open = "Open MPI v5.0.6, package: Stub";
constexpr const char* mpich = "MPICH Version:      4.2.1";
constexpr const char* cray = "MPI VERSION    : CRAY MPICH version 8.1.28.15 (ANL base 3.4a2)";
constexpr const char* other = "Some MPI 3.0";

struct Case {
  const char* name;
  int answer, status;  // answer and status of the stub
  Variable mpichEnabled, assumed;
  bool takes;  // expected result
};

// Lists cases that MPI answers: the answer wins, whatever the environment says.
std::vector<Case> answered(const char* name) {
  return {{name, 1, 0, {}, {}, true},    {name, 0, 0, {}, {}, false}, {name, 1, 0, "0", "0", true},
          {name, 0, 0, "1", "1", false}, {name, 1, 0, {}, "0", true}, {name, 0, 0, {}, "1", false}};
}

// Lists cases in which nothing can be asked, or what was asked failed: the stub's answer is to
// count for nothing.
std::vector<Case> unanswered(int status) {
  std::vector<Case> cases;
  for (const char* name : {mpich, cray})  // the variable of MPICH, then Tpetra's
    for (const Case& one : std::vector<Case>{{name, 0, status, "1", {}, true},
                                             {name, 1, status, "0", {}, false},
                                             {name, 0, status, "1", "0", true},
                                             {name, 1, status, "0", "1", false},
                                             {name, 0, status, {}, "1", true},
                                             {name, 1, status, {}, "0", false},
                                             {name, 0, status, "some", "1", true},
                                             {name, 1, status, {}, {}, false}})
      cases.push_back(one);
  for (const char* name : {open, other, ""})  // Tpetra's alone
    for (const Case& one : std::vector<Case>{{name, 1, status, "1", {}, false},
                                             {name, 1, status, "1", "0", false},
                                             {name, 0, status, "0", "1", true},
                                             {name, 0, status, {}, "ON", true},
                                             {name, 1, status, {}, {}, false}})
      cases.push_back(one);
  return cases;
}

std::vector<Case> casesOf(const std::string& way) {
  if (way == "OpenMpi") return answered(open);
  if (way == "None") return unanswered(0);
  std::vector<Case> cases = unanswered(1);  // MPICH's, which fails
  for (const char* name : {mpich, cray})
    for (const Case& one : answered(name)) cases.push_back(one);
  return cases;
}

void set(const char* name, Variable value) {
  if (value) {
    setenv(name, *value, 1);
  } else {
    unsetenv(name);
  }
}

}  // namespace

int main(int argc, char* argv[]) {
  if (argc != 2) return 2;
  int failures = 0, number = 0;
  for (const Case& one : casesOf(argv[1])) {
    TridentTest::stubMpi() = {one.name, one.answer, one.status};
    set("MPICH_GPU_SUPPORT_ENABLED", one.mpichEnabled);
    set("TPETRA_ASSUME_GPU_AWARE_MPI", one.assumed);
    const bool takes = Trident::Impl::mpiTakesDeviceMemory();
    ++number;
    if (takes == one.takes) continue;
    ++failures;
    std::printf(
        "case %d, \"%s\": the stub answers %d with status %d, MPICH's variable %s, "
        "Tpetra's %s: %d\n",
        number, one.name, one.answer, one.status, one.mpichEnabled.value_or("unset"),
        one.assumed.value_or("unset"), takes);
  }
  std::printf("%d cases, %d failed\n", number, failures);
  return failures > 0 || number == 0;
}
