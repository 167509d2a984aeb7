// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_REPORTFILE_HPP
#define TRIDENT_REPORTFILE_HPP

#include <string>

namespace Trident::Impl {

/// A file of whole lines, each written at once: what the program forks or starts finds nothing in a
/// buffer, and inherits no file. A pipe will do: one without a reader is refused, and no signal
/// comes of one whose reader ends.
class ReportFile {
 public:
  /// Opens it, empty. Throws Error where it cannot be written.
  explicit ReportFile(const std::string& name);
  ~ReportFile();
  ReportFile(const ReportFile&) = delete;
  ReportFile& operator=(const ReportFile&) = delete;

  /// Adds a line, whole or not at all. Throws Error where that fails, also at each later line; not
  /// where the reader of a pipe has ended: then nobody wants what comes.
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
