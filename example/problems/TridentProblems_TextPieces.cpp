// SPDX-License-Identifier: BSD-3-Clause
#include "TridentProblems_TextPieces.hpp"

#include <algorithm>
#include <memory>

#include "TridentProblems_GzipStream.hpp"

namespace Trident {
namespace Problems {

namespace Details {

std::string atLine(const std::string& path, std::int64_t line, const std::string& what) {
  return path + (line > 0 ? ":" + std::to_string(line) : std::string()) + ": " + what;
}

namespace {

void skipBytes(GzipStream& stream, std::int64_t bytes) {
  char buffer[4096];
  while (bytes > 0) {
    const std::size_t got =
        stream.read(buffer, std::min(sizeof buffer, static_cast<std::size_t>(bytes)));
    if (got == 0) return;
    bytes -= static_cast<std::int64_t>(got);
  }
}

ParseOutcome unpackPieces(const std::string& path, const TextCut& cut, const TextPosition& begin,
                          const TakePiece& take, const Comm& comm) {
  std::unique_ptr<GzipStream> stream;
  std::unique_ptr<LineChunks> chunks;
  collectively(comm, [&] {
    if (comm.rank() != 0) return;
    stream = std::make_unique<GzipStream>(path);
    skipBytes(*stream, begin.bytes);
    chunks = std::make_unique<LineChunks>(
        [&](char* to, std::size_t size) { return stream->read(to, size); }, cut.mostBytes, cut.end);
  });
  return takeDealtPieces(path, chunks.get(), Text(), begin, cut.mostBytes, take, comm);
}

ParseOutcome readPlainPieces(const std::string& path, const TextCut& cut, const TextPosition& begin,
                             const TakePiece& take, const Comm& comm) {
  std::unique_ptr<File> file;
  collectively(comm, [&] { file = std::make_unique<File>(path, File::Mode::read); });
  return takePlainPieces(*file, cut, begin, take, comm);
}

}  // namespace
}  // namespace Details

bool isGzipped(const std::string& path) { return endsIn(path, ".gz"); }

void readPieces(const std::string& path, const TextCut& cut, const TextPosition& begin,
                const TakePiece& take, const Comm& comm) {
  const Details::ParseOutcome outcome =
      isGzipped(path) ? Details::unpackPieces(path, cut, begin, take, comm)
                      : Details::readPlainPieces(path, cut, begin, take, comm);
  throwEverywhere(comm, outcome.failed, outcome.message, outcome.line);
}

std::string beginningOf(const std::string& path, std::size_t bytes) {
  std::string text(bytes, '\0');
  std::size_t used = 0;
  if (isGzipped(path)) {
    GzipStream stream(path);
    for (std::size_t got = 1; got > 0 && used < bytes; used += got)
      got = stream.read(&text[used], bytes - used);
  } else {
    const File file(path, File::Mode::read);
    used = std::min(bytes, static_cast<std::size_t>(file.size()));
    file.readAt(0, &text[0], static_cast<std::int64_t>(used));
  }
  text.resize(used);
  return text;
}

}  // namespace Problems
}  // namespace Trident
