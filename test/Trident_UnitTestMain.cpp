// SPDX-License-Identifier: BSD-3-Clause
// The main function of every unit test: a test passes only where it passes on all ranks.
// TRIDENT_TEST_THREADS (single, funneled, serialized, multiple: the default) is what MPI is asked
// for, as an application might. TRIDENT_TEST_QUIET are the seconds for one unit test, and
// TRIDENT_TEST_WATCHDOG those for all, after which every rank says where it stands, and the tests
// have failed.
// TRIDENT_TEST_ALONE are the groups that are tests of CTest of their own: those whose tests need
// what is not everywhere (Trident_TestNeeds.hpp). The status is 77 where all tests were skipped
// that do not run elsewhere.

#include <mpi.h>

#include <Teuchos_UnitTestRepository.hpp>
#include <Teuchos_VerboseObject.hpp>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <streambuf>
#include <string>
#include <utility>
#include <vector>

#include "Trident_ScopeGuard.hpp"
#include "Trident_TestNeeds.hpp"
#include "Trident_Watchdog.hpp"

namespace {

int threadLevel() {
  const char* const asked = std::getenv("TRIDENT_TEST_THREADS");
  const std::string name = asked ? asked : "multiple";
  if (name == "single") return MPI_THREAD_SINGLE;
  if (name == "funneled") return MPI_THREAD_FUNNELED;
  if (name == "serialized") return MPI_THREAD_SERIALIZED;
  if (name == "multiple") return MPI_THREAD_MULTIPLE;
  throw std::invalid_argument("TRIDENT_TEST_THREADS=" + name);
}

/// "0. Group_Name_UnitTest" of the test that now runs.
std::string runningTest;

/// Tests that were skipped, with their reasons.
std::vector<std::pair<std::string, std::string>> skipped;
/// Tests whose groups are tests of CTest of their own.
int elsewhere = 0;

/// The number of tests that ran, by Teuchos' last line.
int testsRun = -1;

/// Reads along what Teuchos writes while it lives, on every rank: the line that it flushes before a
/// test names it, the line at the end has the number of tests, and Teuchos tells them in no other
/// way.
class NamesOfTests : public std::streambuf {
 public:
  explicit NamesOfTests(TridentTest::Watchdog& watchdog)
      : watchdog_(watchdog),
        stream_(Teuchos::VerboseObjectBase::getDefaultOStream()),
        wrapped_(stream_->rdbuf(this)) {}
  ~NamesOfTests() override { stream_->rdbuf(wrapped_); }

 protected:
  int overflow(int character) override {
    if (character == traits_type::eof()) return traits_type::not_eof(character);
    note(traits_type::to_char_type(character));
    return wrapped_->sputc(traits_type::to_char_type(character));
  }
  std::streamsize xsputn(const char* text, std::streamsize length) override {
    for (std::streamsize n = 0; n < length; ++n) note(text[n]);
    return wrapped_->sputn(text, length);
  }
  int sync() override {
    if (!line_.empty()) {
      runningTest = line_.substr(0, line_.find(" ..."));
      watchdog_.at(runningTest);
    }
    return wrapped_->pubsync();
  }

 private:
  void note(char character) {
    if (character != '\n') {
      line_ += character;
      return;
    }
    int total = 0;
    std::sscanf(line_.c_str(), "Summary: total = %d, run = %d", &total, &testsRun);
    line_.clear();
  }

  TridentTest::Watchdog& watchdog_;
  const Teuchos::RCP<std::ostream> stream_;
  std::streambuf* const wrapped_;
  std::string line_;
};

/// Says on rank 0 what was skipped. The status of a program whose unit tests ended with `status`.
/// Collective.
int reportSkipped(int status) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int counts[] = {static_cast<int>(skipped.size()), -static_cast<int>(skipped.size())};
  MPI_Allreduce(MPI_IN_PLACE, counts, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Bcast(&testsRun, 1, MPI_INT, 0, MPI_COMM_WORLD);
  const char* const wrong = counts[0] != -counts[1] ? "Ranks disagree on what is to be skipped"
                            : testsRun == 0         ? "No test has this name"
                                                    : nullptr;
  if (wrong) {
    if (rank == 0) std::cout << wrong << std::endl;
    return 1;
  }
  if (rank == 0)
    for (const auto& test : skipped)
      std::cout << "Skipped " << test.first << ": " << test.second << std::endl;
  if (status != 0 || skipped.empty()) return status;
  if (static_cast<int>(skipped.size()) + elsewhere == testsRun) return 77;
  if (rank == 0) std::cout << "Some tests were skipped beside others that ran" << std::endl;
  return 0;
}

}  // namespace

void TridentTest::skip(const std::string& reason) { skipped.emplace_back(runningTest, reason); }

bool TridentTest::runsElsewhere() {
  const char* const alone = std::getenv("TRIDENT_TEST_ALONE");
  std::istringstream groups(alone ? alone : "");
  for (std::string group; std::getline(groups, group, ',');)
    if (runningTest.find(". " + group + "_") != std::string::npos) {
      ++elsewhere;
      return true;
    }
  return false;
}

int main(int argc, char* argv[]) {
  Trident::ScopeGuard scope(&argc, &argv, threadLevel());
  TridentTest::Watchdog watchdog;
  const NamesOfTests names(watchdog);
  Teuchos::UnitTestRepository::setGloballyReduceTestResult(true);
  return reportSkipped(Teuchos::UnitTestRepository::runUnitTestsFromMain(argc, argv));
}
