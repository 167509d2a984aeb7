// SPDX-License-Identifier: BSD-3-Clause
#include "TridentClustering_MclMatrixText.hpp"

#include <algorithm>
#include <sstream>

#include "TridentClustering_PairText.hpp"
#include "TridentProblems_MatrixMarketText.hpp"
#include "TridentProblems_ParseNumber.hpp"

namespace Trident {
namespace Clustering {

namespace {

bool isBlankOrControl(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// Skips the text between words: space, and comments from # to the line's end, which may be a
/// carriage return alone.
void skipBetween(const char*& at, const char* end) {
  while (at != end && (isBlankOrControl(*at) || *at == '#'))
    at = *at == '#' ? std::find_if(at, end, [](char c) { return c == '\n' || c == '\r'; }) : at + 1;
}

/// Returns the end of a word: before space, a comment, or the end of its column.
const char* endOfWord(const char* at, const char* end) {
  return std::find_if(at, end, [](char c) { return isBlankOrControl(c) || c == '$' || c == '#'; });
}

/// Returns the word at `at`, for messages; where it is the end of a column, that.
std::string butThereIs(const char* at, const char* end) {
  if (at == end) return ", but there the text ends";
  return ", but there is " + quote({at, std::max(endOfWord(at, end), at + 1)});
}

/// Reads the dimensions of "dimensions 12x12"; false where the words are others.
bool parseDimensions(const std::string& words, std::int64_t& rows, std::int64_t& columns) {
  const char *at = words.data(), *end = at + words.size();
  if (!parseInteger(at, end, rows) || at == end || *at++ != 'x') return false;
  return parseInteger(at, end, columns) && rows >= 0 && columns >= 0;
}

/// A list of nodes before the columns, `(mcldoms 0 1 2 $ )`: it should have all of them.
class ListedNodes {
 public:
  static bool isBegunBy(const std::string& line) {
    for (const char* key : {"(mclcols", "(mclrows", "(mcldoms"})
      if (line.compare(0, 8, key) == 0) return true;
    return false;
  }

  /// \param bytes of the text that has the list
  void begin(std::int64_t nodes, std::size_t bytes) {
    if (nodes > static_cast<std::int64_t>(bytes)) refuse();
    left_ = nodes;
    open_ = true;
    found_.assign(static_cast<std::size_t>(nodes), false);
  }
  bool open() const { return open_; }

  void take(const std::string& line) {
    std::istringstream words(line);
    for (std::string word; open_ && words >> word;) {
      if (word == "$")
        end();
      else
        take(word.data(), word.data() + word.size());
    }
  }

 private:
  void take(const char* at, const char* end) {
    std::int64_t node = 0;
    const bool good = parseInteger(at, end, node) && at == end && node >= 0 &&
                      node < static_cast<std::int64_t>(found_.size()) &&
                      !found_[static_cast<std::size_t>(node)];
    if (!good) refuse();
    found_[static_cast<std::size_t>(node)] = true;
    --left_;
  }
  void end() {
    if (left_ > 0) refuse();
    open_ = false;
  }
  [[noreturn]] static void refuse() {
    throw MatrixError(
        "nodes should be numbered from 0 without a gap, and a list of them have all: write the "
        "graph as labelled pairs (mcxdump) and read these with --abc");
  }

  bool open_ = false;
  std::int64_t left_ = 0;
  std::vector<bool> found_;
};

/// Throws if a line of the header says what is not read here.
void readHeaderLine(const std::string& line, MclHeader& header, bool& haveNodes) {
  std::istringstream words(line);
  std::string key, value;
  words >> key >> value;
  if (key == "mcltype" && value != "matrix")
    throw MatrixError("the file should hold a matrix (mcltype matrix)");
  if (key != "dimensions") return;
  std::int64_t columns = 0;
  if (!parseDimensions(value, header.nodes, columns))
    throw MatrixError("the dimensions should be two numbers, ROWSxCOLUMNS");
  if (columns != header.nodes) throw MatrixError("the matrix of a graph should be square");
  haveNodes = true;
}

}  // namespace

bool looksLikeMclMatrix(const std::string& text) {
  const Text unmarked = withoutMark({text.data(), text.data() + text.size()});
  const char *at = unmarked.begin, *end = unmarked.end;
  skipBetween(at, end);
  return std::string(at, end).compare(0, 10, "(mclheader") == 0;
}

bool mayListNodes(const std::string& text) {
  for (const char* key : {"\n(mclcols", "\n(mclrows", "\n(mcldoms"})
    if (text.find(key) != std::string::npos) return text.find("\nbegin") == std::string::npos;
  return false;
}

MclHeader parseMclHeader(const std::string& text) {
  MclHeader header;
  bool haveNodes = false;
  ListedNodes listed;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    ++header.columns.lines;
    try {
      withoutReturns({line.data(), line.data() + line.size()});
      if (haveNodes && ListedNodes::isBegunBy(line)) {
        listed.begin(header.nodes, text.size());
        listed.take(line.substr(8));
      } else if (listed.open()) {
        listed.take(line);
      } else {
        readHeaderLine(line, header, haveNodes);
      }
    } catch (const MatrixError& e) {
      throw LineError(header.columns.lines, header.columns.bytes, e.what());
    }
    header.columns.bytes += static_cast<std::int64_t>(line.size()) + 1;
    if (line.compare(0, 5, "begin") == 0 && haveNodes) return header;
  }
  throw LineError(header.columns.lines, header.columns.bytes,
                  "there are no dimensions, or no line \"begin\" after them: the file is no matrix "
                  "that mcl wrote as text");
}

std::string mclMatrixHeader(std::int64_t rows, std::int64_t columns) {
  return "(mclheader\nmcltype matrix\ndimensions " + std::to_string(rows) + "x" +
         std::to_string(columns) + "\n)\n(mclmatrix\nbegin\n";
}

std::int64_t MclColumnReader::parseNode(const char*& at, const char* end) const {
  std::int64_t node = 0;
  const char* next = at;  // `at` stays at what is wrong
  if (!parseInteger(next, end, node)) throw MatrixError("a node should be a whole number");
  if (node < 0 || node >= nodes_)
    throw MatrixError("a node should lie in 0.." + std::to_string(nodes_ - 1));
  at = next;
  return node;
}

/// Reads a weight behind a colon, where there is one.
double MclColumnReader::parseWeight(const char*& at, const char* end) {
  skipBetween(at, end);
  if (at == end || *at != ':') return 1;
  ++at;
  skipBetween(at, end);
  const char *const wordEnd = endOfWord(at, end), *next = at;  // `at` stays at what is wrong
  double weight = 0;
  if (!parseReal(next, wordEnd, weight) || next != wordEnd)
    throw MatrixError("the weight should be a number from 0 to 3.4e38");
  spread_.add(weight);
  weight = rule_->weightOf(weight);
  at = wordEnd;
  return weight;
}

void MclColumnReader::takeColumn(const char*& at, const char* end) {
  const auto row = static_cast<global_ordinal_type>(parseNode(at, end));
  static_cast<void>(parseWeight(at, end));  // mcl lets a column have one, and ignores it
  for (skipBetween(at, end); at != end && *at != '$'; skipBetween(at, end)) {
    const auto column = static_cast<global_ordinal_type>(parseNode(at, end));
    entries_.push_back({row, column, parseWeight(at, end)});
  }
  if (at == end) throw MatrixError("a column should end with $");
  ++at;
}

void MclColumnReader::take(const TextChunk& chunk) {
  const char *at = chunk.text.begin, *end = chunk.text.end;
  skipBetween(at, end);
  while (at != end && !ended_) {
    const char* begin = at;
    try {
      if (*at == ')')
        ended_ = true;
      else
        takeColumn(at, end);
    } catch (const MatrixError& e) {
      const Text before{chunk.text.begin, at};
      throw LineError(countLines(before) + 1, begin - chunk.text.begin,
                      e.what() + butThereIs(at, end));
    }
    skipBetween(at, end);
  }
}

}  // namespace Clustering
}  // namespace Trident
