// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPROBLEMS_TEXTCHUNKS_HPP
#define TRIDENTPROBLEMS_TEXTCHUNKS_HPP

#include <cstdint>
#include <functional>
#include <string>

#include "TridentProblems_Comm.hpp"
#include "TridentProblems_File.hpp"
#include "TridentProblems_LineChunks.hpp"
#include "TridentProblems_TextInput.hpp"

/// \file TridentProblems_TextChunks.hpp
/// Texts in chunks of whole lines that are spread over the ranks.

namespace Trident {
namespace Problems {

/// A complaint about one line.
class LineError : public MatrixError {
 public:
  /// \param line counted from 1 \param byte offset of the line's first byte, from 0; both from the
  /// beginning of what the parser was given
  LineError(std::int64_t line, std::int64_t byte, const std::string& what)
      : MatrixError(what), line_(line), byte_(byte) {}
  std::int64_t line() const { return line_; }
  std::int64_t byte() const { return byte_; }

 private:
  std::int64_t line_, byte_;
};

/// Whole lines of a text. Only the text's last line may lack its line end.
struct TextChunk {
  std::int64_t byte = 0;  ///< bytes of the (unpacked) text before it
  Text text;
};

/// Takes a chunk. Throws LineError, counted from the chunk's beginning.
using TakeChunk = std::function<void(const TextChunk&)>;

/// Looks at what is dealt before it goes. Throws LineError, counted from the text's beginning: then
/// the lines before are dealt, and no others.
using CheckText = std::function<void(Text)>;

/// A way to cut a text.
struct TextCut {
  char end = '\n';                               ///< last character of a chunk
  std::size_t mostBytes = std::size_t{1} << 22;  ///< bytes of a chunk
};

/// The place where a part of a text begins.
struct TextPosition {
  std::int64_t lines = 0, bytes = 0;  ///< counts before it
};

/// Reads a text: each chunk reaches one rank, and a rank's chunks come in their order. Of a plain
/// file each rank reads a range of bytes; others are dealt by rank 0, which holds a few chunks.
///
/// Collective. `take` must not communicate; its memory is that of the rank's part.
/// \param begin where to begin: after a header, say
/// Throws MatrixError on every rank where the file cannot be read or `take` threw: that of the
/// first line complained about, as "path:12: what".
void readChunks(TextInput& input, const TextCut& cut, const TextPosition& begin,
                const TakeChunk& take, const Comm& comm);

namespace Details {

/// The outcome for a rank's share of the lines.
struct ParseOutcome {
  bool failed = false;
  std::int64_t line = 0;  ///< line in the file where known; orders the complaints of several ranks
  std::string message;
};

/// Returns "path:12: what"; no line if it is 0
std::string atLine(const std::string& path, std::int64_t line, const std::string& what);

/// Reads bytes begin .. end-1 of a file, which outlives the stream.
LineChunks::Source rangeOf(const File& file, std::int64_t begin, std::int64_t end);

/// \name The two ways of readPieces(). Collective.
///@{
/// Errors that concern no line are thrown, on every rank.
ParseOutcome takePlainChunks(const File& file, const TextCut& cut, const TextPosition& begin,
                             const TakeChunk& take, const Comm& comm);
/// Deals chunks. Rank 0 gets the text from `chunks`, which is null on the others. `unread` is what
/// was taken from it and not dealt, and begins at `begin`. A complaint is in the outcome, and ends
/// the dealing; what is thrown, is thrown by every rank. \param check may be empty; called where
/// there are several ranks
ParseOutcome takeDealtChunks(const std::string& path, LineChunks* chunks, Text unread,
                             const TextPosition& begin, std::size_t mostBytes,
                             const TakeChunk& take, const CheckText& check, const Comm& comm);
///@}

}  // namespace Details
}  // namespace Problems
}  // namespace Trident

#endif
