// SPDX-License-Identifier: BSD-3-Clause
#include "TridentProblems_ProgramOptions.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <regex>
#include <sstream>
#include <stdexcept>

#include "TridentProblems_Commit.hpp"
#include "TridentProblems_ParseNumber.hpp"

namespace Trident::Problems {
namespace {

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error(what); }

bool isLong(const std::string& name) { return name.compare(0, 2, "--") == 0; }

/// Returns "--name=VALUE" or "-n VALUE".
std::string withValue(const std::string& name, const std::string& value) {
  return name + (isLong(name) ? "=" : " ") + value;
}

bool read(const std::string& text, int& number) {
  const char *at = text.data(), *end = at + text.size();
  std::int64_t value = 0;
  if (!parseInteger(at, end, value) || at != end) return false;
  number = static_cast<int>(value);
  return number == value;
}

bool read(const std::string& text, double& number) {
  const char *at = text.data(), *end = at + text.size();
  return parseReal(at, end, number) && at == end;
}

template <class Number>
ProgramOptions::Setter setterOf(const std::string& name, Number& number) {
  return [name, &number](const std::string& text) {
    if (!read(text, number)) fail(withValue(name, text) + " is not a number, or does not fit");
  };
}

template <class Number>
std::string withDefault(const std::string& help, const Number& value) {
  std::ostringstream text;
  text << help << " (" << value << ")";
  return text.str();
}

/// Changes of one character that make one word of the other.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

/// Returns true if a name with so many changes may be meant: at most one in three letters.
bool isNear(const std::string& name, std::size_t changes) {
  const std::size_t letters = name.size() - std::min(name.size(), name.find_first_not_of('-'));
  return changes < letters && changes <= std::max<std::size_t>(1, letters / 3);
}

/// Describes an option and what it does, in lines of at most 80 columns.
std::string described(const std::string& shown, std::string help) {
  constexpr std::size_t width = 54;
  const std::string indent(26, ' ');
  std::string text = "  " + shown;
  text += text.size() + 2 > indent.size() ? "\n" + indent : indent.substr(text.size());
  while (help.size() > width) {
    std::size_t end = help.rfind(' ', width);
    if (end == help.npos) end = std::min(help.find(' '), help.size());
    text += help.substr(0, end) + "\n" + indent;
    help.erase(0, end + 1);
  }
  return text + help + "\n";
}

}  // namespace

void ProgramOptions::add(const std::string& name, const std::string& valueName,
                         const std::string& help, Setter set) {
  options_.push_back({name, valueName.empty() ? name : withValue(name, valueName), valueName, help,
                      std::move(set)});
}

void ProgramOptions::addHidden(const std::string& name, const std::string& valueName, Setter set) {
  options_.push_back({name, "", valueName, "", std::move(set), true});
}

void ProgramOptions::text(const std::string& name, const std::string& valueName, std::string& value,
                          const std::string& help) {
  add(name, valueName, value.empty() ? help : withDefault(help, value),
      [&value](const std::string& given) { value = given; });
}

void ProgramOptions::number(const std::string& name, int& value, const std::string& help) {
  add(name, "N", withDefault(help, value), setterOf(name, value));
}

void ProgramOptions::number(const std::string& name, double& value, const std::string& help) {
  add(name, "NUMBER", withDefault(help, value), setterOf(name, value));
}

void ProgramOptions::flag(const std::string& name, bool& value, const std::string& help) {
  const std::string bare = name.substr(2);
  options_.push_back({name, "--[no-]" + bare, "", withDefault(help, value ? "yes" : "no"),
                      [&value](const std::string&) { value = true; }});
  options_.push_back({"--no-" + bare, "", "", "", [&value](const std::string&) { value = false; }});
}

const ProgramOptions::Option& ProgramOptions::find(const std::string& name) const {
  const Option* nearest = nullptr;
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (const Option& option : options_) {
    const std::size_t changes = distance(name, option.name);
    if (changes == 0) return option;
    if (changes < least && !option.hidden) {
      least = changes;
      nearest = &option;
    }
  }
  const bool near = nearest != nullptr && isNear(name, least);
  fail("there is no option " + name + (near ? "; the nearest is " + nearest->name : ""));
}

ProgramOptions::Asked ProgramOptions::parse(const std::vector<std::string>& arguments,
                                            const Setter& operand) const {
  if (std::find(arguments.begin(), arguments.end(), "--help") != arguments.end())
    return Asked::Help;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "-h") return Asked::Help;
    if (argument == "--version") return Asked::Version;
    if (argument.size() < 2 || argument[0] != '-') {
      if (!operand)
        fail("\"" + argument + "\" belongs to no option; a value is written as --NAME=VALUE");
      operand(argument);
      continue;
    }
    const std::size_t equals = argument.find('=');
    const Option& option = find(argument.substr(0, equals));
    if (option.valueName.empty()) {
      if (equals != std::string::npos) fail(option.name + " takes no value");
      option.set("");
    } else if (equals != std::string::npos) {
      option.set(argument.substr(equals + 1));
    } else if (i + 1 < arguments.size() && !isLong(arguments[i + 1])) {
      option.set(arguments[++i]);
    } else {
      fail(option.name + " needs a value, as in " + option.shown);
    }
  }
  return Asked::Work;
}

std::string ProgramOptions::help() const {
  std::string text;
  for (const Option& option : options_)
    if (!option.shown.empty()) text += described(option.shown, option.help);
  return text + described("-h, --help", "say this") +
         described("--version", "say the version, and the commit where it is known");
}

std::string versionText(const std::string& program, const std::string& version) {
  const std::string commit = builtCommit();
  return program + " (Trident) " + version + "\n" +
         (commit.empty() ? "" : "commit " + commit + "\n");
}

std::string commandText(int argc, const char* const* argv) {
  constexpr auto plainCharacters =
      "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_+=:,./@%";
  std::string text;
  for (int i = 0; i < argc; ++i) {
    const std::string word = argv[i];
    const bool plain = !word.empty() && word.find_first_not_of(plainCharacters) == word.npos;
    text += i > 0 ? " " : "";
    text += plain ? word : "'" + std::regex_replace(word, std::regex("'"), "'\\''") + "'";
  }
  return text;
}

}  // namespace Trident::Problems
