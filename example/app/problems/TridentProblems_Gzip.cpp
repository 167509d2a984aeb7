// SPDX-License-Identifier: BSD-3-Clause
#include "TridentProblems_Gzip.hpp"

#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "TridentProblems_Types.hpp"

namespace Trident {
namespace Problems {

struct GzipStream::Handle {
  gzFile file = nullptr;
};

GzipStream::GzipStream(std::string name, int descriptor, bool mayBeEmpty)
    : name_(std::move(name)), handle_(std::make_unique<Handle>()), any_(mayBeEmpty) {
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
  if (got == 0 && !any_) throw MatrixError(name_ + ": is empty");
  any_ = true;
  return static_cast<std::size_t>(got);
}

struct GzipMember::Stream {
  z_stream z{};
  std::vector<char> packed = std::vector<char>(std::size_t{1} << 18);
};

GzipMember::GzipMember(Sink sink) : sink_(std::move(sink)), stream_(std::make_unique<Stream>()) {
  constexpr int asGzip = 15 + 16, usualMemory = 8;
  if (deflateInit2(&stream_->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, asGzip, usualMemory,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    throw MatrixError("out of memory to pack a .gz file: write it without .gz");
}

GzipMember::~GzipMember() { static_cast<void>(deflateEnd(&stream_->z)); }

void GzipMember::pack(const char* text, std::size_t size, int flush) {
  z_stream& z = stream_->z;
  std::vector<char>& packed = stream_->packed;
  // zlib does not write what it reads, though its type says so.
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text));
  z.avail_in = static_cast<uInt>(size);
  do {
    z.next_out = reinterpret_cast<Bytef*>(packed.data());
    z.avail_out = static_cast<uInt>(packed.size());
    static_cast<void>(deflate(&z, flush));  // with room for output it cannot fail
    if (z.avail_out < packed.size()) sink_(packed.data(), packed.size() - z.avail_out);
  } while (z.avail_out == 0);
}

void GzipMember::add(const char* text, std::size_t size) {
  constexpr std::size_t most = std::size_t{1} << 30;  // zlib counts by unsigned int
  for (std::size_t at = 0; at < size; at += most)
    pack(text + at, std::min(most, size - at), Z_NO_FLUSH);
}

void GzipMember::finish() { pack(nullptr, 0, Z_FINISH); }

std::string gzipMember(const std::string& text) {
  std::string packed;
  GzipMember member([&](const char* bytes, std::size_t size) { packed.append(bytes, size); });
  member.add(text.data(), text.size());
  member.finish();
  return packed;
}

}  // namespace Problems
}  // namespace Trident
