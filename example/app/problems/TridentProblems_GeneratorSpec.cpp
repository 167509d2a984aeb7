// SPDX-License-Identifier: BSD-3-Clause
#include "TridentProblems_GeneratorSpec.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <sstream>

#include "TridentProblems_ParseNumber.hpp"
#include "TridentProblems_Types.hpp"

namespace Trident {
namespace Problems {

namespace {

constexpr double required = std::numeric_limits<double>::quiet_NaN();
constexpr double many = 1e15;  // below 2^53: every integer up to it is a double

struct Key {
  const char* name;
  double standard;  ///< default, or `required`
  double least, most;
  bool isInteger;
};

struct Generator {
  const char* name;
  const char* example;
  const char* what;
  std::vector<Key> keys;
};

const std::vector<Generator>& generators() {
  static const Key n{"n", required, 1, many, true}, seed{"seed", 1, 0, many, true};
  static const Key side2d{"n", required, 1, 3e7, true}, side3d{"n", required, 1, 1e5, true};
  static const std::vector<Generator> all{
      {"er",
       "er:n=100000,d=16,seed=1",
       "Erdos-Renyi: n x n, d entries a row expected, values random in (0,1]",
       {n, {"d", 16, 0, many, false}, seed}},
      {"rmat",
       "rmat:scale=16,d=16,seed=1",
       "R-MAT (Graph500: .57 .19 .19 .05): 2^scale rows, d*2^scale edges, duplicates summed",
       {{"scale", required, 0, 48, true}, {"d", 16, 0, 1e6, true}, seed}},
      {"laplace2d", "laplace2d:n=1000", "5-point Laplacian of an n x n grid", {side2d}},
      {"brick2d", "brick2d:n=1000", "9-point stencil on an n x n grid", {side2d}},
      {"laplace3d", "laplace3d:n=64", "7-point Laplacian of an n x n x n grid", {side3d}},
      {"brick3d", "brick3d:n=64", "27-point stencil on an n x n x n grid", {side3d}},
      {"banded",
       "banded:n=100000,bw=20,seed=1",
       "n x n, columns i-bw..i+bw of each row i, values random in (0,1]",
       {n, {"bw", required, 0, many, true}, seed}},
      {"families",
       "families:n=200000,seed=1",
       "families of similar proteins: least=2..most=400 nodes by a power law (power=2), d=20 "
       "neighbours inside, between=1 elsewhere",
       {n,
        {"least", 2, 1, 1e4, true},
        {"most", 400, 1, 1e4, true},  // a row costs as much as its family is large
        {"power", 2, 0, 10, false},
        {"d", 20, 0, 1e4, false},
        {"between", 1, 0, 1000, true},
        seed}}};
  return all;
}

const Generator* findGenerator(const std::string& name) {
  for (const Generator& generator : generators())
    if (name == generator.name) return &generator;
  return nullptr;
}

[[noreturn]] void fail(const std::string& spec, const std::string& what) {
  throw MatrixError("\"" + spec + "\": " + what + ". Generators:\n" + generatorHelp());
}

const Key& keyOf(const std::string& generator, const std::string& name) {
  const std::vector<Key>& keys = findGenerator(generator)->keys;
  return *std::find_if(keys.begin(), keys.end(), [&](const Key& k) { return name == k.name; });
}

std::string numberText(double value) {
  std::ostringstream stream;
  stream.precision(17);
  stream << value;
  return stream.str();
}

/// Reads a number and checks it against its key.
double checkedNumber(const std::string& spec, const Key& key, const std::string& text) {
  const char *at = text.data(), *end = text.data() + text.size();
  double value = 0;
  if (!parseReal(at, end, value) || at != end)
    fail(spec, std::string(key.name) + "=\"" + text + "\" is not a number");
  if (key.isInteger && value != std::floor(value))
    fail(spec, std::string(key.name) + "=" + text + " should be a whole number");
  if (!(value >= key.least && value <= key.most))
    fail(spec, std::string(key.name) + "=" + text + " should lie in " + numberText(key.least) +
                   ".." + numberText(key.most));
  return value;
}

}  // namespace

std::string generatorHelp() {
  std::string help;
  for (const Generator& generator : generators()) {
    std::string example = generator.example;
    example.resize(std::max<std::size_t>(example.size(), 30), ' ');
    help += "  " + example + " " + generator.what + "\n";
  }
  return help;
}

bool looksLikeGenerator(const std::string& spec) {
  const std::size_t colon = spec.find(':');
  if (colon == std::string::npos) return findGenerator(spec) != nullptr;
  return colon > 0 && std::all_of(spec.begin(), spec.begin() + static_cast<std::ptrdiff_t>(colon),
                                  [](unsigned char c) { return std::isalnum(c) != 0; });
}

GeneratorSpec::GeneratorSpec(const std::string& spec) {
  const std::size_t colon = std::min(spec.find(':'), spec.size());
  name_ = spec.substr(0, colon);
  const Generator* generator = findGenerator(name_);
  if (generator == nullptr) fail(spec, "there is no generator \"" + name_ + "\"");
  for (const Key& key : generator->keys) settings_.push_back({key.name, key.standard, false});
  std::istringstream list(colon < spec.size() ? spec.substr(colon + 1) : std::string());
  for (std::string setting; std::getline(list, setting, ',');) set(spec, setting);
  for (const Setting& setting : settings_)
    if (std::isnan(setting.value)) fail(spec, setting.key + "=NUMBER is missing");
}

void GeneratorSpec::set(const std::string& spec, const std::string& setting) {
  const std::size_t equals = setting.find('=');
  if (equals == std::string::npos) fail(spec, "\"" + setting + "\" should be KEY=NUMBER");
  const std::string key = setting.substr(0, equals);
  const auto found = std::find_if(settings_.begin(), settings_.end(),
                                  [&](const Setting& s) { return s.key == key; });
  if (found == settings_.end()) {
    std::string known;
    for (const Setting& s : settings_) known += (known.empty() ? "" : ", ") + s.key;
    fail(spec, name_ + " has no key \"" + key + "\", only " + known);
  }
  if (found->given) fail(spec, key + " is given twice");
  found->value = checkedNumber(spec, keyOf(name_, key), setting.substr(equals + 1));
  found->given = true;
}

double GeneratorSpec::operator[](const std::string& key) const {
  for (const Setting& setting : settings_)
    if (setting.key == key) return setting.value;
  throw MatrixError("generator " + name_ + " has no key " + key);
}

std::string GeneratorSpec::text() const {
  std::string text = name_;
  char separator = ':';
  for (const Setting& setting : settings_) {
    text += separator + setting.key + "=" + numberText(setting.value);
    separator = ',';
  }
  return text;
}

}  // namespace Problems
}  // namespace Trident
