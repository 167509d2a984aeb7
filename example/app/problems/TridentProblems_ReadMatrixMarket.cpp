// SPDX-License-Identifier: BSD-3-Clause
#include "TridentProblems_ReadMatrixMarket.hpp"

#include <algorithm>
#include <memory>

#include "TridentProblems_Assemble.hpp"
#include "TridentProblems_File.hpp"
#include "TridentProblems_SharedFile.hpp"

namespace Trident {
namespace Problems {

namespace Details {
namespace {

/// Makes a function that gives chunks to a parser. Complaints are counted from each chunk's
/// beginning.
TakeChunk chunkParser(EntryParser& parser) {
  return
      [&parser, lines = std::int64_t{0}, bytes = std::int64_t{0}](const TextChunk& chunk) mutable {
        try {
          parser.parse(chunk.text);
        } catch (const LineError& e) {  // the parser counts over all its chunks
          throw LineError(e.line() - lines, e.byte() - bytes, e.what());
        }
        lines = parser.lines();
        bytes += static_cast<std::int64_t>(chunk.text.size());
      };
}

/// Throws on every rank if any rank failed or the file did not hold the promised number of entry
/// lines. Collective.
void agreeOnEntries(const std::string& path, const MatrixMarketHeader& header,
                    const ParseOutcome& outcome, std::int64_t entriesHere, const Comm& comm) {
  throwEverywhere(comm, outcome.failed, outcome.message, outcome.line);
  const std::int64_t found = comm.sum(entriesHere);
  if (found == header.entries) return;
  throw MatrixError(path + ": the size line promises " + std::to_string(header.entries) +
                    " entries, but the file holds " + std::to_string(found) +
                    (found < header.entries ? ": is it truncated?" : ": correct the size line"));
}

/// Returns true if a file has entries on both sides of the diagonal. Collective.
bool hasBothHalves(const EntryParser& parser, const Comm& comm) {
  const std::int64_t above = comm.sum(parser.above()), below = comm.sum(parser.below());
  return above > 0 && below > 0;
}

/// Reads up to the size line. Local; throws MatrixError, with the line.
/// \param unread gets what was taken from `chunks` and lies behind that line
/// \param name for messages
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

using CheckHeader = std::function<void(const MatrixMarketHeader&)>;

/// Returns the most entry lines that an input can have: a header may promise any number, but a line
/// has four bytes at least, and of gzip's a byte unpacks to 1032 at most. Local.
std::int64_t mostLines(const TextInput& input, const MatrixMarketHeader& header) {
  constexpr std::int64_t leastBytes = 4, mostUnpacked = 1032;
  if (isStream(input.path())) return header.entries;
  const std::int64_t bytes = File(input.path(), File::Mode::read).size();
  return std::min(header.entries, bytes / leastBytes * (input.gzipped() ? mostUnpacked : 1));
}

/// Returns the header, which rank 0 reads, on every rank. Collective; throws on every rank where it
/// is not good, or the matrix does not fit memory.
template <class Read>
MatrixMarketHeader goodHeader(const TextInput& input, const CheckHeader& check, const Comm& comm,
                              const Read& read) {
  MatrixMarketHeader header;
  std::int64_t lines = 0;
  collectively(comm, [&] {
    if (comm.rank() != 0) return;
    header = read();
    lines = mostLines(input, header);
  });
  comm.broadcast(&header, static_cast<int>(sizeof header), 0);
  comm.broadcast(&lines, static_cast<int>(sizeof lines), 0);
  if (check) check(header);
  requireRoomForMatrix(input.name(), header.rows, header.columns, lines, sizeof(Entry), comm);
  return header;
}

// Plain files.

constexpr std::size_t headerBufferBytes = std::size_t{1} << 20;
constexpr std::size_t bufferBytes = std::size_t{1} << 23;

MatrixMarketHeader headerOf(const File& file) {
  LineChunks chunks(rangeOf(file, 0, file.size()), headerBufferBytes);
  Text unread;
  return readHeader(chunks, unread, file.path());
}

/// Estimates the entry lines of a rank's part of the bytes, rather too many. Pages that stay unused
/// cost nothing.
std::int64_t likelyLines(const File& file, const MatrixMarketHeader& header, int ranks) {
  constexpr std::int64_t leastBytes = 4;  // "1 1" and the line's end: a header may promise more
  const std::int64_t lines = std::min(header.entries, (file.size() - header.bytes) / leastBytes);
  return (lines + lines / 8) / ranks + 1;
}

MatrixMarketEntries readPlainMatrixMarket(const TextInput& input, const CheckHeader& check,
                                          const Comm& comm) {
  const std::unique_ptr<File> file = openToRead(input.path(), comm);
  MatrixMarketEntries result;
  result.header = goodHeader(input, check, comm, [&] { return headerOf(*file); });

  EntryParser parser(result.header);
  try {
    parser.reserve(likelyLines(*file, result.header, comm.size()));
  } catch (const std::bad_alloc&) {  // the header may promise more than there is
  }
  const ParseOutcome outcome =
      takePlainChunks(*file, {'\n', bufferBytes}, {result.header.lines, result.header.bytes},
                      chunkParser(parser), comm);
  agreeOnEntries(input.path(), result.header, outcome, parser.entries(), comm);
  result.bothHalves = hasBothHalves(parser, comm);
  result.entries = parser.take();
  return result;
}

// Dealt ones.

constexpr std::size_t chunkBytes = std::size_t{1} << 22;

/// Rank 0's knowledge of the stream.
struct Dealing {
  LineChunks chunks;
  Text text;  ///< lines read but not dealt

  explicit Dealing(TextInput& input)
      : chunks([&input](char* to, std::size_t size) { return input.read(to, size); }, chunkBytes) {}
};

MatrixMarketEntries readDealtMatrixMarket(TextInput& input, const CheckHeader& check,
                                          const Comm& comm) {
  MatrixMarketEntries result;
  std::unique_ptr<Dealing> dealing;
  result.header = goodHeader(input, check, comm, [&] {
    dealing = std::make_unique<Dealing>(input);
    return readHeader(dealing->chunks, dealing->text, input.name());
  });

  EntryParser parser(result.header);
  EntryCounter counter(result.header);  // so that nobody waits for what no header promised
  const ParseOutcome outcome = takeDealtChunks(
      input.name(), dealing ? &dealing->chunks : nullptr, dealing ? dealing->text : Text(),
      {result.header.lines, result.header.bytes}, chunkBytes, chunkParser(parser),
      [&](Text text) { counter.count(text); }, comm);
  agreeOnEntries(input.name(), result.header, outcome, parser.entries(), comm);
  result.bothHalves = hasBothHalves(parser, comm);
  result.entries = parser.take();
  return result;
}

}  // namespace
}  // namespace Details

std::string warningOfBothHalves(const std::string& name, const MatrixMarketEntries& file,
                                std::int64_t duplicates) {
  if (!file.bothHalves || duplicates == 0) return "";
  return name + ": its first line says " + describe(file.header) +
         ", so one half of the matrix is enough, and it has entries of both halves: " +
         std::to_string(duplicates) +
         " met another one at their place and were added to it, which doubles a matrix that is "
         "there as a whole. If it is, write \"general\" into the first line";
}

MatrixMarketEntries readMatrixMarket(TextInput& input, const Comm& comm,
                                     const std::function<void(const MatrixMarketHeader&)>& check) {
  return input.dealt() ? Details::readDealtMatrixMarket(input, check, comm)
                       : Details::readPlainMatrixMarket(input, check, comm);
}

}  // namespace Problems
}  // namespace Trident
