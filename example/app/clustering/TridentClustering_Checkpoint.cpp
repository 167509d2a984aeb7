// SPDX-License-Identifier: BSD-3-Clause
#include "TridentClustering_Checkpoint.hpp"

#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "TridentClustering_CheckpointBody.hpp"
#include "TridentProblems_Assemble.hpp"
#include "TridentProblems_Hash.hpp"
#include "TridentProblems_Partition.hpp"
#include "TridentProblems_SharedFile.hpp"
#include "TridentProblems_WriteText.hpp"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "TridentClustering_Checkpoint.cpp writes and reads little-endian numbers as they lie"
#endif

namespace Trident {
namespace Clustering {

namespace {

/// Versions of the format. They differ in what the run stores its values in; the file has doubles.
constexpr std::int64_t ofDouble = 1, ofSingle = 2;

/// The header of the file. The digests tell whether header and body are as they were written.
struct CheckpointHeader {
  char magic[16] = {'T', 'r', 'i', 'd', 'e', 'n', 't', ' ',
                    'c', 'l', 'u', 's', 't', 'e', 'r', '\n'};
  std::int64_t version = ofDouble;
  std::int64_t iteration = 0, nodes = 0, entries = 0;
  std::uint64_t graph = 0;
  double inflation = 0;
  std::int64_t prune = 0, select = 0, recover = 0, percent = 0;
  double chaos = 0;
  std::int64_t mostEntries = 0, expanded = 0, dropped = 0;
  std::uint64_t bodyDigest = 0, headerDigest = 0;
};
static_assert(sizeof(CheckpointHeader) == 18 * 8, "no gaps");

/// Returns the hash of all words of a header but the last.
std::uint64_t digestOf(const CheckpointHeader& header) {
  std::uint64_t words[sizeof header / 8], digest = 0;
  std::memcpy(words, &header, sizeof header);
  for (std::size_t w = 0; w + 1 < sizeof header / 8; ++w) digest += hash(words[w], w);
  return digest;
}

/// The places of the arrays.
struct Layout {
  std::int64_t nodes, entries;
  std::int64_t offsetsAt() const { return static_cast<std::int64_t>(sizeof(CheckpointHeader)); }
  std::int64_t columnsAt() const { return offsetsAt() + 8 * (nodes + 1); }
  std::int64_t valuesAt() const { return columnsAt() + 8 * entries; }
  std::int64_t bytes() const { return valuesAt() + 8 * entries; }
};

CheckpointHeader headerOf(const state_type& state) {
  CheckpointHeader header;
  header.iteration = state.iteration;
  header.nodes = state.origin.nodes;
  header.entries = static_cast<std::int64_t>(state.matrix->getGlobalNumEntries());
  header.graph = state.origin.graph;
  header.inflation = state.origin.inflation;
  header.prune = state.origin.prune;
  header.select = state.origin.select;
  header.recover = state.origin.recover;
  header.percent = state.origin.percent;
  header.version = state.origin.precision == MarkovPrecision::Single ? ofSingle : ofDouble;
  header.chaos = state.chaos;
  header.mostEntries = state.mostEntries;
  header.expanded = state.expanded;
  header.dropped = state.dropped;
  return header;
}

state_type stateOf(const CheckpointHeader& header) {
  state_type state;
  state.iteration = static_cast<int>(header.iteration);
  state.origin.nodes = header.nodes;
  state.origin.graph = header.graph;
  state.origin.inflation = header.inflation;
  state.origin.prune = header.prune;
  state.origin.select = header.select;
  state.origin.recover = header.recover;
  state.origin.percent = header.percent;
  if (header.version == ofSingle) state.origin.precision = MarkovPrecision::Single;
  state.chaos = header.chaos;
  state.mostEntries = header.mostEntries;
  state.expanded = header.expanded;
  state.dropped = header.dropped;
  return state;
}

[[noreturn]] void fail(const File& file, const std::string& what) {
  throw MatrixError(file.path() + ": " + what);
}

/// Returns a header as it was written, for a network of so many nodes. Local.
CheckpointHeader readHeader(const File& file, std::int64_t nodes) {
  CheckpointHeader header;
  const CheckpointHeader written;
  const std::int64_t bytes = file.size();
  if (bytes < static_cast<std::int64_t>(sizeof header)) fail(file, "is no checkpoint: too short");
  file.readAt(0, &header, sizeof header);
  if (std::memcmp(header.magic, written.magic, sizeof header.magic) != 0)
    fail(file, "is no checkpoint of this program");
  if (header.version != ofDouble && header.version != ofSingle)
    fail(file, "is a checkpoint of version " + std::to_string(header.version) +
                   "; this program knows versions 1 and 2");
  if (header.headerDigest != digestOf(header)) fail(file, "the checkpoint's header is damaged");
  if (header.nodes != nodes)
    fail(file, "is a checkpoint of a network of " + std::to_string(header.nodes) +
                   " nodes, and this one has " + std::to_string(nodes) +
                   ": resume with the same network");
  // Refuses counts whose bytes would overflow. The number of nodes is that of a network.
  if (header.entries < 0 || header.entries > bytes / 16)
    fail(file, "has " + std::to_string(bytes) + " bytes, and the checkpoint in it should have " +
                   std::to_string(header.entries) + " entries: it is damaged");
  const std::int64_t expected = Layout{header.nodes, header.entries}.bytes();
  if (bytes != expected)
    fail(file, "has " + std::to_string(bytes) + " bytes, and the checkpoint in it should have " +
                   std::to_string(expected) + ": it is damaged");
  return header;
}

/// Returns rows `first` .. `first + count - 1`. Local.
CheckpointBody readBody(const File& file, const Layout& layout, std::int64_t first,
                        std::int64_t count) {
  CheckpointBody body;
  body.offsets = hostWords<std::int64_t>(count + 1);
  file.readAt(layout.offsetsAt() + 8 * first, body.offsets.data(), 8 * (count + 1));
  const std::int64_t begin = body.offsets(0), end = body.offsets(count);
  if (begin < 0 || end < begin || end > layout.entries) fail(file, "the checkpoint is damaged");
  body.columns = hostWords<std::int64_t>(end - begin);
  body.values = hostWords<double>(end - begin);
  file.readAt(layout.columnsAt() + 8 * begin, body.columns.data(), 8 * (end - begin));
  file.readAt(layout.valuesAt() + 8 * begin, body.values.data(), 8 * (end - begin));
  return body;
}

/// Returns the entries of a body. They may be damaged: throws MatrixError where they are none.
/// Local.
std::vector<Entry> entriesOf(const CheckpointBody& body, const File& file, std::int64_t nodes,
                             std::int64_t first) {
  std::vector<Entry> entries;
  entries.reserve(static_cast<std::size_t>(body.columns.extent(0)));
  for (std::int64_t row = 0; row + 1 < static_cast<std::int64_t>(body.offsets.extent(0)); ++row)
    for (std::int64_t e = body.offsets(row); e < body.offsets(row + 1); ++e) {
      // Compares first, as the difference may overflow.
      const std::int64_t begin = body.offsets(0), at = e < begin ? -1 : e - begin;
      if (at < 0 || at >= static_cast<std::int64_t>(body.columns.extent(0)) ||
          body.columns(at) < 0 || body.columns(at) >= nodes)
        fail(file, "the checkpoint is damaged");
      entries.push_back({static_cast<global_ordinal_type>(first + row),
                         static_cast<global_ordinal_type>(body.columns(at)), body.values(at)});
    }
  return entries;
}

/// Adds up the digests of all ranks' rows, in 48 bits, so that sums of 2^15 ranks are numbers.
/// Collective.
std::uint64_t digestOfAll(std::uint64_t mine, const Comm& comm) {
  constexpr std::uint64_t bits = (std::uint64_t{1} << 48) - 1;
  return static_cast<std::uint64_t>(comm.sum(static_cast<std::int64_t>(mine & bits))) & bits;
}

}  // namespace

void writeCheckpoint(const std::string& path, const state_type& state) {
  const Comm comm(*state.matrix->getComm());
  const auto mine = static_cast<std::int64_t>(numLocalElements(*state.matrix->getRowMap()));
  const std::int64_t firstRow = comm.sumBefore(mine);
  CheckpointBody body;
  collectively(comm, [&] { body = bodyOf(*state.matrix); });
  const auto entries = static_cast<std::int64_t>(body.columns.extent(0));
  const std::int64_t firstEntry = comm.sumBefore(entries);
  body.shift(firstEntry);
  CheckpointHeader header = headerOf(state);
  header.bodyDigest = digestOfAll(digestOf(body, firstRow), comm);
  header.headerDigest = digestOf(header);
  const Layout layout{header.nodes, header.entries};
  writeFile(path, comm, [&](const File& file) {
    if (comm.rank() == 0) file.writeAt(0, &header, sizeof header);
    // A rank's last offset is the next one's first; all write the same there.
    file.writeAt(layout.offsetsAt() + 8 * firstRow, body.offsets.data(), 8 * (mine + 1));
    file.writeAt(layout.columnsAt() + 8 * firstEntry, body.columns.data(), 8 * entries);
    file.writeAt(layout.valuesAt() + 8 * firstEntry, body.values.data(), 8 * entries);
  });
}

Teuchos::RCP<const state_type> readCheckpoint(const std::string& path,
                                              const Teuchos::RCP<const map_type>& map) {
  const Comm comm(*map->getComm());
  const auto nodes = static_cast<std::int64_t>(map->getGlobalNumElements());
  const auto mine = static_cast<std::int64_t>(numLocalElements(*map));
  const std::int64_t firstRow = comm.sumBefore(mine);
  CheckpointHeader header;
  std::vector<Entry> entries;
  std::uint64_t digest = 0;
  const std::unique_ptr<File> opened = openToRead(path, comm);
  collectively(comm, [&, &file = *opened] {
    header = readHeader(file, nodes);
    const CheckpointBody body = readBody(file, {nodes, header.entries}, firstRow, mine);
    digest = digestOf(body, firstRow);
    entries = entriesOf(body, file, nodes, firstRow);
  });
  if (digestOfAll(digest, comm) != header.bodyDigest)  // the same on every rank
    throw MatrixError(path + ": the checkpoint is damaged: its digest is another one");
  const auto state = Teuchos::rcp(new state_type(stateOf(header)));
  std::int64_t duplicates = 0;
  state->matrix = matrixFromOwnEntries(std::move(entries), map, map, comm, duplicates);
  return state;
}

}  // namespace Clustering
}  // namespace Trident
