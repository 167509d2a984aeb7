// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_REPORTFILE_HPP
#define TRIDENT_REPORTFILE_HPP

#include <string>

namespace Trident::Impl {

/// A file of whole lines. Each line is written by its own system call, so that a forked program
/// finds no line in a buffer. A program that this one starts does not inherit the open file. The
/// file may be a pipe with a reader. If the reader ends, no SIGPIPE is raised.
class ReportFile {
 public:
  /// Opens the file and empties it. Throws Error if it cannot be written.
  explicit ReportFile(const std::string& name);
  ~ReportFile();
  ReportFile(const ReportFile&) = delete;
  ReportFile& operator=(const ReportFile&) = delete;

  /// Adds a line, whole or not at all. Throws Error if that fails. Then each later call throws,
  /// too. Does nothing if the reader of a pipe has ended.
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
