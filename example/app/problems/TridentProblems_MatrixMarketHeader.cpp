// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cctype>
#include <sstream>

#include "TridentProblems_MatrixMarketText.hpp"
#include "TridentProblems_ParseNumber.hpp"

namespace Trident {
namespace Problems {

namespace {

std::vector<std::string> lowerCaseWords(Text line) {
  std::istringstream stream(std::string(line.begin, line.end));
  std::vector<std::string> words;
  for (std::string word; stream >> word;) {
    for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    words.push_back(word);
  }
  return words;
}

std::string quote(const std::string& word) {
  return Problems::quote({word.data(), word.data() + word.size()});
}

bool isBlankOrComment(Text line) {
  const auto* first = std::find_if_not(line.begin, line.end, [](char c) {
    return std::isspace(static_cast<unsigned char>(c)) != 0;
  });
  return first == line.end || *first == '%';
}

}  // namespace

std::string describe(const MatrixMarketHeader& header) {
  using H = MatrixMarketHeader;
  std::string text = header.field == H::Field::real              ? "real"
                     : header.field == H::Field::integer         ? "integer"
                     : header.field == H::Field::unsignedInteger ? "unsigned-integer"
                                                                 : "pattern";
  return text + (header.symmetry == H::Symmetry::general     ? " general"
                 : header.symmetry == H::Symmetry::symmetric ? " symmetric"
                                                             : " skew-symmetric");
}

bool looksLikeMatrixMarket(Text text) {
  text = withoutMark(text);
  text.end = std::find(text.begin, text.end, '\n');
  const std::vector<std::string> words = lowerCaseWords(text);
  return !words.empty() && words[0] == "%%matrixmarket";
}

void HeaderParser::fail(const std::string& what) const {
  throw LineError(header_.lines, header_.bytes, what);
}

bool HeaderParser::parse(Text& text) {
  while (!complete_ && !text.empty()) {
    const char* lineEnd = std::find(text.begin, text.end, '\n');
    const Text line{text.begin, lineEnd};
    text.begin = lineEnd == text.end ? lineEnd : lineEnd + 1;
    ++header_.lines;
    parseLine(line);
    header_.bytes += text.begin - line.begin;
  }
  return complete_;
}

void HeaderParser::parseLine(Text line) {
  try {
    if (!haveBanner_) line = withoutMark(line);
    line = withoutReturns(line);
  } catch (const MatrixError& e) {
    fail(e.what());
  }
  if (!haveBanner_)
    parseBanner(line);
  else if (!isBlankOrComment(line))
    complete_ = parseSizeLine(line);
}

void HeaderParser::parseBanner(Text line) {
  const std::vector<std::string> words = lowerCaseWords(line);
  if (words.size() != 5 || words[0] != "%%matrixmarket" || words[1] != "matrix")
    fail(
        "no Matrix Market file: it should begin with "
        "\"%%MatrixMarket matrix coordinate FIELD SYMMETRY\"");
  const std::string &format = words[2], &field = words[3], &symmetry = words[4];
  if (format != "coordinate")
    fail("format " + quote(format) + " is not supported: write the matrix as \"coordinate\"" +
         (format == "array" ? ", without its zeros" : ""));
  if (field == "real" || field == "double")
    header_.field = MatrixMarketHeader::Field::real;
  else if (field == "integer")
    header_.field = MatrixMarketHeader::Field::integer;
  else if (field == "unsigned-integer")
    header_.field = MatrixMarketHeader::Field::unsignedInteger;
  else if (field == "pattern")
    header_.field = MatrixMarketHeader::Field::pattern;
  else
    fail("field " + quote(field) +
         " is not supported: matrices here are real, so write real, "
         "integer or pattern values (of a complex matrix, its real part or its moduli)");
  if (symmetry == "general")
    header_.symmetry = MatrixMarketHeader::Symmetry::general;
  else if (symmetry == "symmetric" || (symmetry == "hermitian" && field != "pattern"))
    header_.symmetry = MatrixMarketHeader::Symmetry::symmetric;
  else if (symmetry == "skew-symmetric" && field != "pattern")
    header_.symmetry = MatrixMarketHeader::Symmetry::skew;
  else
    fail("symmetry " + quote(symmetry) + " of a " + field +
         " matrix is not supported: it should be "
         "general, symmetric or, but for pattern, hermitian or skew-symmetric");
  haveBanner_ = true;
}

bool HeaderParser::parseSizeLine(Text line) {
  const char* at = line.begin;
  for (std::int64_t* size : {&header_.rows, &header_.columns, &header_.entries}) {
    while (at != line.end && std::isspace(static_cast<unsigned char>(*at)) != 0) ++at;
    if (!parseInteger(at, line.end, *size) || *size < 0)
      fail("the size line should be three numbers, ROWS COLUMNS ENTRIES, none negative");
  }
  if (!isBlankOrComment({at, line.end})) fail("the size line has more than ROWS COLUMNS ENTRIES");
  if (header_.symmetry != MatrixMarketHeader::Symmetry::general && header_.rows != header_.columns)
    fail("a " + describe(header_) + " matrix should be square");
  return true;
}

const MatrixMarketHeader& HeaderParser::header() const {
  if (!complete_) fail("the file ends before the size line (ROWS COLUMNS ENTRIES)");
  return header_;
}

}  // namespace Problems
}  // namespace Trident
