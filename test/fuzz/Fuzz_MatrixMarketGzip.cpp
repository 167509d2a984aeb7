// SPDX-License-Identifier: BSD-3-Clause
// Input: a gzipped Matrix Market file. Three of four mutations change the text inside, which a
// checksum would protect otherwise.
#include <zlib.h>

#include <cstring>
#include <vector>

#include "Fuzz_Tools.hpp"

namespace {

constexpr std::size_t maxTextBytes = std::size_t{1} << 16;

/// Unpacks the text of a good gzipped file; returns false for any other.
bool unpack(const std::uint8_t* data, std::size_t size, std::vector<std::uint8_t>& text) {
  z_stream stream;
  std::memset(&stream, 0, sizeof stream);
  if (inflateInit2(&stream, 15 + 16) != Z_OK) return false;
  text.resize(maxTextBytes);
  stream.next_in = const_cast<Bytef*>(data);
  stream.avail_in = static_cast<uInt>(size);
  stream.next_out = text.data();
  stream.avail_out = static_cast<uInt>(text.size());
  const bool good = inflate(&stream, Z_FINISH) == Z_STREAM_END;
  text.resize(stream.total_out);
  inflateEnd(&stream);
  return good;
}

std::size_t pack(const std::vector<std::uint8_t>& text, int level, std::uint8_t* data,
                 std::size_t maxSize) {
  z_stream stream;
  std::memset(&stream, 0, sizeof stream);
  if (deflateInit2(&stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) return 0;
  stream.next_in = const_cast<Bytef*>(text.data());
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = data;
  stream.avail_out = static_cast<uInt>(maxSize);
  const bool good = deflate(&stream, Z_FINISH) == Z_STREAM_END;
  const std::size_t size = stream.total_out;
  deflateEnd(&stream);
  return good ? size : 0;
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t maxSize, unsigned int seed) {
  std::vector<std::uint8_t> text;
  if (seed % 4 != 0 && unpack(data, size, text)) {
    const std::size_t textSize = text.size();
    text.resize(maxTextBytes);
    text.resize(LLVMFuzzerMutate(text.data(), textSize, maxTextBytes));
    const std::size_t packed = pack(text, static_cast<int>(seed / 4 % 10), data, maxSize);
    if (packed > 0) return packed;
  }
  return LLVMFuzzerMutate(data, size, maxSize);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Fuzz::readAndCompare(Fuzz::makeFile("a.mtx.gz", data, size));
  return 0;
}
