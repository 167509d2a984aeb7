// SPDX-License-Identifier: BSD-3-Clause
#include "TridentProblems_TextChunks.hpp"

#include <algorithm>
#include <memory>

#include "TridentProblems_SharedFile.hpp"

namespace Trident {
namespace Problems {

namespace Details {

std::string atLine(const std::string& path, std::int64_t line, const std::string& what) {
  return path + (line > 0 ? ":" + std::to_string(line) : std::string()) + ": " + what;
}

namespace {

void skipBytes(TextInput& input, std::int64_t bytes) {
  char buffer[4096];
  while (bytes > 0) {
    const std::size_t got =
        input.read(buffer, std::min(sizeof buffer, static_cast<std::size_t>(bytes)));
    if (got == 0) return;
    bytes -= static_cast<std::int64_t>(got);
  }
}

ParseOutcome readDealtChunks(TextInput& input, const TextCut& cut, const TextPosition& begin,
                             const TakeChunk& take, const Comm& comm) {
  std::unique_ptr<LineChunks> chunks;
  collectively(comm, [&] {
    if (comm.rank() != 0) return;
    skipBytes(input, begin.bytes);
    chunks = std::make_unique<LineChunks>(
        [&](char* to, std::size_t size) { return input.read(to, size); }, cut.mostBytes, cut.end);
  });
  return takeDealtChunks(input.name(), chunks.get(), Text(), begin, cut.mostBytes, take,
                         CheckText(), comm);
}

ParseOutcome readPlainChunks(const std::string& path, const TextCut& cut, const TextPosition& begin,
                             const TakeChunk& take, const Comm& comm) {
  return takePlainChunks(*openToRead(path, comm), cut, begin, take, comm);
}

}  // namespace
}  // namespace Details

void readChunks(TextInput& input, const TextCut& cut, const TextPosition& begin,
                const TakeChunk& take, const Comm& comm) {
  const Details::ParseOutcome outcome =
      input.dealt() ? Details::readDealtChunks(input, cut, begin, take, comm)
                    : Details::readPlainChunks(input.path(), cut, begin, take, comm);
  throwEverywhere(comm, outcome.failed, outcome.message, outcome.line);
}

}  // namespace Problems
}  // namespace Trident
