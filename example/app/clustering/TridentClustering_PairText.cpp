// SPDX-License-Identifier: BSD-3-Clause
#include "TridentClustering_PairText.hpp"

#include <algorithm>
#include <cstring>

#include "TridentProblems_MatrixMarketText.hpp"
#include "TridentProblems_ParseNumber.hpp"

namespace Trident {
namespace Clustering {

namespace {

void skipSpaces(const char*& at, const char* end) {
  while (at != end && isWhiteSpace(*at)) ++at;
}

/// What lies before the next character for which `ends` holds; `at` goes there.
template <class Ends>
Text wordUntil(const char*& at, const char* end, const Ends& ends) {
  const char* begin = at;
  at = std::find_if(at, end, ends);
  return {begin, at};
}

/// The weight that ends a line, as it is written.
double parseWeight(const char* at, const char* end) {
  skipSpaces(at, end);
  if (at == end) return 1;
  double weight = 0;
  if (!parseReal(at, end, weight))
    throw MatrixError("the weight should be a number from 0 to 3.4e38");
  skipSpaces(at, end);
  if (at != end)
    throw MatrixError(
        "a line should end with the weight (leave out what follows it; put tabs around labels that "
        "have spaces)");
  return weight;
}

}  // namespace

bool parsePair(Text line, LabelledPair& pair) {
  line = withoutReturns(line);
  const char* at = line.begin;
  skipSpaces(at, line.end);
  if (at == line.end || *at == '#') return false;
  const auto isTab = [](char c) { return c == '\t'; };
  if (std::find_if(line.begin, line.end, isTab) != line.end) {
    at = line.begin;
    pair.first = wordUntil(at, line.end, isTab);
    skipSpaces(at, line.end);
    pair.second = wordUntil(at, line.end, isTab);
  } else {
    pair.first = wordUntil(at, line.end, isWhiteSpace);
    skipSpaces(at, line.end);
    pair.second = wordUntil(at, line.end, isWhiteSpace);
  }
  if (pair.first.empty() || pair.second.empty())
    throw MatrixError("a line should be LABEL LABEL or LABEL LABEL WEIGHT");
  pair.weight = parseWeight(at, line.end);
  return true;
}

void PairReader::take(const TextPiece& piece) {
  std::int64_t lines = 0;
  for (Text rest = piece.text; !rest.empty();) {
    const auto* newline = static_cast<const char*>(std::memchr(rest.begin, '\n', rest.size()));
    Text line{rest.begin, newline != nullptr ? newline : rest.end};
    ++lines;
    const auto positionOf = [&](const char* at) { return piece.byte + (at - piece.text.begin); };
    LabelledPair pair;
    try {
      if (piece.byte == 0 && lines == 1) line = withoutMark(line);
      if (parsePair(line, pair)) {
        const double weight = rule_->weightOf(pair.weight);
        spread_.add(rule_->changes() ? weight : pair.weight);
        // One after the other: the first label of a line comes first.
        const std::int64_t first = labels_.add(pair.first, positionOf(pair.first.begin));
        const std::int64_t second = labels_.add(pair.second, positionOf(pair.second.begin));
        pairs_.push_back({first, second, weight});
      }
    } catch (const MatrixError& e) {
      throw LineError(lines, rest.begin - piece.text.begin,
                      std::string(e.what()) + ", but it is " + quote(line));
    }
    rest.begin = newline != nullptr ? newline + 1 : rest.end;
  }
}

}  // namespace Clustering
}  // namespace Trident
