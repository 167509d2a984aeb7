// SPDX-License-Identifier: BSD-3-Clause
// Input: the text of a Matrix Market file.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "Fuzz_Tools.hpp"
#include "TridentProblems_MatrixMarketText.hpp"
#include "TridentProblems_ParseNumber.hpp"

namespace {

using namespace Trident::Problems;

/// The grammar's result for a text, by itself.
struct Outcome {
  std::int64_t rows = 0, columns = 0, promised = 0, headerBytes = 0, lines = 0;
  std::vector<Entry> entries;
  std::string error;
};

/// Parses chunks of whole lines as they come from `next`.
template <class Next>
Outcome parseChunks(const Next& next) {
  Outcome outcome;
  std::int64_t line = 0, byte = 0;  // where the parser at work began
  HeaderParser header;
  std::unique_ptr<EntryParser> entries;
  try {
    for (Text text = next(); !text.empty(); text = next()) {
      if (entries == nullptr) {
        if (!header.parse(text)) continue;
        line = header.header().lines;
        byte = header.header().bytes;
        entries = std::make_unique<EntryParser>(header.header());
      }
      entries->parse(text);
    }
    const MatrixMarketHeader& head = header.header();
    outcome.rows = head.rows;
    outcome.columns = head.columns;
    outcome.promised = head.entries;
    outcome.headerBytes = head.bytes;
  } catch (const LineError& e) {
    outcome.error =
        std::to_string(line + e.line()) + " " + std::to_string(byte + e.byte()) + " " + e.what();
  }
  if (entries != nullptr) {
    outcome.lines = entries->lines();
    outcome.entries = entries->take();
  }
  return outcome;
}

bool same(const Entry& a, const Entry& b) {
  return a.row == b.row && a.column == b.column &&
         std::memcmp(&a.value, &b.value, sizeof a.value) == 0;
}

bool same(const Outcome& a, const Outcome& b) {
  return a.rows == b.rows && a.columns == b.columns && a.promised == b.promised &&
         a.headerBytes == b.headerBytes && a.lines == b.lines && a.error == b.error &&
         std::equal(a.entries.begin(), a.entries.end(), b.entries.begin(), b.entries.end(),
                    [](const Entry& x, const Entry& y) { return same(x, y); });
}

/// Complains unless the text in one chunk and in many comes to one result.
void checkChunks(Text whole) {
  Text left = whole;
  const Outcome atOnce = parseChunks([&] {
    return std::exchange(left, Text{whole.end, whole.end});
  });
  for (const Entry& entry : atOnce.entries)
    if (entry.row < 0 || entry.row >= atOnce.rows || entry.column < 0 ||
        entry.column >= atOnce.columns)
      if (atOnce.error.empty()) Fuzz::complain("an entry lies outside the matrix");

  const char* at = whole.begin;
  LineChunks chunks(
      [&](char* to, std::size_t size) {
        const std::size_t bytes = std::min({size, std::size_t{5}, std::size_t(whole.end - at)});
        std::memcpy(to, at, bytes);
        at += bytes;
        return bytes;
      },
      100);
  try {
    if (!same(atOnce, parseChunks([&] { return chunks.next(); })))
      Fuzz::complain("the text in pieces is not what it is as a whole");
  } catch (const LineError&) {
    Fuzz::complain("a complaint about a line got lost");
  } catch (const MatrixError&) {  // a line longer than the buffer
  }
}

/// Numbers against the C library's, which takes more than these functions and nothing otherwise.
void checkNumber(Text text) {
  const std::string word(text.begin, text.end);
  const char* at = word.data();
  const char* const end = at + word.size();
  double real = 0;
  if (parseReal(at, end, real)) {
    std::string plain = word.substr(0, static_cast<std::size_t>(at - word.data()));
    for (char& c : plain)
      if (c == 'd' || c == 'D') c = 'e';
    char* parsedEnd = nullptr;
    const double expected = std::strtod(plain.c_str(), &parsedEnd);
    if (parsedEnd != plain.c_str() + plain.size() ||
        !(real == expected || (std::isnan(real) && std::isnan(expected))))
      Fuzz::complain("\"" + plain + "\" is not the number that it is to strtod");
  }
  at = word.data();
  std::int64_t integer = 0;
  if (parseInteger(at, end, integer)) {
    char* parsedEnd = nullptr;
    if (std::strtoll(word.c_str(), &parsedEnd, 10) != integer ||
        parsedEnd - word.c_str() != at - word.data())
      Fuzz::complain("\"" + word + "\" is not the integer that it is to strtoll");
  }
}

void checkNumbers(Text text) {
  const auto isSpace = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  for (const char* at = text.begin; at != text.end;) {
    const char* const begin = std::find_if_not(at, text.end, isSpace);
    at = std::find_if(begin, text.end, isSpace);
    if (begin != at) checkNumber({begin, at});
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const char* const begin = reinterpret_cast<const char*>(data);
  checkChunks({begin, begin + size});
  checkNumbers({begin, begin + size});
  Fuzz::readAndCompare(Fuzz::makeFile("a.mtx", data, size));
  return 0;
}
