// SPDX-License-Identifier: BSD-3-Clause
#include "TridentProblems_LineChunks.hpp"

#include <algorithm>
#include <cstring>

namespace Trident {
namespace Problems {

std::int64_t countLines(Text text) { return std::count(text.begin, text.end, '\n'); }

Text withoutMark(Text beginning) {
  const auto begins = [&](const char* mark) {
    const std::size_t bytes = std::strlen(mark);
    return beginning.size() >= bytes && std::memcmp(beginning.begin, mark, bytes) == 0;
  };
  if (begins("\xff\xfe") || begins("\xfe\xff"))
    throw MatrixError("the text is UTF-16: save it as UTF-8 or ASCII");
  if (begins("\xef\xbb\xbf")) beginning.begin += 3;
  return beginning;
}

Text withoutReturns(Text line) {
  if (line.empty()) return line;  // nor may there be a pointer
  const auto* inside = static_cast<const char*>(std::memchr(line.begin, '\r', line.size()));
  if (inside == nullptr) return line;
  while (!line.empty() && line.end[-1] == '\r') --line.end;
  if (inside < line.end)
    throw MatrixError(
        "a line should have no carriage return inside (convert such a file, as by tr '\\r' '\\n')");
  return line;
}

namespace {
constexpr std::size_t firstBytes = std::size_t{1} << 16;
}

void LineChunks::fill() {
  while (!atEnd_ && used_ < mostBytes_) {
    if (used_ == buffer_.size())
      buffer_.resize(std::min(mostBytes_, std::max(firstBytes, 2 * buffer_.size())));
    const std::size_t got = source_(buffer_.data() + used_, buffer_.size() - used_);
    used_ += got;
    atEnd_ = got == 0;
  }
}

std::size_t LineChunks::lastLineEnd() const {
  std::size_t whole = used_;
  while (whole > 0 && buffer_[whole - 1] != end_) --whole;
  return whole;
}

// Finds the last end of a line outside comments: a chunk begins behind an end, and so in no
// comment.
std::size_t LineChunks::lastEndOutsideComments() const {
  std::size_t whole = 0;
  bool comment = false;
  for (std::size_t n = 0; n < used_; ++n) {
    const char c = buffer_[n];
    comment = comment ? c != '\n' && c != '\r' : c == '#';
    if (c == end_ && !comment) whole = n + 1;
  }
  return whole;
}

Text LineChunks::next() {
  std::copy(buffer_.data() + handed_, buffer_.data() + used_, buffer_.data());
  used_ -= handed_;
  fill();
  std::size_t whole = used_;
  if (!atEnd_) {
    whole = end_ == '\n' ? lastLineEnd() : lastEndOutsideComments();
    if (whole == 0)
      throw MatrixError("a line is longer than " + std::to_string(buffer_.size()) +
                        " bytes: this is no file of the format expected");
  }
  handed_ = whole;
  return {buffer_.data(), buffer_.data() + whole};
}

}  // namespace Problems
}  // namespace Trident
