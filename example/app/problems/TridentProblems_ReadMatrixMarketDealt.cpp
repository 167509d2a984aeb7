// SPDX-License-Identifier: BSD-3-Clause
#include <memory>

#include "TridentProblems_ReadMatrixMarket.hpp"

namespace Trident {
namespace Problems {
namespace Details {

namespace {

constexpr std::size_t chunkBytes = std::size_t{1} << 22;

/// What rank 0 knows of the stream.
struct Dealing {
  LineChunks chunks;
  Text text;  ///< lines read but not dealt

  explicit Dealing(TextInput& input)
      : chunks([&input](char* to, std::size_t size) { return input.read(to, size); }, chunkBytes) {}
};

}  // namespace

MatrixMarketEntries readDealtMatrixMarket(TextInput& input, const Comm& comm) {
  MatrixMarketEntries result;
  std::unique_ptr<Dealing> dealing;
  collectively(comm, [&] {
    if (comm.rank() != 0) return;
    dealing = std::make_unique<Dealing>(input);
    result.header = readHeader(dealing->chunks, dealing->text, input.name());
  });
  comm.broadcast(&result.header, static_cast<int>(sizeof result.header), 0);

  EntryParser parser(result.header);
  EntryCounter counter(result.header);  // so that nobody waits for what no header promised
  const ParseOutcome outcome = takeDealtPieces(
      input.name(), dealing ? &dealing->chunks : nullptr, dealing ? dealing->text : Text(),
      {result.header.lines, result.header.bytes}, chunkBytes, pieceParser(parser),
      [&](Text text) { counter.count(text); }, comm);
  agreeOnEntries(input.name(), result.header, outcome, parser.entries(), comm);
  result.entries = parser.take();
  return result;
}

}  // namespace Details
}  // namespace Problems
}  // namespace Trident
