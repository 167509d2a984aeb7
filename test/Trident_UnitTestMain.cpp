// SPDX-License-Identifier: BSD-3-Clause
// The main function of every unit test: a test passes only where it passes on all ranks.
// TRIDENT_TEST_THREADS (single, funneled, serialized, multiple: the default) is what MPI is asked
// for, as an application might. TRIDENT_TEST_WATCHDOG are the seconds after which every rank says
// where it stands, and the tests have failed.

#include <Teuchos_UnitTestRepository.hpp>
#include <Teuchos_VerboseObject.hpp>
#include <cstdlib>
#include <stdexcept>
#include <streambuf>
#include <string>

#include "Trident_ScopeGuard.hpp"
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

/// Reads along what Teuchos writes while it lives, on every rank: the line that it flushes before a
/// test names it, and Teuchos tells it in no other way.
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
    if (!line_.empty()) watchdog_.at(line_.substr(0, line_.find(" ...")));
    return wrapped_->pubsync();
  }

 private:
  void note(char character) {
    if (character == '\n')
      line_.clear();
    else
      line_ += character;
  }

  TridentTest::Watchdog& watchdog_;
  const Teuchos::RCP<std::ostream> stream_;
  std::streambuf* const wrapped_;
  std::string line_;
};

}  // namespace

int main(int argc, char* argv[]) {
  Trident::ScopeGuard scope(&argc, &argv, threadLevel());
  TridentTest::Watchdog watchdog;
  const NamesOfTests names(watchdog);
  Teuchos::UnitTestRepository::setGloballyReduceTestResult(true);
  return Teuchos::UnitTestRepository::runUnitTestsFromMain(argc, argv);
}
