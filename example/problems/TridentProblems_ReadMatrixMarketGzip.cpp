// SPDX-License-Identifier: BSD-3-Clause
#include <memory>

#include "TridentProblems_GzipStream.hpp"
#include "TridentProblems_ReadMatrixMarket.hpp"

namespace Trident {
namespace Problems {

namespace {

constexpr std::size_t chunkBytes = std::size_t{1} << 22;

/// What rank 0 knows of the stream.
struct Unpacking {
  std::unique_ptr<GzipStream> stream;
  std::unique_ptr<LineChunks> chunks;
  Text text;  ///< lines read but not dealt

  explicit Unpacking(const std::string& path)
      : stream(new GzipStream(path)),
        chunks(new LineChunks([this](char* to, std::size_t size) { return stream->read(to, size); },
                              chunkBytes)) {}

  MatrixMarketHeader readHeader() {
    HeaderParser parser;
    while (!parser.parse(text)) {
      text = chunks->next();
      if (text.empty()) break;
    }
    return parser.header();
  }
};

}  // namespace

MatrixMarketEntries readGzippedMatrixMarket(const std::string& path, const Comm& comm) {
  MatrixMarketEntries result;
  std::unique_ptr<Unpacking> unpacking;
  collectively(comm, [&] {
    if (comm.rank() != 0) return;
    try {
      unpacking = std::make_unique<Unpacking>(path);
      result.header = unpacking->readHeader();
    } catch (const LineError& e) {
      throw MatrixError(Details::atLine(path, e.line(), e.what()));
    }
  });
  comm.broadcast(&result.header, static_cast<int>(sizeof result.header), 0);

  EntryParser parser(result.header);
  const Details::ParseOutcome outcome = Details::takeDealtPieces(
      path, unpacking ? unpacking->chunks.get() : nullptr, unpacking ? unpacking->text : Text(),
      {result.header.lines, result.header.bytes}, chunkBytes, Details::pieceParser(parser), comm);
  Details::agreeOnEntries(path, result.header, outcome, parser.entries(), comm);
  result.entries = parser.take();
  return result;
}

}  // namespace Problems
}  // namespace Trident
