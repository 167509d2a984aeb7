// SPDX-License-Identifier: BSD-3-Clause
// The arguments of the program of public calls.
#ifndef TRIDENT_PUBLIC_ARGUMENTS_HPP
#define TRIDENT_PUBLIC_ARGUMENTS_HPP

#include <mpi.h>

#include <set>
#include <sstream>
#include <stdexcept>
#include <string>

namespace TridentTest {
namespace PublicStress {

/// Lists the names of parts that can be left out: dimensions, and features of all of them.
inline const std::set<std::string>& switches() {
  static const std::set<std::string> names{
      "galerkin", "jacobi", "transposes", "plans", "kept-plans",    "patterns", "options", "strays",
      "changes",  "memory", "parts",      "hosts", "request-queue", "delays",   "large"};
  return names;
}

struct Arguments {
  long long products = 200;
  double seconds = 0;  ///< 0: as many products as asked for
  unsigned long long seed = 1;
  std::string level = "multiple";  ///< MPI's level of threads
  std::set<std::string> without;
  bool verbose = false;
  bool keepGoing = false;  ///< true: go on after a failure, whatever state its communicator has
  bool scarce = false;  ///< /dev/shm is small: what asks for shared memory by name may be refused
  long long from = 0;   ///< rounds before this one form no products
  double patience = 0;  ///< seconds for a product, after which the watchdog speaks; 0: any

  Arguments(int argc, char* argv[]) {
    for (int n = 1; n < argc; ++n) {
      const std::string name = argv[n];
      const auto value = [&]() -> std::string {
        if (++n >= argc) throw std::invalid_argument(name + " needs a value");
        return argv[n];
      };
      if (name == "--products")
        products = std::stoll(value());
      else if (name == "--seconds")
        seconds = std::stod(value());
      else if (name == "--seed")
        seed = std::stoull(value());
      else if (name == "--level")
        level = value();
      else if (name == "--without")
        leaveOut(value());
      else if (name == "--only")
        leaveOutBut(value());
      else if (name == "--verbose")
        verbose = true;
      else if (name == "--keep-going")
        keepGoing = true;
      else if (name == "--scarce")
        scarce = true;
      else if (name == "--from")
        from = std::stoll(value());
      else if (name == "--patience")
        patience = std::stod(value());
      else
        throw std::invalid_argument("unknown: " + name);
    }
  }

  bool with(const std::string& name) const { return without.count(name) == 0; }
  int threadLevel() const {
    if (level == "single") return MPI_THREAD_SINGLE;
    if (level == "funneled") return MPI_THREAD_FUNNELED;
    if (level == "serialized") return MPI_THREAD_SERIALIZED;
    if (level == "multiple") return MPI_THREAD_MULTIPLE;
    throw std::invalid_argument("--level " + level);
  }
  std::string text() const {
    std::string text = "--seed " + std::to_string(seed) + " --level " + level;
    if (scarce) text += " --scarce";
    std::string names;
    for (const std::string& name : without) names += (names.empty() ? " --without " : ",") + name;
    return text + names;
  }

 private:
  static std::set<std::string> namesIn(const std::string& list) {
    std::set<std::string> names;
    std::istringstream words(list);
    for (std::string name; std::getline(words, name, ',');) {
      if (!switches().count(name)) throw std::invalid_argument("there is no " + name);
      names.insert(name);
    }
    return names;
  }
  void leaveOut(const std::string& list) {
    for (const std::string& name : namesIn(list)) without.insert(name);
  }
  void leaveOutBut(const std::string& list) {
    const std::set<std::string> kept = namesIn(list);
    for (const std::string& name : switches())
      if (!kept.count(name)) without.insert(name);
  }
};

}  // namespace PublicStress
}  // namespace TridentTest

#endif
