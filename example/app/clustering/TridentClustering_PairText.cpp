// SPDX-License-Identifier: BSD-3-Clause
#include "TridentClustering_PairText.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "TridentProblems_MatrixMarketText.hpp"
#include "TridentProblems_ParseNumber.hpp"

namespace Trident {
namespace Clustering {

namespace {

void skipSpaces(const char*& at, const char* end) {
  while (at != end && isWhiteSpace(*at)) ++at;
}

/// Takes the text before the next character for which `ends` holds; `at` goes there.
template <class Ends>
Text wordUntil(const char*& at, const char* end, const Ends& ends) {
  const char* begin = at;
  at = std::find_if(at, end, ends);
  return {begin, at};
}

/// Returns the weight that ends a line, as it is written.
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

/// Takes the weight behind a label's first colon off the label, where there is a number.
double takeWeight(Text& label) {
  const char* const colon = std::find(label.begin, label.end, ':');
  if (colon == label.begin || colon == label.end) return 1;
  const char* at = colon + 1;
  double weight = 0;
  if (!parseReal(at, label.end, weight) || at != label.end) return 1;
  label.end = colon;
  return weight;
}

/// Finds the two labels of a line; `at` goes behind them. Returns false where there are less.
bool parseLabels(Text line, const char*& at, LabelledPair& pair) {
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
  return !pair.first.empty() && !pair.second.empty();
}

/// Returns true if a line has no pair; else `at` goes to its first word.
bool isEmpty(Text line, const char*& at) {
  at = line.begin;
  skipSpaces(at, line.end);
  return at == line.end || *at == '#';
}

/// Returns true if a weight can be read: as in mcl, a number up to the characters behind it.
bool parseLeniently(const char* at, const char* end, double& weight) {
  weight = 1;
  skipSpaces(at, end);
  if (at == end) return true;
  end = std::find_if(at, end, isWhiteSpace);
  for (int tries = 0; end != at && tries < 64; --end, ++tries) {  // the longest that is a number
    const char* from = at;
    double read = 0;
    if (!parseReal(from, end, read) || from != end) continue;
    if (!(std::fabs(read) <= std::numeric_limits<float>::max())) return false;
    weight = read;
    return true;
  }
  return false;
}

}  // namespace

bool parsePair(Text line, LabelledPair& pair) {
  line = withoutReturns(line);
  const char* at = nullptr;
  if (isEmpty(line, at)) return false;
  if (!parseLabels(line, at, pair))
    throw MatrixError("a line should be LABEL LABEL or LABEL LABEL WEIGHT");
  pair.weight = parseWeight(at, line.end);
  return true;
}

std::int64_t PairReader::place(Text label, const TextChunk& chunk) {
  return labels_.add(label, chunk.byte + (label.begin - chunk.text.begin));
}

void PairReader::add(const LabelledPair& pair, const TextChunk& chunk) {
  const double weight = rule_->weightOf(pair.weight);
  spread_.add(rule_->changes() ? weight : pair.weight);
  // One after the other: the first label of a line comes first.
  const std::int64_t first = place(pair.first, chunk);
  const std::int64_t second = place(pair.second, chunk);
  pairs_.push_back({first, second, weight});
}

/// Reads a line of words. Those of sif and etc have no spaces. A node may stand alone.
void PairReader::takeNeighbours(Text line, const TextChunk& chunk) {
  line = withoutReturns(line);
  const char* at = line.begin;
  const auto nextWord = [&] {
    skipSpaces(at, line.end);
    return wordUntil(at, line.end, isWhiteSpace);
  };
  LabelledPair pair;
  pair.first = nextWord();
  if (pair.first.empty() || *pair.first.begin == '#') return;
  static_cast<void>(place(pair.first, chunk));
  if (lines_.form == PairLines::Form::sif) static_cast<void>(nextWord());
  for (pair.second = nextWord(); !pair.second.empty(); pair.second = nextWord()) {
    pair.weight = lines_.weighted ? takeWeight(pair.second) : 1;
    add(pair, chunk);
  }
}

void PairReader::takeLine(Text line, const TextChunk& chunk) {
  if (lines_.form != PairLines::Form::abc) return takeNeighbours(line, chunk);
  if (lines_.lenient) return takeLeniently(line, chunk);
  LabelledPair pair;
  if (parsePair(line, pair)) add(pair, chunk);
}

void PairReader::takeLeniently(Text line, const TextChunk& chunk) {
  line = withoutReturns(line);
  const char* at = nullptr;
  if (isEmpty(line, at)) return;
  LabelledPair pair;
  if (!parseLabels(line, at, pair)) {
    ++skippedLines_;
    return;
  }
  if (!parseLeniently(at, line.end, pair.weight)) ++unreadWeights_;
  add(pair, chunk);
}

void PairReader::take(const TextChunk& chunk) {
  std::int64_t lines = 0;
  for (Text rest = chunk.text; !rest.empty();) {
    const auto* newline = static_cast<const char*>(std::memchr(rest.begin, '\n', rest.size()));
    Text line{rest.begin, newline != nullptr ? newline : rest.end};
    ++lines;
    try {
      if (chunk.byte == 0 && lines == 1) line = withoutMark(line);
      takeLine(line, chunk);
    } catch (const MatrixError& e) {
      throw LineError(lines, rest.begin - chunk.text.begin,
                      std::string(e.what()) + ", but it is " + quote(line));
    }
    rest.begin = newline != nullptr ? newline + 1 : rest.end;
  }
}

}  // namespace Clustering
}  // namespace Trident
