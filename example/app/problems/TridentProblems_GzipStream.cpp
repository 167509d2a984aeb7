// SPDX-License-Identifier: BSD-3-Clause
#include "TridentProblems_GzipStream.hpp"

#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "TridentProblems_Types.hpp"

namespace Trident {
namespace Problems {

struct GzipStream::Handle {
  gzFile file = nullptr;
};

GzipStream::GzipStream(std::string name, int descriptor, bool plainToo)
    : name_(std::move(name)), plainToo_(plainToo), handle_(std::make_unique<Handle>()) {
  handle_->file = gzdopen(descriptor, "rb");
  if (handle_->file == nullptr) {
    static_cast<void>(close(descriptor));
    throw MatrixError(name_ + ": opening to read failed: out of memory");
  }
  // A larger input buffer than zlib's 8 KiB; where that fails, the small one works too.
  static_cast<void>(gzbuffer(handle_->file, 1u << 18));
}

GzipStream::~GzipStream() { static_cast<void>(gzclose(handle_->file)); }

std::size_t GzipStream::read(char* to, std::size_t size) {
  const int got = gzread(handle_->file, to, static_cast<unsigned>(size));
  int code = Z_OK;
  std::string text = gzerror(handle_->file, &code);  // begins with "<fd:5>: "
  text.erase(0, text.find(' ') + 1);
  // At the end of a file cut short gzread returns what it has, and the error stays.
  if (got < 0 || code == Z_BUF_ERROR || (got == 0 && code != Z_OK && code != Z_STREAM_END))
    throw MatrixError(name_ + ": " + (code == Z_ERRNO ? std::strerror(errno) : text) +
                      ": cannot be unpacked, it is damaged or truncated");
  if (got > 0 && !plainToo_ && gzdirect(handle_->file) != 0)  // zlib hands it through as it is
    throw MatrixError(name_ + ": is not gzipped: rename it without .gz");
  if (got == 0 && !any_) throw MatrixError(name_ + ": is empty");
  any_ = true;
  return static_cast<std::size_t>(got);
}

}  // namespace Problems
}  // namespace Trident
