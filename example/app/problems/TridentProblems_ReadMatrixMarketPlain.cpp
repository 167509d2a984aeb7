// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <memory>

#include "TridentProblems_File.hpp"
#include "TridentProblems_ReadMatrixMarket.hpp"

namespace Trident {
namespace Problems {

namespace Details {

TakePiece pieceParser(EntryParser& parser) {
  return
      [&parser, lines = std::int64_t{0}, bytes = std::int64_t{0}](const TextPiece& piece) mutable {
        try {
          parser.parse(piece.text);
        } catch (const LineError& e) {  // the parser counts over all its pieces
          throw LineError(e.line() - lines, e.byte() - bytes, e.what());
        }
        lines = parser.lines();
        bytes += static_cast<std::int64_t>(piece.text.size());
      };
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

MatrixMarketHeader readHeader(LineChunks& chunks, Text& unread, const std::string& name) {
  HeaderParser parser;
  try {
    do unread = chunks.next();
    while (!unread.empty() && !parser.parse(unread));
    return parser.header();
  } catch (const LineError& e) {
    throw MatrixError(atLine(name, e.line(), e.what()));
  }
}

namespace {

constexpr std::size_t headerBufferBytes = std::size_t{1} << 20;
constexpr std::size_t bufferBytes = std::size_t{1} << 23;

MatrixMarketHeader headerOf(const File& file) {
  LineChunks chunks(rangeOf(file, 0, file.size()), headerBufferBytes);
  Text unread;
  return readHeader(chunks, unread, file.path());
}

/// Entry lines of a rank's part of the bytes, rather too many. Pages that stay unused cost nothing.
std::int64_t likelyLines(const File& file, const MatrixMarketHeader& header, int ranks) {
  constexpr std::int64_t leastBytes = 4;  // "1 1" and the line's end: a header may promise more
  const std::int64_t lines = std::min(header.entries, (file.size() - header.bytes) / leastBytes);
  return (lines + lines / 8) / ranks + 1;
}

}  // namespace

MatrixMarketEntries readPlainMatrixMarket(const std::string& path, const Comm& comm) {
  std::unique_ptr<File> file;
  MatrixMarketEntries result;
  collectively(comm, [&] {
    file = std::make_unique<File>(path, File::Mode::read);
    if (comm.rank() == 0) result.header = headerOf(*file);
  });
  comm.broadcast(&result.header, static_cast<int>(sizeof result.header), 0);

  EntryParser parser(result.header);
  try {
    parser.reserve(likelyLines(*file, result.header, comm.size()));
  } catch (const std::bad_alloc&) {  // the header may promise more than there is
  }
  const ParseOutcome outcome =
      takePlainPieces(*file, {'\n', bufferBytes}, {result.header.lines, result.header.bytes},
                      pieceParser(parser), comm);
  agreeOnEntries(path, result.header, outcome, parser.entries(), comm);
  result.entries = parser.take();
  return result;
}

}  // namespace Details

MatrixMarketEntries readMatrixMarket(TextInput& input, const Comm& comm) {
  return input.dealt() ? Details::readDealtMatrixMarket(input, comm)
                       : Details::readPlainMatrixMarket(input.path(), comm);
}

}  // namespace Problems
}  // namespace Trident
