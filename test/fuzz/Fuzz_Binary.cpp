// SPDX-License-Identifier: BSD-3-Clause
// Input: a .bin file. Three of four mutations get a header that fits the number of bytes, without
// which no byte behind it is looked at.
#include <algorithm>
#include <cstring>

#include "Fuzz_Tools.hpp"

namespace {

constexpr std::size_t headerBytes = 16, offsetBytes = 8, entryBytes = 12;

/// Writes a header for about `n` columns and as many entries as there is room for, and offsets that
/// begin and end as they must. \return the bytes of the file
std::size_t fitHeader(std::uint8_t* data, std::size_t size, std::size_t n) {
  n = std::min(n, (size - headerBytes) / offsetBytes - 1);
  const std::size_t entriesAt = headerBytes + offsetBytes * (n + 1);
  const std::int64_t header[] = {static_cast<std::int64_t>(n),
                                 static_cast<std::int64_t>((size - entriesAt) / entryBytes)};
  std::memset(data + headerBytes, 0, offsetBytes);
  std::memcpy(data + entriesAt - offsetBytes, &header[1], offsetBytes);
  std::memcpy(data, header, sizeof header);
  return entriesAt + entryBytes * static_cast<std::size_t>(header[1]);
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t maxSize, unsigned int seed) {
  size = LLVMFuzzerMutate(data, size, maxSize);
  if (seed % 4 == 0 || size < headerBytes + offsetBytes) return size;
  return fitHeader(data, size, seed / 4 % 50);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Fuzz::readAndCompare(Fuzz::makeFile("a.bin", data, size));
  return 0;
}
