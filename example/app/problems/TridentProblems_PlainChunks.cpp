// SPDX-License-Identifier: BSD-3-Clause
// Chunks of a text of which each rank reads a range of bytes.
#include <algorithm>

#include "TridentProblems_TextChunks.hpp"

namespace Trident {
namespace Problems {
namespace Details {

LineChunks::Source rangeOf(const File& file, std::int64_t begin, std::int64_t end) {
  return [&file, at = begin, end](char* to, std::size_t size) mutable {
    const std::int64_t bytes = std::min(static_cast<std::int64_t>(size), end - at);
    file.readAt(at, to, bytes);
    at += bytes;
    return static_cast<std::size_t>(bytes);
  };
}

namespace {

/// Returns the first byte at or after `at` that follows an end of a line; the file's size if none
/// does.
std::int64_t lineBegin(const File& file, std::int64_t at, std::int64_t fileBytes, char end) {
  char buffer[4096];
  for (std::int64_t from = at - 1; from < fileBytes;) {  // byte at-1 may be the line end before
    const auto bytes = std::min<std::int64_t>(sizeof buffer, fileBytes - from);
    file.readAt(from, buffer, bytes);
    const char* found = std::find(buffer, buffer + bytes, end);
    if (found != buffer + bytes) return from + (found - buffer) + 1;
    from += bytes;
  }
  return fileBytes;
}

/// This rank's bytes, from line to line: a line belongs to the rank of its first byte.
struct ByteRange {
  std::int64_t begin, end;
};

ByteRange shareOf(const File& file, std::int64_t first, char end, const Comm& comm) {
  const std::int64_t fileBytes = file.size();
  const std::int64_t share = (fileBytes - first) / comm.size();
  const auto border = [&](int rank) {
    if (rank == 0) return first;
    if (rank == comm.size()) return fileBytes;
    return lineBegin(file, first + rank * share, fileBytes, end);
  };
  // Less than a byte a rank: rank 0 takes them all.
  if (share == 0) return comm.rank() == 0 ? ByteRange{first, fileBytes} : ByteRange{first, first};
  return {border(comm.rank()), border(comm.rank() + 1)};
}

/// Takes this rank's lines. Errors that do not concern a line are thrown.
/// \param[out] lines of this rank, up to the one that is wrong
ParseOutcome takeShare(const File& file, const ByteRange& range, const TextCut& cut,
                       const TakeChunk& take, std::int64_t& lines) {
  ParseOutcome outcome;
  LineChunks chunks(rangeOf(file, range.begin, range.end), cut.mostBytes, cut.end);
  TextChunk chunk{range.begin, chunks.next()};
  try {
    while (!chunk.text.empty()) {
      take(chunk);
      lines += countLines(chunk.text);
      chunk.byte += static_cast<std::int64_t>(chunk.text.size());
      chunk.text = chunks.next();
    }
  } catch (const LineError& e) {
    outcome.failed = true;
    lines += e.line();
    outcome.line = lines;
    outcome.message =
        std::string(e.what()) + " (byte " + std::to_string(chunk.byte + e.byte()) + ")";
  }
  return outcome;
}

}  // namespace

ParseOutcome takePlainChunks(const File& file, const TextCut& cut, const TextPosition& begin,
                             const TakeChunk& take, const Comm& comm) {
  ParseOutcome outcome;
  std::int64_t lines = 0;
  collectively(comm, [&] {
    outcome = takeShare(file, shareOf(file, begin.bytes, cut.end, comm), cut, take, lines);
  });
  // A rank that failed has counted its lines up to the wrong one. So the first that failed, which
  // follows ranks that have seen all of theirs, has the right number, and later ranks larger ones:
  // all ranks throw the message with the smallest.
  outcome.line += begin.lines + comm.sumBefore(lines);
  if (outcome.failed) outcome.message = atLine(file.path(), outcome.line, outcome.message);
  return outcome;
}

}  // namespace Details
}  // namespace Problems
}  // namespace Trident
