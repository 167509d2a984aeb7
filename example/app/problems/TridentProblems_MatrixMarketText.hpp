// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPROBLEMS_MATRIXMARKETTEXT_HPP
#define TRIDENTPROBLEMS_MATRIXMARKETTEXT_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "TridentProblems_Redistribute.hpp"
#include "TridentProblems_TextChunks.hpp"

/// \file TridentProblems_MatrixMarketText.hpp
/// The grammar of Matrix Market coordinate files: lines in, entries out. No communication.

namespace Trident {
namespace Problems {

/// Contents of the banner and the size line. Trivially copyable, to be broadcast as bytes.
struct MatrixMarketHeader {
  enum class Field { real, integer, unsignedInteger, pattern };
  enum class Symmetry { general, symmetric, skew };

  Field field = Field::real;
  Symmetry symmetry = Symmetry::general;
  std::int64_t rows = 0, columns = 0;
  std::int64_t entries = 0;  ///< entry lines in the file
  std::int64_t lines = 0;    ///< lines of the header, comments and size line included
  std::int64_t bytes = 0;    ///< bytes of the header: where the entries begin
};

/// Returns "coordinate pattern symmetric", say.
std::string describe(const MatrixMarketHeader& header);

/// Returns the beginning of a text in quotation marks, for messages; what is no printable ASCII is
/// a "?".
std::string quote(Text text);

/// Returns true if a text begins with the banner: also in capitals, behind blanks or a mark of
/// UTF-8. Throws MatrixError for UTF-16.
bool looksLikeMatrixMarket(Text text);

/// Reads the header from consecutive chunks of whole lines.
class HeaderParser {
 public:
  /// Consumes lines of `text`, up to the size line if it is there.
  /// \return whether the header is complete. Throws LineError.
  bool parse(Text& text);

  /// Returns the header; throws LineError if the text ended before the size line.
  const MatrixMarketHeader& header() const;

 private:
  void parseLine(Text line);
  void parseBanner(Text line);
  bool parseSizeLine(Text line);
  [[noreturn]] void fail(const std::string& what) const;

  MatrixMarketHeader header_;
  bool haveBanner_ = false, complete_ = false;
};

/// Counts entry lines, and complains about the first one beyond those that a header promises.
class EntryCounter {
 public:
  explicit EntryCounter(const MatrixMarketHeader& header) : promised_(header.entries) {}

  /// Throws LineError, counted from the beginning of `text`.
  void count(Text text);

 private:
  std::int64_t promised_, entries_ = 0;
};

/// Reads entry lines. Comments, blank lines and carriage returns at their ends are skipped.
class EntryParser {
 public:
  explicit EntryParser(const MatrixMarketHeader& header) : header_(header) {}

  /// Appends the entries of whole lines, mirrored where the file is symmetric. Throws LineError.
  void parse(Text text);

  /// Makes room for so many lines, so that entries are not copied as they grow. Throws
  /// std::bad_alloc.
  void reserve(std::int64_t lines) {
    const bool mirrored = header_.symmetry != MatrixMarketHeader::Symmetry::general;
    result_.reserve(static_cast<std::size_t>(mirrored ? 2 * lines : lines));
  }

  std::int64_t lines() const { return lines_; }      ///< lines seen, complete or not
  std::int64_t entries() const { return entries_; }  ///< entry lines seen
  /// Counts the entries seen above the diagonal, and below() those below it, of a file that has one
  /// half.
  std::int64_t above() const { return above_; }
  std::int64_t below() const { return below_; }
  std::vector<Entry> take() { return std::move(result_); }

 private:
  void parseLine(Text line);
  void append(std::int64_t row, std::int64_t column, scalar_type value);
  std::int64_t parseIndex(const char*& at, const char* end, const char* name,
                          std::int64_t most) const;
  scalar_type parseValue(const char*& at, const char* end) const;
  scalar_type parseWholeValue(const char*& at, const char* end) const;

  MatrixMarketHeader header_;
  std::vector<Entry> result_;
  std::int64_t lines_ = 0, entries_ = 0, bytes_ = 0, above_ = 0, below_ = 0;
};

}  // namespace Problems
}  // namespace Trident

#endif
