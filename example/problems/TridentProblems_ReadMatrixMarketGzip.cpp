// SPDX-License-Identifier: BSD-3-Clause
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <new>

#include "TridentProblems_ReadMatrixMarket.hpp"

namespace Trident {
namespace Problems {

namespace {

constexpr std::size_t chunkBytes = std::size_t{1} << 22;
constexpr std::size_t sendBuffers = 4;
constexpr int tag = 72;

/// A gzipped file as a stream of its text.
class GzipStream {
 public:
  explicit GzipStream(const std::string& path) : path_(path) {
    errno = 0;
    file_ = gzopen(path.c_str(), "rb");
    if (file_ == nullptr)
      throw MatrixError(path + ": opening to read failed: " +
                        (errno != 0 ? std::strerror(errno) : "out of memory"));
    // A larger input buffer than zlib's 8 KiB; where that fails, the small one works too.
    static_cast<void>(gzbuffer(file_, 1u << 18));
  }
  ~GzipStream() { static_cast<void>(gzclose(file_)); }
  GzipStream(const GzipStream&) = delete;
  GzipStream& operator=(const GzipStream&) = delete;

  std::size_t read(char* to, std::size_t size) {
    const int got = gzread(file_, to, static_cast<unsigned>(size));
    int code = Z_OK;
    const std::string text = gzerror(file_, &code);  // begins with the path
    // At the end of a file cut short gzread returns what it has, and the error stays.
    if (got < 0 || code == Z_BUF_ERROR || (got == 0 && code != Z_OK && code != Z_STREAM_END))
      throw MatrixError((code == Z_ERRNO ? path_ + ": " + std::strerror(errno) : text) +
                        ": cannot be unpacked, it is damaged or truncated");
    if (got > 0 && gzdirect(file_) != 0)  // zlib hands such a file through as it is
      throw MatrixError(path_ + ": is not gzipped: rename it without .gz");
    if (got == 0 && !any_) throw MatrixError(path_ + ": is empty");
    any_ = true;
    return static_cast<std::size_t>(got);
  }

 private:
  std::string path_;
  gzFile file_ = nullptr;
  bool any_ = false;
};

/// Parses pieces of text of known first line, and keeps the first complaint.
class PieceParser {
 public:
  PieceParser(std::string path, const MatrixMarketHeader& header)
      : path_(std::move(path)), parser_(header) {}

  void parse(std::int64_t linesBefore, Text text) {
    if (outcome_.failed) return;  // what still arrives is only taken off the network
    const std::int64_t parsedBefore = parser_.lines();
    try {
      parser_.parse(text);
    } catch (const LineError& e) {
      const std::int64_t line = linesBefore + e.line() - parsedBefore;
      fail(line, Details::atLine(path_, line, e.what()));
    } catch (const std::bad_alloc&) {
      fail(linesBefore, path_ + ": a rank is out of memory: use more ranks");
    }
  }
  void fail(std::int64_t line, const std::string& message) {
    outcome_.failed = true;
    outcome_.line = line;
    outcome_.message = message;
  }

  const Details::ParseOutcome& outcome() const { return outcome_; }
  EntryParser& parser() { return parser_; }

 private:
  std::string path_;
  EntryParser parser_;
  Details::ParseOutcome outcome_;
};

/// Deals pieces of text to ranks 1, 2, ... in turn; a few may be on their way at once.
/// A message is the number of lines before the text, then the text; an empty one is the last.
class PieceSender {
 public:
  explicit PieceSender(const Comm& comm)
      : comm_(comm), buffers_(sendBuffers), requests_(sendBuffers, MPI_REQUEST_NULL) {}

  void send(std::int64_t linesBefore, Text text) {
    const std::size_t slot = static_cast<std::size_t>(sent_) % sendBuffers;
    checkMpi(MPI_Wait(&requests_[slot], MPI_STATUS_IGNORE), "MPI_Wait");
    std::vector<char>& buffer = buffers_[slot];
    buffer.resize(sizeof linesBefore + text.size());
    std::memcpy(buffer.data(), &linesBefore, sizeof linesBefore);
    std::memcpy(buffer.data() + sizeof linesBefore, text.begin, text.size());
    const int to = 1 + static_cast<int>(sent_ % (comm_.size() - 1));
    checkMpi(MPI_Isend(buffer.data(), static_cast<int>(buffer.size()), MPI_BYTE, to, tag,
                       comm_.get(), &requests_[slot]),
             "MPI_Isend");
    ++sent_;
  }

  void finish() {
    checkMpi(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE),
             "MPI_Waitall");
    for (int to = 1; to < comm_.size(); ++to)
      checkMpi(MPI_Send(nullptr, 0, MPI_BYTE, to, tag, comm_.get()), "MPI_Send");
  }

 private:
  const Comm& comm_;
  std::vector<std::vector<char>> buffers_;
  std::vector<MPI_Request> requests_;
  std::int64_t sent_ = 0;
};

void receivePieces(PieceParser& parser, const Comm& comm) {
  // As large as any message, so that receiving one never fails for want of memory.
  std::vector<char> buffer(chunkBytes + sizeof(std::int64_t));
  for (;;) {
    MPI_Status status;
    checkMpi(MPI_Recv(buffer.data(), static_cast<int>(buffer.size()), MPI_BYTE, 0, tag, comm.get(),
                      &status),
             "MPI_Recv");
    int bytes = 0;
    checkMpi(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
    if (bytes == 0) return;
    std::int64_t linesBefore = 0;
    std::memcpy(&linesBefore, buffer.data(), sizeof linesBefore);
    parser.parse(linesBefore, {buffer.data() + sizeof linesBefore, buffer.data() + bytes});
  }
}

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

/// Rank 0: unpacks and deals. An error of the stream becomes rank 0's complaint.
void dealPieces(Unpacking& unpacking, const std::string& path, std::int64_t linesBefore,
                PieceParser& parser, const Comm& comm) {
  PieceSender sender(comm);
  try {
    if (unpacking.text.empty()) unpacking.text = unpacking.chunks->next();
    while (!unpacking.text.empty()) {
      if (comm.size() == 1)
        parser.parse(linesBefore, unpacking.text);
      else
        sender.send(linesBefore, unpacking.text);
      linesBefore += countLines(unpacking.text);
      unpacking.text = unpacking.chunks->next();
    }
  } catch (const std::bad_alloc&) {
    parser.fail(linesBefore, path + ": rank 0 is out of memory");
  } catch (const MatrixError& e) {
    parser.fail(linesBefore, e.what());
  }
  sender.finish();
}

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

  PieceParser parser(path, result.header);
  if (comm.rank() == 0)
    dealPieces(*unpacking, path, result.header.lines, parser, comm);
  else
    receivePieces(parser, comm);
  Details::agreeOnEntries(path, result.header, parser.outcome(), parser.parser().entries(), comm);
  result.entries = parser.parser().take();
  return result;
}

}  // namespace Problems
}  // namespace Trident
