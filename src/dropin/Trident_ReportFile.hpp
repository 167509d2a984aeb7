// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_REPORTFILE_HPP
#define TRIDENT_REPORTFILE_HPP

#include <string>

namespace Trident::Impl {

/// Writes whole lines to a file, each by itself, so that a forked or started program finds none in
/// a buffer, and no open file. Accepts a pipe that has a reader. Raises no SIGPIPE if the reader
/// ends.
class ReportFile {
 public:
  /// Opens the file, empty. Throws Error if it cannot be written.
  explicit ReportFile(const std::string& name);
  ~ReportFile();
  ReportFile(const ReportFile&) = delete;
  ReportFile& operator=(const ReportFile&) = delete;

  /// Adds a line, whole or not at all. Throws Error where that fails, also at each later line; not
  /// where the reader of a pipe has ended.
  void add(const std::string& line);

 private:
  void write(const std::string& line);
  void awaitReader() const;

  std::string name_, failed_;
  int file_ = -1;
  bool wanted_ = true;
};

}  // namespace Trident::Impl

#endif
