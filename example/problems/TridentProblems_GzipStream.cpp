// SPDX-License-Identifier: BSD-3-Clause
#include "TridentProblems_GzipStream.hpp"

#include <zlib.h>

#include <cerrno>
#include <cstring>

#include "TridentProblems_Types.hpp"

namespace Trident {
namespace Problems {

struct GzipStream::Handle {
  gzFile file = nullptr;
};

GzipStream::GzipStream(const std::string& path) : path_(path), handle_(std::make_unique<Handle>()) {
  errno = 0;
  handle_->file = gzopen(path.c_str(), "rb");
  if (handle_->file == nullptr)
    throw MatrixError(path + ": opening to read failed: " +
                      (errno != 0 ? std::strerror(errno) : "out of memory"));
  // A larger input buffer than zlib's 8 KiB; where that fails, the small one works too.
  static_cast<void>(gzbuffer(handle_->file, 1u << 18));
}

GzipStream::~GzipStream() { static_cast<void>(gzclose(handle_->file)); }

std::size_t GzipStream::read(char* to, std::size_t size) {
  const int got = gzread(handle_->file, to, static_cast<unsigned>(size));
  int code = Z_OK;
  const std::string text = gzerror(handle_->file, &code);  // begins with the path
  // At the end of a file cut short gzread returns what it has, and the error stays.
  if (got < 0 || code == Z_BUF_ERROR || (got == 0 && code != Z_OK && code != Z_STREAM_END))
    throw MatrixError((code == Z_ERRNO ? path_ + ": " + std::strerror(errno) : text) +
                      ": cannot be unpacked, it is damaged or truncated");
  if (got > 0 && gzdirect(handle_->file) != 0)  // zlib hands such a file through as it is
    throw MatrixError(path_ + ": is not gzipped: rename it without .gz");
  if (got == 0 && !any_) throw MatrixError(path_ + ": is empty");
  any_ = true;
  return static_cast<std::size_t>(got);
}

}  // namespace Problems
}  // namespace Trident
