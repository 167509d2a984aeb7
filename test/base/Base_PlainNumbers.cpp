// SPDX-License-Identifier: BSD-3-Clause
// Numbers are read and written with a point, whatever locale the program has set.
#include <Teuchos_UnitTestHarness.hpp>
#include <clocale>
#include <cstdio>
#include <locale>
#include <string>

#include "Trident_Report.hpp"
#include "base/Trident_PlainNumbers.hpp"

namespace {

using namespace Trident::Impl;

struct Commas : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

/// While it lives, numbers of streams have commas, and those of C where the machine has a locale
/// for it.
class WithCommas {
 public:
  WithCommas()
      : streams_(std::locale::global(std::locale(std::locale::classic(), new Commas))),
        c_(std::setlocale(LC_NUMERIC, nullptr)) {
    for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8", "de_DE"})
      if (std::setlocale(LC_NUMERIC, name)) return;
  }
  ~WithCommas() {
    std::locale::global(streams_);
    std::setlocale(LC_NUMERIC, c_.c_str());
  }

 private:
  std::locale streams_;
  std::string c_;
};

std::string byC(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

TEUCHOS_UNIT_TEST(PlainNumbers, Streams) {
  const WithCommas commas;
  std::ostringstream theirs;
  theirs << 12345.5;
  TEST_INEQUALITY(theirs.str(), "12345.5");
  PlainStream ours;
  ours << 1234567 << ' ' << 0.5;
  TEST_EQUALITY(ours.str(), "1234567 0.5");
}

TEUCHOS_UNIT_TEST(PlainNumbers, OfC) {
  const WithCommas commas;
  const std::string before = byC(0.5);
  {
    const PlainNumbers plain;
    TEST_EQUALITY(byC(0.5), "0.5");
    const PlainNumbers again;
    TEST_EQUALITY(byC(0.5), "0.5");
  }
  TEST_EQUALITY(byC(0.5), before);
  std::size_t used = 0;
  TEST_EQUALITY(numberAtFront("1.5GB", used), 1.5);
  TEST_EQUALITY(used, 3u);
  TEST_EQUALITY(numberAtFront("1,5", used), 1.0);
  numberAtFront("x", used);
  TEST_EQUALITY(used, 0u);
}

TEUCHOS_UNIT_TEST(PlainNumbers, Reports) {
  const WithCommas commas;
  const Trident::Report report;
  Trident::ReportSummary summary;
  summary.multiplyAdds = 3;
  summary.compressionRatio = 1.5;
  const std::string text = Trident::describe(report, summary);
  TEST_ASSERT(text.find("1.50 per entry of C") != std::string::npos);
}

}  // namespace
