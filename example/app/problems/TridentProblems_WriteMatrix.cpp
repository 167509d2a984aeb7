// SPDX-License-Identifier: BSD-3-Clause
#include "TridentProblems_WriteMatrix.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <memory>
#include <vector>

#include "TridentProblems_Comm.hpp"
#include "TridentProblems_CompressedRows.hpp"
#include "TridentProblems_File.hpp"
#include "TridentProblems_Gzip.hpp"
#include "TridentProblems_Rows.hpp"
#include "TridentProblems_WriteText.hpp"

namespace Trident {
namespace Problems {

namespace {

constexpr std::size_t bytesAtOnce = std::size_t{1} << 22;
constexpr std::size_t maxLineBytes = 80;  // two 20-digit indices and a number of at most 24

char* formatReal(char* to, double value) {
#if defined(__cpp_lib_to_chars)  // the fewest digits that read as this value
  return std::to_chars(to, to + 32, value).ptr;
#else
  return to + std::snprintf(to, 32, "%.17g", value);
#endif
}

char* formatLine(char* to, std::int64_t row, std::int64_t column, double value) {
  to = std::to_chars(to, to + 20, row).ptr;
  *to++ = ' ';
  to = std::to_chars(to, to + 20, column).ptr;
  *to++ = ' ';
  to = formatReal(to, value);
  *to++ = '\n';
  return to;
}

/// Formats this rank's rows and hands them out in chunks: sink(text, bytes).
template <class Sink>
void formatRows(const RowReader& rows, std::int64_t rowBase, std::int64_t columnBase,
                const Sink& sink) {
  std::vector<char> buffer(bytesAtOnce);
  char *const begin = buffer.data(), *const full = begin + bytesAtOnce - maxLineBytes;
  char* at = begin;
  std::vector<std::int64_t> columns;  // of a row, first all: most look-ups may miss the caches
  for (std::size_t row = 0; row < rows.numRows(); ++row) {
    const std::size_t first = rows.begin(row);
    columns.resize(rows.end(row) - first);
    for (std::size_t k = 0; k < columns.size(); ++k)
      columns[k] = rows.column(first + k) - columnBase + 1;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      at = formatLine(at, rows.rowGid(row) - rowBase + 1, columns[k], rows.value(first + k));
      if (at < full) continue;
      sink(begin, at - begin);
      at = begin;
    }
  }
  sink(begin, at - begin);
}

/// This rank's part of the file.
class Writer {
 public:
  /// Prepares to write a matrix. Collective. Several ranks form their text once to know the sizes:
  /// holding it would need more memory than the matrix.
  Writer(const matrix_type& matrix, bool gzipped, const Comm& comm)
      : rowBase_(matrix.getRangeMap()->getIndexBase()),
        columnBase_(matrix.getDomainMap()->getIndexBase()),
        gzipped_(gzipped) {
    collectively(comm, [&] { rows_ = std::make_unique<RowReader>(matrix); });
    const std::int64_t entries = comm.sum(static_cast<std::int64_t>(rows_->numEntries()));
    std::int64_t bytes = 0;
    collectively(comm, [&] {
      if (comm.rank() == 0)
        header_ = "%%MatrixMarket matrix coordinate real general\n" +
                  std::to_string(matrix.getRangeMap()->getGlobalNumElements()) + " " +
                  std::to_string(matrix.getDomainMap()->getGlobalNumElements()) + " " +
                  std::to_string(entries) + "\n";
      if (comm.size() == 1) return;
      handOut([&](const char*, std::size_t size) { bytes += static_cast<std::int64_t>(size); });
    });
    offset_ = comm.sumBefore(bytes);
  }

  void write(const File& file) const {
    std::int64_t at = offset_;
    handOut([&](const char* part, std::size_t size) {
      file.writeAt(at, part, static_cast<std::int64_t>(size));
      at += static_cast<std::int64_t>(size);
    });
  }

 private:
  /// Hands out the bytes of the file that are this rank's.
  void handOut(const GzipMember::Sink& sink) const {
    if (!gzipped_) return handOutText(sink);
    GzipMember member(sink);
    handOutText([&](const char* text, std::size_t size) { member.add(text, size); });
    member.finish();
  }

  template <class Sink>
  void handOutText(const Sink& sink) const {
    sink(header_.data(), header_.size());
    formatRows(*rows_, rowBase_, columnBase_, [&](const char* text, std::ptrdiff_t size) {
      sink(text, static_cast<std::size_t>(size));
    });
  }

  std::unique_ptr<RowReader> rows_;
  std::int64_t rowBase_, columnBase_;
  bool gzipped_;
  std::string header_;  // rank 0 has it
  std::int64_t offset_ = 0;
};

}  // namespace

void writeMatrixMarket(const matrix_type& matrix, const std::string& path) {
  const Comm comm(*matrix.getComm());
  throwEverywhere(comm, !matrix.isFillComplete(),
                  path + ": the matrix to write is not fill-complete: call fillComplete() first");
  const Writer writer(matrix, endsIn(path, ".gz"), comm);
  writeFile(path, comm, [&](const File& file) { writer.write(file); });
}

void requireFormat(const std::string& path) {
  for (const char* ending : {".bin", ".bin.gz", ".csr.gz", ".bz2", ".xz", ".zst", ".zip"})
    if (endsIn(path, ending))
      throw MatrixError(path + " cannot be written: " + ending +
                        " files are not written; name it .csr (by rows), .mtx or .mtx.gz");
}

void writeMatrix(const matrix_type& matrix, const std::string& path) {
  requireFormat(path);
  if (endsIn(path, ".csr"))
    writeCompressedRows(matrix, path);
  else
    writeMatrixMarket(matrix, path);
}

}  // namespace Problems
}  // namespace Trident
