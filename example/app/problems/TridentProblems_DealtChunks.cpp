// SPDX-License-Identifier: BSD-3-Clause
// Chunks of a text that rank 0 alone can read.
#include <cstring>
#include <new>
#include <vector>

#include "TridentProblems_TextChunks.hpp"

namespace Trident {
namespace Problems {
namespace Details {

namespace {

constexpr std::size_t sendBuffers = 4;
constexpr int chunkTag = 72, complaintTag = 73;

/// Hands chunks to `take`, and keeps the first complaint.
class ChunkTaker {
 public:
  ChunkTaker(std::string path, const TakeChunk& take) : path_(std::move(path)), take_(take) {}

  void take(const TextPosition& at, Text text) {
    if (outcome_.failed) return;  // what still arrives is only taken off the network
    try {
      take_({at.bytes, text});
    } catch (const LineError& e) {
      const std::int64_t line = at.lines + e.line();
      fail(line, atLine(path_, line, e.what()));
    } catch (const std::bad_alloc&) {
      fail(at.lines, path_ + ": a rank is out of memory: use more ranks");
    } catch (const std::exception& e) {
      fail(at.lines, e.what());
    }
  }
  void fail(std::int64_t line, const std::string& message) {
    outcome_.failed = true;
    outcome_.line = line;
    outcome_.message = message;
  }

  const ParseOutcome& outcome() const { return outcome_; }

 private:
  std::string path_;
  const TakeChunk& take_;
  ParseOutcome outcome_;
};

/// Deals chunks of text to ranks 1, 2, ... in turn; a few may be on their way at once.
/// A message is the position of the text, then the text; an empty one is the last.
class ChunkSender {
 public:
  explicit ChunkSender(const Comm& comm)
      : comm_(comm), buffers_(sendBuffers), requests_(sendBuffers, MPI_REQUEST_NULL) {}

  void send(const TextPosition& at, Text text) {
    const std::size_t slot = static_cast<std::size_t>(sent_) % sendBuffers;
    checkMpi(MPI_Wait(&requests_[slot], MPI_STATUS_IGNORE), "MPI_Wait");
    std::vector<char>& buffer = buffers_[slot];
    buffer.resize(sizeof at + text.size());
    std::memcpy(buffer.data(), &at, sizeof at);
    std::memcpy(buffer.data() + sizeof at, text.begin, text.size());
    const int to = 1 + static_cast<int>(sent_ % (comm_.size() - 1));
    checkMpi(MPI_Isend(buffer.data(), static_cast<int>(buffer.size()), MPI_BYTE, to, chunkTag,
                       comm_.get(), &requests_[slot]),
             "MPI_Isend");
    ++sent_;
  }

  void finish() {
    checkMpi(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE),
             "MPI_Waitall");
    for (int to = 1; to < comm_.size(); ++to)
      checkMpi(MPI_Send(nullptr, 0, MPI_BYTE, to, chunkTag, comm_.get()), "MPI_Send");
  }

 private:
  const Comm& comm_;
  std::vector<std::vector<char>> buffers_;
  std::vector<MPI_Request> requests_;
  std::int64_t sent_ = 0;
};

/// Tells rank 0 that a rank complains, so that no more is read. Its steps are the methods.
class Complaint {
 public:
  explicit Complaint(const Comm& comm) : comm_(comm) {}

  /// Sends the complaint, once; on other ranks than rank 0.
  void send() {
    checkMpi(MPI_Isend(nullptr, 0, MPI_BYTE, 0, complaintTag, comm_.get(), &request_), "MPI_Isend");
    sent_ = true;
  }
  bool sent() const { return sent_; }
  /// Returns true if a complaint has come; on rank 0.
  bool arrived() const {
    int flag = 0;
    checkMpi(MPI_Iprobe(MPI_ANY_SOURCE, complaintTag, comm_.get(), &flag, MPI_STATUS_IGNORE),
             "MPI_Iprobe");
    return flag != 0;
  }
  /// Takes all complaints off the network. Collective.
  void finish() {
    std::int64_t count = comm_.sum(sent_ ? 1 : 0);
    for (; comm_.rank() == 0 && count > 0; --count)
      checkMpi(MPI_Recv(nullptr, 0, MPI_BYTE, MPI_ANY_SOURCE, complaintTag, comm_.get(),
                        MPI_STATUS_IGNORE),
               "MPI_Recv");
    checkMpi(MPI_Wait(&request_, MPI_STATUS_IGNORE), "MPI_Wait");
  }

 private:
  const Comm& comm_;
  MPI_Request request_ = MPI_REQUEST_NULL;
  bool sent_ = false;
};

/// \param buffer as large as any message, so that receiving one never fails for want of memory
void receiveChunks(ChunkTaker& taker, std::vector<char>& buffer, Complaint& complaint,
                   const Comm& comm) {
  for (;;) {
    MPI_Status status;
    checkMpi(MPI_Recv(buffer.data(), static_cast<int>(buffer.size()), MPI_BYTE, 0, chunkTag,
                      comm.get(), &status),
             "MPI_Recv");
    int bytes = 0;
    checkMpi(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
    if (bytes == 0) return;
    TextPosition at;
    std::memcpy(&at, buffer.data(), sizeof at);
    taker.take(at, {buffer.data() + sizeof at, buffer.data() + bytes});
    if (taker.outcome().failed && !complaint.sent()) complaint.send();
  }
}

/// Returns the lines of `text` before the one that `check` complains about; all if it does not.
Text checked(const CheckText& check, const TextPosition& at, Text text, const std::string& path,
             ChunkTaker& taker) {
  try {
    if (check) check(text);
  } catch (const LineError& e) {
    taker.fail(at.lines + e.line(), atLine(path, at.lines + e.line(), e.what()));
    text.end = text.begin + e.byte();
  }
  return text;
}

/// Deals the chunks, on rank 0; an error of the stream becomes its complaint.
void dealChunks(LineChunks& chunks, Text text, const std::string& path, TextPosition at,
                const CheckText& check, ChunkTaker& taker, const Complaint& complaint,
                const Comm& comm) {
  ChunkSender sender(comm);
  try {
    if (text.empty()) text = chunks.next();
    while (!text.empty() && !taker.outcome().failed && !complaint.arrived()) {
      if (comm.size() == 1)
        taker.take(at, text);
      else if (const Text good = checked(check, at, text, path, taker); !good.empty())
        sender.send(at, good);
      at.lines += countLines(text);
      at.bytes += static_cast<std::int64_t>(text.size());
      if (!taker.outcome().failed) text = chunks.next();
    }
  } catch (const std::bad_alloc&) {
    taker.fail(at.lines, path + ": rank 0 is out of memory");
  } catch (const MatrixError& e) {
    taker.fail(at.lines, e.what());
  }
  sender.finish();
}

}  // namespace

ParseOutcome takeDealtChunks(const std::string& path, LineChunks* chunks, Text unread,
                             const TextPosition& begin, std::size_t mostBytes,
                             const TakeChunk& take, const CheckText& check, const Comm& comm) {
  ChunkTaker taker(path, take);
  Complaint complaint(comm);
  std::vector<char> buffer;
  collectively(comm, [&] {
    if (comm.rank() != 0) buffer.resize(mostBytes + sizeof(TextPosition));
  });
  if (comm.rank() == 0)
    dealChunks(*chunks, unread, path, begin, check, taker, complaint, comm);
  else
    receiveChunks(taker, buffer, complaint, comm);
  complaint.finish();
  return taker.outcome();
}

}  // namespace Details
}  // namespace Problems
}  // namespace Trident
