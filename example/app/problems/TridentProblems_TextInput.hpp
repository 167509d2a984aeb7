// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPROBLEMS_TEXTINPUT_HPP
#define TRIDENTPROBLEMS_TEXTINPUT_HPP

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "TridentProblems_Comm.hpp"
#include "TridentProblems_Gzip.hpp"

namespace Trident {
namespace Problems {

/// A text to be read once: a file, a pipe, or "-", standard input; gzipped or not, which its first
/// bytes say.
///
/// A plain file is read by all ranks. All others are dealt: rank 0 alone reads them, from their
/// beginning to their end, and no other rank need see them.
class TextInput {
 public:
  /// Opens the input, if it is dealt; waits a minute at most for one who writes to a pipe.
  /// Collective; throws MatrixError on every rank, also where the first bytes are those of a format
  /// that is known and not read, or where there are none, without `mayBeEmpty`.
  TextInput(const std::string& path, const Comm& comm, bool mayBeEmpty = false);

  const std::string& path() const { return path_; }
  /// Returns the input's name in messages.
  const std::string& name() const { return name_; }
  bool dealt() const { return dealt_; }
  /// Returns true if it is a file, and gzipped.
  bool gzipped() const { return gzipped_; }

  /// Reads the first bytes, at most `bytes`, unpacked; reading begins with them all the same.
  /// Local: rank 0, before read(). Throws MatrixError if they cannot be read.
  std::string beginning(std::size_t bytes);
  /// Writes up to `size` bytes of what is dealt to `to`, and returns how many; 0 is the end. Local:
  /// rank 0. Throws MatrixError.
  std::size_t read(char* to, std::size_t size);

 private:
  std::string path_, name_;
  bool dealt_ = false, gzipped_ = false;
  std::unique_ptr<GzipStream> stream_;  // stream that is dealt, on rank 0
  std::string ahead_;                   // text that beginning() took from it
  std::size_t taken_ = 0;               // bytes of that which were read since
};

/// Returns an input's name in messages.
std::string inputName(const std::string& path);

/// Throws MatrixError on every rank where two of these are one pipe, or standard input both: what
/// one of them reads is gone for the other. Collective.
void requireInputsApart(const std::vector<std::string>& paths, const Comm& comm);

/// Returns true if an input can be read once only: a pipe, a terminal, standard input.
bool isStream(const std::string& path);

/// Returns true if a file begins as gzip's do. Throws MatrixError where it cannot be read.
bool isGzipped(const std::string& path);

/// Returns the packer of a file that begins so, such as "bzip2"; empty if none is known.
std::string packerOf(const std::string& beginning);

/// Throws MatrixError for the beginning of a file in a format that is known and not read, with what
/// to do. \param name of the input
void requireText(const std::string& name, const std::string& beginning);

}  // namespace Problems
}  // namespace Trident

#endif
