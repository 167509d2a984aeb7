// SPDX-License-Identifier: BSD-3-Clause
// Input: a file by columns (.bin) or by rows (.csr), read as both. Most mutations get a header that
// fits the number of bytes, without which no byte behind it is looked at.
#include <algorithm>
#include <cstring>

#include "Fuzz_Tools.hpp"

namespace {

constexpr std::size_t offsetBytes = 8, entryBytes = 12;

/// Writes a header for about `n` lines and as many entries as there is room for, and offsets that
/// begin and end as they must. \return the bytes of the file
std::size_t fitHeader(std::uint8_t* data, std::size_t size, std::size_t n, bool byRows) {
  const std::size_t headerBytes = byRows ? 24 : 16;
  if (size < headerBytes + offsetBytes) return size;
  n = std::min(n, (size - headerBytes) / offsetBytes - 1);
  const std::size_t entriesAt = headerBytes + offsetBytes * (n + 1);
  const std::int64_t lines = static_cast<std::int64_t>(n), across = std::int64_t{1} << (n % 32),
                     entries = static_cast<std::int64_t>((size - entriesAt) / entryBytes);
  const std::int64_t ofRows[] = {lines, across, entries}, ofColumns[] = {lines, entries};
  std::memset(data + headerBytes, 0, offsetBytes);
  std::memcpy(data + entriesAt - offsetBytes, &entries, offsetBytes);
  std::memcpy(data, byRows ? ofRows : ofColumns, headerBytes);
  return entriesAt + entryBytes * static_cast<std::size_t>(entries);
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t maxSize, unsigned int seed) {
  size = LLVMFuzzerMutate(data, size, maxSize);
  if (seed % 4 == 0) return size;
  return fitHeader(data, size, seed / 8 % 50, seed / 4 % 2 != 0);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const char* name : {"a.bin", "a.csr"})
    Fuzz::readAndCompare(Fuzz::makeFile(name, data, size));
  return 0;
}
