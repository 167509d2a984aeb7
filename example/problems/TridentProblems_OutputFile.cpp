// SPDX-License-Identifier: BSD-3-Clause
#include "TridentProblems_OutputFile.hpp"

namespace Trident {
namespace Problems {

OutputFile::OutputFile(const std::string& path, const Comm& comm) : comm_(comm) {
  std::string name;
  collectively(comm_, [&] {
    if (comm_.rank() != 0) return;
    fresh_ = std::make_unique<FreshFile>(path);
    name = fresh_->begin();
  });
  name = comm_.broadcast(name, 0);
  collectively(comm_, [&] { file_ = std::make_unique<File>(name, File::Mode::write); });
}

void OutputFile::write(const std::function<void(const File&)>& part) {
  collectively(comm_, [&] { part(*file_); });
}

void OutputFile::finish() {
  collectively(comm_, [&] { file_->finishWriting(); });
  collectively(comm_, [&] {
    if (fresh_) fresh_->place();
  });
}

}  // namespace Problems
}  // namespace Trident
