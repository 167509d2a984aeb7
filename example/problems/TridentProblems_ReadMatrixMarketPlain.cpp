// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <memory>

#include "TridentProblems_File.hpp"
#include "TridentProblems_ReadMatrixMarket.hpp"

namespace Trident {
namespace Problems {

namespace Details {

std::string atLine(const std::string& path, std::int64_t line, const std::string& what) {
  return path + (line > 0 ? ":" + std::to_string(line) : std::string()) + ": " + what;
}

void agreeOnEntries(const std::string& path, const MatrixMarketHeader& header,
                    const ParseOutcome& outcome, std::int64_t entriesHere, const Comm& comm) {
  throwEverywhere(comm, outcome.failed, outcome.message, outcome.line);
  const std::int64_t found = comm.sum(entriesHere);
  if (found == header.entries) return;
  throw MatrixError(path + ": the size line promises " + std::to_string(header.entries) +
                    " entries, but the file holds " + std::to_string(found) +
                    (found < header.entries ? ": is it truncated?" : ": correct the size line"));
}

}  // namespace Details

namespace {

constexpr std::size_t headerBufferBytes = std::size_t{1} << 20;
constexpr std::size_t bufferBytes = std::size_t{1} << 23;

/// A range of bytes of a file as a stream.
LineChunks::Source rangeOf(const File& file, std::int64_t begin, std::int64_t end) {
  return [&file, at = begin, end](char* to, std::size_t size) mutable {
    const std::int64_t bytes = std::min(static_cast<std::int64_t>(size), end - at);
    file.readAt(at, to, bytes);
    at += bytes;
    return static_cast<std::size_t>(bytes);
  };
}

MatrixMarketHeader readHeader(const File& file) {
  LineChunks chunks(rangeOf(file, 0, file.size()), headerBufferBytes);
  HeaderParser parser;
  try {
    for (Text text = chunks.next(); !text.empty(); text = chunks.next())
      if (parser.parse(text)) break;
    return parser.header();
  } catch (const LineError& e) {
    throw MatrixError(Details::atLine(file.path(), e.line(), e.what()));
  }
}

/// Where the first line that begins at or after byte `at` begins; the file's size if none does.
std::int64_t lineBegin(const File& file, std::int64_t at, std::int64_t fileBytes) {
  char buffer[4096];
  for (std::int64_t from = at - 1; from < fileBytes;) {  // byte at-1 may be the line end before
    const auto bytes = std::min<std::int64_t>(sizeof buffer, fileBytes - from);
    file.readAt(from, buffer, bytes);
    const char* newline = std::find(buffer, buffer + bytes, '\n');
    if (newline != buffer + bytes) return from + (newline - buffer) + 1;
    from += bytes;
  }
  return fileBytes;
}

/// This rank's bytes, from line to line: a line belongs to the rank of its first byte.
struct ByteRange {
  std::int64_t begin, end;
};

ByteRange shareOf(const File& file, const MatrixMarketHeader& header, const Comm& comm) {
  const std::int64_t fileBytes = file.size(), first = header.bytes;
  const std::int64_t share = (fileBytes - first) / comm.size();
  const auto border = [&](int rank) {
    if (rank == 0) return first;
    if (rank == comm.size()) return fileBytes;
    return lineBegin(file, first + rank * share, fileBytes);
  };
  // Less than a byte a rank: rank 0 takes them all.
  if (share == 0) return comm.rank() == 0 ? ByteRange{first, fileBytes} : ByteRange{first, first};
  return {border(comm.rank()), border(comm.rank() + 1)};
}

/// Parses this rank's lines. Errors that do not concern a line are thrown.
Details::ParseOutcome parseShare(const File& file, const ByteRange& range, EntryParser& parser) {
  Details::ParseOutcome outcome;
  LineChunks chunks(rangeOf(file, range.begin, range.end), bufferBytes);
  try {
    for (Text text = chunks.next(); !text.empty(); text = chunks.next()) parser.parse(text);
  } catch (const LineError& e) {
    outcome.failed = true;
    outcome.line = e.line();
    outcome.message =
        std::string(e.what()) + " (byte " + std::to_string(range.begin + e.byte()) + ")";
  }
  return outcome;
}

}  // namespace

MatrixMarketEntries readPlainMatrixMarket(const std::string& path, const Comm& comm) {
  std::unique_ptr<File> file;
  MatrixMarketEntries result;
  collectively(comm, [&] {
    file = std::make_unique<File>(path, File::Mode::read);
    if (comm.rank() == 0) result.header = readHeader(*file);
  });
  comm.broadcast(&result.header, static_cast<int>(sizeof result.header), 0);

  EntryParser parser(result.header);
  Details::ParseOutcome outcome;
  collectively(comm,
               [&] { outcome = parseShare(*file, shareOf(*file, result.header, comm), parser); });
  // A rank that failed has not seen all its lines, but the first that failed follows ranks that
  // have: its line number is right, and it is its message that all ranks throw.
  outcome.line += result.header.lines + comm.sumBefore(parser.lines());
  if (outcome.failed) outcome.message = Details::atLine(path, outcome.line, outcome.message);
  Details::agreeOnEntries(path, result.header, outcome, parser.entries(), comm);
  result.entries = parser.take();
  return result;
}

}  // namespace Problems
}  // namespace Trident
