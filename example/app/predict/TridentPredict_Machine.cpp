// SPDX-License-Identifier: BSD-3-Clause
#include "TridentPredict_Machine.hpp"

#include <cctype>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <stdexcept>

#include "TridentProblems_JsonText.hpp"
#include "TridentProblems_ParseNumber.hpp"
#include "Trident_JsonString.hpp"

namespace Trident {
namespace Predict {
namespace {

/// Reads the JSON that a machine file is made of: objects, numbers and texts. What lies in objects
/// gets their names and dots before its own.
class FlatJson {
 public:
  FlatJson(const std::string& text, const std::string& path)
      : at_(text.data()), end_(at_ + text.size()), path_(path) {
    object("");
    skipSpace();
    if (at_ != end_) fail("there is more behind the object");
  }
  const std::map<std::string, double>& numbers() const { return numbers_; }
  const std::map<std::string, std::string>& texts() const { return texts_; }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error(path_ + ": " + what +
                             "; a machine file is one JSON object of numbers, texts and objects");
  }
  void skipSpace() {
    while (at_ != end_ && std::isspace(static_cast<unsigned char>(*at_))) ++at_;
  }
  bool take(char c) {
    skipSpace();
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }
  void need(char c) {
    if (!take(c)) fail(std::string("'") + c + "' is missing");
  }
  std::string text() {
    need('"');
    std::string text;
    for (; at_ != end_ && *at_ != '"'; ++at_) {
      if (*at_ == '\\') fail("a text has a backslash, which is not understood here");
      text += *at_;
    }
    need('"');
    return text;
  }
  void object(const std::string& prefix) {
    // The stack is small, and a text of braces long; machine files need two.
    if (++depth_ > 8) fail("objects lie more than 8 deep in each other");
    members(prefix);
    --depth_;
  }
  void members(const std::string& prefix) {
    need('{');
    if (take('}')) return;
    do {
      const std::string name = prefix + text();
      need(':');
      value(name);
    } while (take(','));
    need('}');
  }
  void value(const std::string& name) {
    if (numbers_.count(name) + texts_.count(name) > 0) fail("\"" + name + "\" is there twice");
    skipSpace();
    if (at_ != end_ && *at_ == '{') return object(name + ".");
    if (at_ != end_ && *at_ == '"') {
      texts_[name] = text();
      return;
    }
    const char* const begin = at_;
    while (at_ != end_ && *at_ != ',' && *at_ != '}' &&
           !std::isspace(static_cast<unsigned char>(*at_)))
      ++at_;
    const char* read = begin;
    double number = 0;
    if (!Problems::parseReal(read, at_, number) || read != at_ || !std::isfinite(number))
      fail("\"" + name + "\" is no number");
    numbers_[name] = number;
  }

  const char *at_, *end_;
  int depth_ = 0;  // depth of the object that is read
  std::string path_;
  std::map<std::string, double> numbers_;
  std::map<std::string, std::string> texts_;
};

bool isSource(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  return name.compare(dot == std::string::npos ? 0 : dot + 1, 6, "source") == 0;
}

}  // namespace

std::vector<std::pair<std::string, double*>> numbersOf(Machine& m) {
  return {{"between.bytes per second", &m.betweenBytesPerSecond},
          {"between.latency", &m.betweenLatency},
          {"inside.bytes per second", &m.insideBytesPerSecond},
          {"inside.latency", &m.insideLatency},
          {"message seconds", &m.messageSeconds},
          {"call seconds", &m.callSeconds},
          {"memory bytes", &m.memoryBytes},
          {"work.multiply-add", &m.work.multiplyAdd},
          {"work.result entry", &m.work.resultEntry},
          {"work.import entry", &m.work.importEntry},
          {"work.export entry", &m.work.exportEntry},
          {"work.tpetra multiply-add", &m.work.tpetraMultiplyAdd},
          {"work.tpetra result entry", &m.work.tpetraResultEntry}};
}

Machine readMachine(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + " cannot be read; is the path right?");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const FlatJson json(text, path);
  Machine machine;
  std::map<std::string, double> numbers = json.numbers();
  const auto number = [&](const std::string& name, double least) {
    const auto found = numbers.find(name);
    if (found == numbers.end()) throw std::runtime_error(path + ": \"" + name + "\" is missing");
    const double value = found->second;
    if (value < least)
      throw std::runtime_error(path + ": \"" + name + "\" should be at least " +
                               std::to_string(least));
    numbers.erase(found);
    return value;
  };
  for (const auto& [name, value] : numbersOf(machine)) *value = number(name, 0);
  machine.ranksPerNode = static_cast<int>(number("ranks per node", 1));
  machine.sharedTiles = number("shared tiles", 0) != 0;
  if (machine.betweenBytesPerSecond == 0 || machine.insideBytesPerSecond == 0)
    throw std::runtime_error(path + ": bytes per second should be more than 0");
  if (!numbers.empty())
    throw std::runtime_error(path + ": \"" + numbers.begin()->first + "\" is not known");
  for (const auto& [name, value] : json.texts()) {
    if (name == "name")
      machine.name = value;
    else if (!isSource(name))
      throw std::runtime_error(path + ": \"" + name + "\" is not known");
  }
  return machine;
}

std::string machineText(Machine machine, const std::string& source) {
  std::ostringstream text;
  text << "{\n  \"name\": " << jsonString(machine.name) << ",\n  \"source\": " << jsonString(source)
       << ",\n  \"ranks per node\": " << machine.ranksPerNode
       << ",\n  \"shared tiles\": " << (machine.sharedTiles ? 1 : 0);
  for (const auto& [name, value] : numbersOf(machine))
    text << ",\n  " << jsonString(name) << ": " << Problems::Json::number(*value);
  text << "\n}\n";
  return text.str();
}

}  // namespace Predict
}  // namespace Trident
