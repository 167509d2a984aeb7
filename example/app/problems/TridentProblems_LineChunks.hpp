// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPROBLEMS_LINECHUNKS_HPP
#define TRIDENTPROBLEMS_LINECHUNKS_HPP

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "TridentProblems_Types.hpp"

namespace Trident {
namespace Problems {

/// A chunk of text.
struct Text {
  const char* begin = nullptr;
  const char* end = nullptr;
  bool empty() const { return begin == end; }
  std::size_t size() const { return static_cast<std::size_t>(end - begin); }
};

/// Returns the beginning of a file without the mark that some programs write before UTF-8. Throws
/// MatrixError if a mark says that the text is UTF-16.
Text withoutMark(Text beginning);

/// Returns true for what isspace() takes in the locale "C".
inline bool isWhiteSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// Returns a line without carriage returns at its end (Windows). Throws MatrixError if one stands
/// inside of it: what follows would be taken for a part of this line, or of its comment.
Text withoutReturns(Text line);

/// Counts the line ends in a text.
std::int64_t countLines(Text text);

/// Cuts a stream of bytes into chunks of whole lines, holding one bounded buffer. What ends a line
/// may be another character than a line end; then it ends none in a comment, which goes from # to
/// the end of the text's line.
class LineChunks {
 public:
  /// Writes up to `size` bytes to `to`, returns how many; 0 is the end. May throw.
  using Source = std::function<std::size_t(char* to, std::size_t size)>;

  /// Makes chunks of a stream. The buffer grows up to `mostBytes`, as far as the stream fills it.
  LineChunks(Source source, std::size_t mostBytes, char end = '\n')
      : source_(std::move(source)), mostBytes_(mostBytes), end_(end) {}

  /// Returns the next whole lines, valid until the next call; an empty text at the end of the
  /// stream. Only the stream's last line may lack its line end. Throws MatrixError for a line
  /// beyond the buffer.
  Text next();

 private:
  void fill();
  std::size_t lastLineEnd() const;
  std::size_t lastEndOutsideComments() const;

  Source source_;
  std::size_t mostBytes_;
  char end_;
  std::vector<char> buffer_;
  std::size_t used_ = 0;    // bytes in the buffer
  std::size_t handed_ = 0;  // bytes at its front that the last call gave away
  bool atEnd_ = false;
};

}  // namespace Problems
}  // namespace Trident

#endif
