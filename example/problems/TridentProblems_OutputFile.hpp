// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPROBLEMS_OUTPUTFILE_HPP
#define TRIDENTPROBLEMS_OUTPUTFILE_HPP

#include <functional>
#include <memory>
#include <string>

#include "TridentProblems_Comm.hpp"
#include "TridentProblems_File.hpp"
#include "TridentProblems_FreshFile.hpp"

namespace Trident {
namespace Problems {

/// A file that all ranks write, each its part, and that is there whole or not at all.
///
/// It is written as a FreshFile, reaches the device, and takes its name once all ranks agree that
/// they wrote. Until then, and for ever where anything fails or the program is killed, an older
/// file of that name stays as it was. All members but the destructor are collective, and throw
/// MatrixError on every rank.
class OutputFile {
 public:
  /// \param comm outlives the object
  OutputFile(const std::string& path, const Comm& comm);
  /// Removes what was not finished. Local.
  ~OutputFile() = default;

  /// Writes this rank's part; may be called several times. \param part must not communicate
  void write(const std::function<void(const File&)>& part);
  /// Gives the file its name.
  void finish();

 private:
  const Comm& comm_;
  std::unique_ptr<FreshFile> fresh_;  // rank 0 has it
  std::unique_ptr<File> file_;
};

}  // namespace Problems
}  // namespace Trident

#endif
