// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_REPORTFILE_HPP
#define TRIDENT_REPORTFILE_HPP

#include <string>

namespace Trident::Impl {

/// A file of whole lines. Each is written by a system call of its own. So a forked program finds no
/// line in a buffer, and a started program finds no open file. A pipe will do if it has a reader;
/// no SIGPIPE is raised if the reader ends.
class ReportFile {
 public:
  /// Opens the file and empties it. Throws Error if it cannot be written.
  explicit ReportFile(const std::string& name);
  ~ReportFile();
  ReportFile(const ReportFile&) = delete;
  ReportFile& operator=(const ReportFile&) = delete;

  /// Adds a line, whole or not at all. Throws Error if that fails, and at each later line. Does
  /// nothing if the reader of a pipe has ended.
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
