// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPROBLEMS_GENERATORSPEC_HPP
#define TRIDENTPROBLEMS_GENERATORSPEC_HPP

#include <cstdint>
#include <string>
#include <vector>

namespace Trident {
namespace Problems {

/// "name:key=number,key=number" taken apart and checked against the generators that exist.
class GeneratorSpec {
 public:
  /// Throws MatrixError, listing what exists: unknown generator or key, a key twice or missing, a
  /// bad number or one out of bounds.
  explicit GeneratorSpec(const std::string& spec);

  const std::string& name() const { return name_; }
  /// Returns the value of a key, given or default.
  double operator[](const std::string& key) const;
  std::int64_t integer(const std::string& key) const {
    return static_cast<std::int64_t>((*this)[key]);
  }
  /// Returns the whole specification with defaults filled in: "er:n=10,d=4,seed=1".
  std::string text() const;

 private:
  struct Setting {
    std::string key;
    double value;
    bool given;
  };
  void set(const std::string& spec, const std::string& setting);

  std::string name_;
  std::vector<Setting> settings_;
};

/// Returns true if `spec` is meant as a generator: a word, then a colon, or nothing if the word is
/// a generator's name. (Write ./er:x for a file of such a name.)
bool looksLikeGenerator(const std::string& spec);

/// Returns a line for each generator, for a help text.
std::string generatorHelp();

}  // namespace Problems
}  // namespace Trident

#endif
