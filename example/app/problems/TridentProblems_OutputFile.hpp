// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPROBLEMS_OUTPUTFILE_HPP
#define TRIDENTPROBLEMS_OUTPUTFILE_HPP

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "TridentProblems_Comm.hpp"
#include "TridentProblems_File.hpp"
#include "TridentProblems_FreshFile.hpp"

namespace Trident {
namespace Problems {

/// A file that all ranks write, each its part, and that is there whole or not at all.
///
/// It is written as a FreshFile, reaches the device, and takes its name once all ranks agree that
/// they wrote. Until then, and for ever where anything fails or the program is killed, an older
/// file of that name stays as it was. Of a stream (FreshFile) rank 0 writes the parts of all, in
/// the order of the ranks, and holds a block of them. All members but the destructor are
/// collective, and throw MatrixError on every rank.
class OutputFile {
 public:
  /// \param comm outlives the object
  OutputFile(const std::string& path, const Comm& comm);
  /// Removes an unfinished file. Local.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Writes this rank's part; may be called several times. \param part must not communicate
  void write(const std::function<void(const File&)>& part);
  /// Gives the file its name.
  void finish();

 private:
  void relay(const std::function<void(const File&)>& part);
  void sendBlock(const char* bytes, std::int64_t count) const;
  /// \return its bytes; 0: there are no more
  std::int64_t receiveBlock(int rank);
  void writeOut(const char* bytes, std::int64_t count) const;

  const Comm& comm_;
  std::string path_;
  bool streams_ = false;
  int descriptor_ = -1;               // descriptor of a stream, on rank 0
  std::vector<char> block_;           // block that rank 0 received last
  std::unique_ptr<FreshFile> fresh_;  // rank 0 has it
  std::unique_ptr<File> file_;
};

}  // namespace Problems
}  // namespace Trident

#endif
