// SPDX-License-Identifier: BSD-3-Clause
// Input: a file by columns (.bin) or by rows (.csr), read as both. Most mutations get a header that
// fits the number of bytes, without which no byte behind it is looked at; some of those by rows
// also get the checksum that fits.
#include <algorithm>
#include <cstring>

#include "Fuzz_Tools.hpp"
#include "TridentProblems_BinaryLayout.hpp"

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

template <class Number>
void addNumbers(Trident::Problems::BinarySum& sum, const std::uint8_t* data, std::size_t begin,
                std::size_t end) {
  for (std::size_t at = begin; at < end; at += sizeof(Number)) {
    Number number;
    std::memcpy(&number, data + at, sizeof number);
    sum.add(static_cast<std::int64_t>(at), &number, 1);
  }
}

/// Puts the checksum behind a file by rows of `size` bytes, where there is room. \return its bytes
std::size_t appendSum(std::uint8_t* data, std::size_t size, std::size_t maxSize) {
  constexpr std::size_t headerBytes = 24, sumBytes = 16;
  if (size < headerBytes + offsetBytes || size + sumBytes > maxSize) return size;
  std::int64_t head[3];
  std::memcpy(head, data, sizeof head);
  const std::size_t indicesAt = headerBytes + offsetBytes * (static_cast<std::size_t>(head[0]) + 1);
  const std::size_t valuesAt = indicesAt + 4 * static_cast<std::size_t>(head[2]);
  Trident::Problems::BinarySum sum;
  addNumbers<std::int64_t>(sum, data, 0, indicesAt);
  addNumbers<std::int32_t>(sum, data, indicesAt, valuesAt);
  addNumbers<double>(sum, data, valuesAt, size);
  const std::uint64_t value = sum.value();
  std::memcpy(data + size, "checksum", 8);
  std::memcpy(data + size + 8, &value, sizeof value);
  return size + sumBytes;
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t maxSize, unsigned int seed) {
  size = LLVMFuzzerMutate(data, size, maxSize);
  if (seed % 4 == 0) return size;
  const bool byRows = seed / 4 % 2 != 0;
  const std::size_t fitting = fitHeader(data, size, seed / 8 % 50, byRows);
  const bool hasHeader = size >= 24 + offsetBytes;
  return byRows && hasHeader && seed / 512 % 2 != 0 ? appendSum(data, fitting, maxSize) : fitting;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const char* name : {"a.bin", "a.csr"})
    Fuzz::readAndCompare(Fuzz::makeFile(name, data, size));
  return 0;
}
