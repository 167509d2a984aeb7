// SPDX-License-Identifier: BSD-3-Clause
#include "TridentClustering_RoomForPairs.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

#include "TridentProblems_File.hpp"
#include "TridentProblems_HostMemory.hpp"
#include "TridentProblems_LineChunks.hpp"

namespace Trident {
namespace Clustering {

namespace {

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

}  // namespace Clustering
}  // namespace Trident
