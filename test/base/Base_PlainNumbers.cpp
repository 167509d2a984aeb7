// SPDX-License-Identifier: BSD-3-Clause
// Numbers are read and written with a point, whatever locale the program has set.
#include <Teuchos_UnitTestHarness.hpp>
#include <clocale>
#include <cstdio>
#include <limits>
#include <locale>
#include <sstream>
#include <string>
#include <vector>

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

TEUCHOS_UNIT_TEST(PlainNumbers, Written) {
  constexpr double most = std::numeric_limits<double>::max(),
                   infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> values{0,     -0.0, 0.1,    1e5, 1e6,     1e-5,
                                   1e300, most, 5e-324, 2.5, infinity};
  std::vector<std::string> theirs, ours;
  for (const double value : values)
    for (const char* format : {"%.6g", "%.17g", "%.3f", "%.1e"}) {
      char text[400];
      std::snprintf(text, sizeof text, format, value);
      theirs.emplace_back(text);
    }
  const WithCommas commas;
  std::ostringstream byStream;
  byStream << 12345.5;
  TEST_INEQUALITY(byStream.str(), "12345.5");
  for (const double value : values) {
    ours.push_back(plainText(value, 6));
    ours.push_back(plainText(value, 17));
    ours.push_back(plainText(value, 3, std::chars_format::fixed));
    ours.push_back(plainText(value, 1, std::chars_format::scientific));
  }
  TEST_COMPARE_ARRAYS(ours, theirs);
}

TEUCHOS_UNIT_TEST(PlainNumbers, Read) {
  const WithCommas commas;
  const auto reads = [&](const std::string& text, double number, std::size_t length) {
    std::size_t used = 0;
    TEST_EQUALITY(numberAtFront(text, used), number);
    TEST_EQUALITY(used, length);
  };
  reads("1.5GB", 1.5, 3);
  reads("1,5", 1, 1);
  reads(" +8", 8, 3);
  reads("-1e-3", -1e-3, 5);
  reads("1.000.000", 1, 5);
  reads("inf", std::numeric_limits<double>::infinity(), 3);
  for (const char* none : {"", "x", "+", "+-1", "1e999", "1e-999"}) reads(none, 0, 0);
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
