// SPDX-License-Identifier: BSD-3-Clause
#include "TridentClustering_RoomForGraph.hpp"

#include <algorithm>
#include <limits>

#include "TridentProblems_File.hpp"
#include "TridentProblems_HostMemory.hpp"
#include "TridentProblems_Redistribute.hpp"

namespace Trident {
namespace Clustering {

namespace {

/// Returns how many lines of entries the bytes of an input can hold: one has four bytes at least,
/// and of gzip's a byte unpacks to 1032 at most.
std::int64_t mostLines(const TextInput& input) {
  constexpr std::int64_t leastBytes = 4, mostUnpacked = 1032;
  if (isStream(input.path())) return std::numeric_limits<std::int64_t>::max();
  const std::int64_t bytes = File(input.path(), File::Mode::read).size();
  return bytes / leastBytes * (input.gzipped() ? mostUnpacked : 1);
}

/// Counts the lines that begin in a text, but for its first one; blank ones and comments are none.
std::int64_t countLines(const std::string& text) {
  std::int64_t lines = 0;
  for (std::size_t at = text.find('\n'); at < text.size() - 1; at = text.find('\n', at + 1))
    lines += text[at + 1] != '#' && !isWhiteSpace(text[at + 1]);
  return lines;
}

/// Estimates the lines of a plain file by chunks of it, which are spread evenly: labels may become
/// longer on the way. Returns 0 where it is small. Local.
std::int64_t likelyLines(const std::string& path) {
  constexpr std::int64_t chunks = 16, bytes = std::int64_t{1} << 16;
  const File file(path, File::Mode::read);
  const std::int64_t size = file.size();
  if (size < chunks * bytes) return 0;
  std::int64_t lines = 0;
  std::string text(static_cast<std::size_t>(bytes), ' ');
  for (std::int64_t p = 0; p < chunks; ++p) {
    file.readAt((size - bytes) / (chunks - 1) * p, &text[0], bytes);
    lines += countLines(text);
  }
  return static_cast<std::int64_t>(static_cast<double>(size) / static_cast<double>(chunks * bytes) *
                                   static_cast<double>(lines));
}

}  // namespace

void requireRoomForPairs(const TextInput& input, double bytesOfPair, const Comm& comm) {
  // The lines of samples may be shorter than others, and a loop or a weight of 0 is no entry.
  constexpr double mostWrong = 3;
  std::int64_t lines = 0;
  collectively(comm, [&] {
    if (comm.rank() == 0 && !input.dealt()) lines = likelyLines(input.path());
  });
  comm.broadcast(&lines, static_cast<int>(sizeof lines), 0);
  if (lines == 0) return;
  requireMemory(bytesOfPair * static_cast<double>(lines) / mostWrong / comm.size(),
                input.name() + ": a network of about " + std::to_string(lines) + " pairs", comm);
}

void requireRoomForGraph(const std::string& name, std::int64_t nodes, std::int64_t entries,
                         const Comm& comm) {
  // Of a node what Tpetra's offsets and numbers take; of an entry how it is read.
  const double bytes = static_cast<double>(sizeof(std::size_t) + sizeof(global_ordinal_type)) *
                           static_cast<double>(nodes) +
                       static_cast<double>(sizeof(Entry)) * static_cast<double>(entries);
  requireMemory(bytes / comm.size(),
                name + ": a graph of " + std::to_string(nodes) + " nodes and " +
                    std::to_string(entries) + " entries",
                comm);
}

MatrixMarketHeader headerAhead(TextInput& input) {
  const std::string text = input.beginning(std::size_t{1} << 20);
  const std::size_t lines = text.rfind('\n');
  HeaderParser parser;
  if (lines == std::string::npos) return {};
  try {
    Text whole{text.data(), text.data() + lines + 1};
    if (!parser.parse(whole)) return {};
  } catch (const LineError&) {
    return {};
  }
  MatrixMarketHeader header = parser.header();
  header.entries = std::min(header.entries, mostLines(input));
  return header;
}

}  // namespace Clustering
}  // namespace Trident
