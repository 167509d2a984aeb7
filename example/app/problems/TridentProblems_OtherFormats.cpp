// SPDX-License-Identifier: BSD-3-Clause
// Knows files that are not read by how they begin, so that a refusal names what they are.
#include <algorithm>
#include <cctype>
#include <sstream>
#include <vector>

#include "TridentProblems_File.hpp"
#include "TridentProblems_TextInput.hpp"

namespace Trident {
namespace Problems {

namespace {

struct Packer {
  const char* name;
  std::string begins;   ///< ? is any byte
  const char* unpacks;  ///< a command that writes what it unpacks to standard output
};

const std::vector<Packer>& packers() {
  static const auto* const all =
      new std::vector<Packer>{// which no destructor ends
                              {"gzip", "\x1f\x8b", "gzip -dc"},
                              {"bzip2", "BZh?1AY&SY", "bzip2 -dc"},  // "BZh" alone may be a label
                              {"xz", std::string("\xfd\x37zXZ\0", 6), "xz -dc"},
                              {"zstd", "\x28\xb5\x2f\xfd", "zstd -dc"},
                              {"zip", "PK\x03\x04", "unzip -p"},
                              {"7-Zip", "7z\xbc\xaf\x27\x1c", "7z x -so"},
                              {"lz4", "\x04\x22\x4d\x18", "lz4 -dc"},
                              {"compress", "\x1f\x9d", "gzip -dc"}};
  return *all;
}

const Packer* packer(const std::string& beginning) {
  const auto same = [](char is, char should) { return should == '?' || is == should; };
  for (const Packer& one : packers())
    if (beginning.size() >= one.begins.size() &&
        std::equal(one.begins.rbegin(), one.begins.rend(),
                   beginning.rend() - static_cast<std::ptrdiff_t>(one.begins.size()),
                   [&](char should, char is) { return same(is, should); }))
      return &one;
  return nullptr;
}

/// Returns true if a line has a type such as "RUA", then four numbers.
bool isTypeLine(const std::string& line) {
  const auto isOf = [&](std::size_t at, const char* letters) {
    const char letter = static_cast<char>(std::tolower(static_cast<unsigned char>(line[at])));
    return std::string(letters).find(letter) != std::string::npos;
  };
  if (line.size() < 3 || !isOf(0, "rcpiqx") || !isOf(1, "suhzr") || !isOf(2, "aex")) return false;
  std::istringstream numbers(line.substr(3));
  long long number = 0;
  int count = 0;
  while (numbers >> number) ++count;
  return count >= 3;
}

/// Recognizes Harwell-Boeing, or Rutherford-Boeing: a title, a line of numbers of cards, and one of
/// the type.
bool isBoeing(const std::string& beginning) {
  std::istringstream lines(beginning);
  std::string title, cards, type;
  if (!std::getline(lines, title) || !std::getline(lines, cards) || !std::getline(lines, type))
    return false;
  const auto isOfCards = [](char c) {
    return std::isspace(static_cast<unsigned char>(c)) != 0 || (c >= '0' && c <= '9');
  };
  return std::all_of(cards.begin(), cards.end(), isOfCards) && isTypeLine(type);
}

}  // namespace

bool isGzipped(const std::string& path) {
  const File file(path, File::Mode::read);
  const Packer* const one = packer(file.beginning(16));
  return one != nullptr && one->name == std::string("gzip");
}

std::string packerOf(const std::string& beginning) {
  const Packer* const one = packer(beginning);
  return one == nullptr ? "" : one->name;
}

void requireText(const std::string& name, const std::string& beginning) {
  if (beginning.empty()) throw MatrixError(name + ": is empty");
  if (const Packer* const one = packer(beginning))
    throw MatrixError(name + ": is packed by " + one->name +
                      (one->name == std::string("gzip") ? " twice" : ", which is not read") +
                      ": unpack it, or pipe what \"" + one->unpacks +
                      "\" makes of it into standard input, \"-\"");
  if (isBoeing(beginning))
    throw MatrixError(name +
                      ": is a Harwell-Boeing or Rutherford-Boeing file, which is not read: convert "
                      "it to Matrix Market, as by scipy.io.hb_read() and scipy.io.mmwrite()");
}

}  // namespace Problems
}  // namespace Trident
