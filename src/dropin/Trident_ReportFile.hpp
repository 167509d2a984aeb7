// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_REPORTFILE_HPP
#define TRIDENT_REPORTFILE_HPP

#include <string>

namespace Trident::Impl {

/// A file of whole lines. Buffers nothing, because a forked process would write a buffered line
/// again. A program that this one starts does not inherit the open file. The file may be a pipe
/// with a reader. If the reader ends, no SIGPIPE is raised.
class ReportFile {
 public:
  /// Opens and empties the file. Throws Error if the file cannot be written.
  explicit ReportFile(const std::string& name);
  ~ReportFile();
  ReportFile(const ReportFile&) = delete;
  ReportFile& operator=(const ReportFile&) = delete;

  /// Adds a line. If writing fails, throws Error, and so does each later call; a regular file keeps
  /// no part of the line. Does nothing if the file is a pipe whose reader has ended.
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
