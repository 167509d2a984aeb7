// SPDX-License-Identifier: BSD-3-Clause
#include "TridentClustering_MclBinary.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "TridentProblems_Assemble.hpp"
#include "TridentProblems_File.hpp"
#include "TridentProblems_Partition.hpp"
#include "TridentProblems_SharedFile.hpp"

namespace Trident {
namespace Clustering {

namespace {

// The file: a cookie; columns, rows and flags, 8 bytes each; where columns begin behind this list,
// and where the last one ends, 8 bytes each; the columns: how many entries, the column's number, a
// number that graphs have no use for, 8 bytes each, and entries of a row (4) and a weight (4).
constexpr unsigned char cookie[4] = {0x1b, 0xc2, 0x4d, 0xe8};
constexpr std::int64_t listAt = 28, columnHead = 24, entryBytes = 8;
constexpr std::int64_t allNodes = 3;  // of the flags: columns and rows are 0 .. n-1

struct Head {
  std::int64_t columns, rows, flags;
};

/// The bytes of a matrix: those of a file, or all that a rank has read of a stream.
class Source {
 public:
  explicit Source(std::unique_ptr<File> file)
      : name_(file->path()), size_(file->size()), file_(std::move(file)) {}
  Source(std::string name, std::string bytes)
      : name_(std::move(name)),
        size_(static_cast<std::int64_t>(bytes.size())),
        bytes_(std::move(bytes)) {}

  const std::string& name() const { return name_; }
  std::int64_t size() const { return size_; }
  void readAt(std::int64_t offset, void* to, std::int64_t bytes) const {
    if (file_) return file_->readAt(offset, to, bytes);
    if (offset > size_ - bytes) throw MatrixError(name_ + ": the matrix is truncated");
    std::memcpy(to, bytes_.data() + offset, static_cast<std::size_t>(bytes));
  }

 private:
  std::string name_;
  std::int64_t size_;
  std::unique_ptr<File> file_;
  std::string bytes_;
};

/// Opens the matrix, or reads it on rank 0 where it is dealt. Collective.
std::unique_ptr<Source> openMatrix(TextInput& input, const Comm& comm) {
  if (!input.dealt()) return std::make_unique<Source>(openToRead(input.path(), comm));
  std::unique_ptr<Source> source;
  collectively(comm, [&] {
    std::string bytes;
    if (comm.rank() == 0) {
      constexpr std::size_t block = std::size_t{1} << 20;
      for (std::size_t all = 0, got = block; got > 0; all += got) {
        bytes.resize(all + block);
        got = input.read(&bytes[all], block);
        bytes.resize(all + got);
      }
    }
    source = std::make_unique<Source>(input.name(), std::move(bytes));
  });
  return source;
}

class ColumnReader {
 public:
  ColumnReader(const Source& file, const WeightRule& rule, std::int64_t nodes,
               MclBinaryEntries& result)
      : file_(file), rule_(rule), nodes_(nodes), result_(result) {}

  /// Reads columns `begin` .. `end`-1, several at a time.
  void read(std::int64_t begin, std::int64_t end) {
    std::vector<std::int64_t> places(static_cast<std::size_t>(end - begin + 1));
    file_.readAt(listAt + 8 * begin, places.data(), 8 * (end - begin + 1));
    const std::int64_t room = file_.size() - columnsAt();
    for (const std::int64_t place : places) require(place >= 0 && place <= room);
    for (std::size_t k = 1; k < places.size(); ++k)
      require(places[k] - places[k - 1] >= columnHead);
    std::vector<char> bytes;
    for (std::int64_t first = begin; first < end;) {
      const auto placeOf = [&](std::int64_t column) {
        return places[static_cast<std::size_t>(column - begin)];
      };
      std::int64_t last = first + 1;
      while (last < end && placeOf(last + 1) - placeOf(first) <= mostBytes) ++last;
      bytes.resize(static_cast<std::size_t>(placeOf(last) - placeOf(first)));
      file_.readAt(columnsAt() + placeOf(first), bytes.data(),
                   static_cast<std::int64_t>(bytes.size()));
      for (std::int64_t column = first; column < last; ++column)
        take(column, bytes.data() + (placeOf(column) - placeOf(first)),
             placeOf(column + 1) - placeOf(column));
      first = last;
    }
  }

 private:
  static constexpr std::int64_t mostBytes = std::int64_t{1} << 22;  // limit, but for longer columns

  std::int64_t columnsAt() const { return listAt + 8 * (nodes_ + 1); }

  void require(bool good) const {
    if (!good)
      throw MatrixError(file_.name() +
                        ": the columns of the matrix are damaged, or the file is truncated");
  }

  void take(std::int64_t column, const char* at, std::int64_t bytes) {
    std::int64_t head[2];  // entries, number
    std::memcpy(head, at, sizeof head);
    require(head[0] >= 0 && head[0] <= bytes / entryBytes && head[1] == column &&
            bytes == columnHead + entryBytes * head[0]);
    at += columnHead;
    for (std::int64_t e = 0; e < head[0]; ++e, at += entryBytes) {
      std::int32_t node;
      float weight;
      std::memcpy(&node, at, sizeof node);
      std::memcpy(&weight, at + sizeof node, sizeof weight);
      require(node >= 0 && node < nodes_);
      result_.spread.add(weight);
      try {
        result_.entries.push_back({static_cast<global_ordinal_type>(column),
                                   static_cast<global_ordinal_type>(node), rule_.weightOf(weight)});
      } catch (const MatrixError& e) {
        throw MatrixError(file_.name() + ", column " + std::to_string(column) + ", row " +
                          std::to_string(node) + ": " + e.what() + ", but it is " +
                          std::to_string(weight));
      }
    }
  }

  const Source& file_;
  const WeightRule& rule_;
  std::int64_t nodes_;
  MclBinaryEntries& result_;
};

void requireGraph(const Source& file, const Head& head) {
  const std::string dimensions = std::to_string(head.rows) + " x " + std::to_string(head.columns);
  if (head.columns < 0 || head.rows < 0)
    throw MatrixError(file.name() + ": the matrix is " + dimensions + ": the file is damaged");
  if (head.columns != head.rows)
    throw MatrixError(file.name() + ": the matrix is " + dimensions +
                      ": that of a graph should be square");
  if (head.flags != allNodes)
    throw MatrixError(file.name() +
                      ": nodes are not numbered from 0 without a gap: write the graph as labelled "
                      "pairs (mcxdump) and read these with --abc");
  // Divides, as 8 times the number in a damaged file may overflow.
  if (head.columns >= (file.size() - listAt) / 8)
    throw MatrixError(file.name() + ": the matrix is " + dimensions + ", and " +
                      std::to_string(file.size()) +
                      " bytes cannot list so many columns: the file is truncated, or damaged");
}

template <class T>
void appendBytes(std::string& text, T value) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  text.append(bytes, sizeof value);
}

}  // namespace

bool looksLikeMclBinary(const std::string& bytes) {
  return bytes.size() >= sizeof cookie && std::memcmp(bytes.data(), cookie, sizeof cookie) == 0;
}

MclBinaryEntries readMclBinary(TextInput& input, const WeightRule& rule, const Comm& comm) {
  MclBinaryEntries result;
  const std::unique_ptr<Source> opened = openMatrix(input, comm);
  const Source& file = *opened;
  const bool reads = !input.dealt() || comm.rank() == 0;
  std::int64_t sizes[2] = {0, 0};  // nodes, and bytes of entries
  collectively(comm, [&] {
    if (!reads) return;
    Head head;
    file.readAt(sizeof cookie, &head, sizeof head);
    requireGraph(file, head);
    sizes[0] = head.columns;
    sizes[1] = file.size() - listAt - 8 - (8 + columnHead) * head.columns;
  });
  comm.broadcast(sizes, static_cast<int>(sizeof sizes), 0);
  result.nodes = sizes[0];
  requireRoomForMatrix(input.path(), result.nodes, result.nodes,
                       std::max<std::int64_t>(0, sizes[1] / entryBytes), sizeof(Entry), comm);
  collectively(comm, [&] {
    if (!reads) return;
    const UniformPartition blocks(result.nodes, input.dealt() ? 1 : comm.size());
    const std::int64_t begin = blocks.begin(comm.rank());
    ColumnReader(file, rule, result.nodes, result).read(begin, begin + blocks.count(comm.rank()));
  });
  return result;
}

std::string mclBinaryHead(const std::vector<std::int64_t>& entries) {
  const auto nodes = static_cast<std::int64_t>(entries.size());
  std::string text(reinterpret_cast<const char*>(cookie), sizeof cookie);
  appendBytes(text, Head{nodes, nodes, allNodes});
  std::int64_t place = 0;
  appendBytes(text, place);
  for (const std::int64_t count : entries)
    appendBytes(text, place += columnHead + entryBytes * count);
  return text;
}

void appendMclColumn(std::string& text, std::int64_t column, std::int64_t entries) {
  appendBytes(text, entries);
  appendBytes(text, column);
  appendBytes(text, std::int64_t{0});
}

void appendMclEntry(std::string& text, std::int64_t node, double weight) {
  appendBytes(text, static_cast<std::int32_t>(node));
  appendBytes(text, static_cast<float>(weight));
}

}  // namespace Clustering
}  // namespace Trident
