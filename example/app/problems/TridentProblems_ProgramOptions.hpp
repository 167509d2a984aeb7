// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPROBLEMS_PROGRAMOPTIONS_HPP
#define TRIDENTPROBLEMS_PROGRAMOPTIONS_HPP

#include <functional>
#include <string>
#include <vector>

namespace Trident {
namespace Problems {

/// The options of a program, by one grammar for all: `--name=VALUE` or `--name VALUE`, and flags
/// `--name` and `--no-name`. Every program also has --help, -h and --version. What is set must live
/// as long as this. All is local.
class ProgramOptions {
 public:
  using Setter = std::function<void(const std::string& value)>;
  /// Requests that arguments can make: work, or a text in its place.
  enum class Asked { Work, Help, Version };

  /// Adds an option that `set` reads, which throws std::runtime_error for a bad value.
  /// @param name with its dashes
  /// @param valueName what --help calls the value; empty where the option takes none
  /// @param help ends without a full stop
  void add(const std::string& name, const std::string& valueName, const std::string& help,
           Setter set);
  /// Adds an option of which help() says nothing, and which is never the nearest of a name that is
  /// not known.
  void addHidden(const std::string& name, const std::string& valueName, Setter set);
  /// Adds a text, taken as it is; --help says the value that it has now.
  void text(const std::string& name, const std::string& valueName, std::string& value,
            const std::string& help);
  void number(const std::string& name, int& value, const std::string& help);
  void number(const std::string& name, double& value, const std::string& help);
  /// Adds `--name` and `--no-name`, for a name with its dashes.
  void flag(const std::string& name, bool& value, const std::string& help);

  /// Reads the arguments, without the program's name. --help comes before anything else. Throws
  /// std::runtime_error, which names the option and what it takes.
  /// @param operand gets an argument that belongs to no option; an error where there is no operand
  Asked parse(const std::vector<std::string>& arguments, const Setter& operand = nullptr) const;

  /// Returns a line or more for each option.
  std::string help() const;

 private:
  struct Option {
    std::string name;
    /// Text in help(); empty for the opposite of a flag, and for hidden options.
    std::string shown;
    std::string valueName;
    std::string help;
    Setter set;
    bool hidden = false;
  };
  const Option& find(const std::string& name) const;

  std::vector<Option> options_;
};

/// Returns the text of --version: the program, Trident's version, and the commit if it is known.
/// @param program as it is installed
std::string versionText(const std::string& program, const std::string& version);

/// Returns a command as a shell takes it: words with other than plain characters are quoted.
std::string commandText(int argc, const char* const* argv);

}  // namespace Problems
}  // namespace Trident

#endif
