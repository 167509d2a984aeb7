// SPDX-License-Identifier: BSD-3-Clause
// The driver's arguments, read and refused.
#include <Teuchos_UnitTestHarness.hpp>
#include <sstream>
#include <vector>

#include "TridentDriver_CommandLine.hpp"
#include "TridentProblems_ProgramOptions.hpp"
#include "base/Trident_Names.hpp"
#include "product/Trident_ReadParameters.hpp"

namespace {

using namespace Trident::Driver;

struct Outcome {
  Parsed parsed;
  CommandLine line;
  std::string errors;
};

Outcome parsed(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"Trident_SpGEMM.exe", "--A=er:n=10"});
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(&argument[0]);
  pointers.push_back(nullptr);
  Outcome outcome;
  std::ostringstream errors;
  outcome.parsed =
      parse(static_cast<int>(arguments.size()), pointers.data(), outcome.line, &errors);
  outcome.errors = errors.str();
  return outcome;
}

bool fails(const std::vector<std::string>& arguments, const std::string& part) {
  const Outcome outcome = parsed(arguments);
  const bool good =
      outcome.parsed == Parsed::Error && outcome.errors.find(part) != std::string::npos;
  if (!good) std::printf("expected \"%s\" in: %s\n", part.c_str(), outcome.errors.c_str());
  return good;
}

TEUCHOS_UNIT_TEST(CommandLine, Numbers) {
  const Outcome outcome = parsed({"--seed=7", "--fuse=2", "--depth=+3", "--memory=1e9",
                                  "--warmup=1", "--repeat=2147483647", "--ranks-per-node=-1"});
  TEST_ASSERT(outcome.parsed == Parsed::Run);
  TEST_EQUALITY(outcome.line.seed, 7);
  TEST_EQUALITY(outcome.line.fuse, 2);
  TEST_EQUALITY(outcome.line.depth, 3);
  TEST_EQUALITY(outcome.line.memory, 1e9);
  TEST_EQUALITY(outcome.line.warmup, 1);
  TEST_EQUALITY(outcome.line.repeat, 2147483647);
  TEST_EQUALITY(outcome.line.ranksPerNode, -1);  // refused where it is used
  TEST_EQUALITY(parsed({}).line.repeat, 1);
  TEST_EQUALITY(parsed({"--seed=1", "--seed=2"}).line.seed, 2);
}

// Found by fuzzing: "abc" ended the program by an exception, "3x" and "3.5" were taken for 3.
TEUCHOS_UNIT_TEST(CommandLine, NoNumbers) {
  for (const std::string name :
       {"ranks-per-node", "seed", "fuse", "depth", "warmup", "repeat", "reuse"})
    for (const std::string bad : {"abc", "3x", "3.5", "2147483648", "99999999999999999999", "0x3"})
      TEST_ASSERT(fails({"--" + name + "=" + bad}, "--" + name + "=" + bad + " is not a number"));
  TEST_ASSERT(fails({"--memory=lots"}, "--memory=lots is not a number"));
  TEST_ASSERT(fails({"--memory=1e9B"}, "--memory=1e9B is not a number"));
  TEST_ASSERT(fails({"--keep-largest=many"}, "--keep-largest=many is not a number"));
}

TEUCHOS_UNIT_TEST(CommandLine, Bounds) {
  TEST_ASSERT(fails({"--repeat=0"}, "--repeat at least 1"));
  TEST_ASSERT(fails({"--warmup=-1"}, "--warmup must be at least 0"));
  TEST_ASSERT(fails({"--reuse=-1"}, "--reuse must be at least 0"));
  TEST_ASSERT(fails({"--seed=-1"}, "--seed must be at least 0"));
  TEST_ASSERT(fails({"--reuse=1", "--transpose-a"}, "not for transposed"));
  TEST_ASSERT(fails({"--keep-largest=3", "--verify"}, "whole products"));
  TEST_ASSERT(fails({"--drop-tolerance=0.1", "--check-vector"}, "whole products"));
  TEST_ASSERT(fails({"--keep-largest=3", "--reuse=1"}, "whole products"));
  TEST_ASSERT(fails({"--keep-largest=3", "--algorithm=tpetra"}, "not for --algorithm=tpetra"));
  TEST_ASSERT(fails({"--mask=A", "--mask-outside=I"}, "exclude each other"));
  TEST_ASSERT(fails({"--mask=A", "--algorithm=tpetra"}, "knows no masks"));
  for (const char* whole : {"--verify", "--check-vector", "--reuse=1", "--predict", "--permute"})
    TEST_ASSERT(fails({"--mask-outside=I", whole}, "without a mask"));
  TEST_ASSERT(fails({"--algorithm=cannon"}, "none of trident, summa, tpetra"));
  TEST_ASSERT(fails({"--trace=t.json", "--algorithm=tpetra"}, "has none"));
  TEST_ASSERT(fails({"--nonsense"}, "nonsense"));
}

TEUCHOS_UNIT_TEST(CommandLine, ValuesBehindABlank) {
  const Outcome outcome = parsed({"--B", "b.mtx", "--verify", "--ranks-per-node", "-3", "--C=-"});
  TEST_ASSERT(outcome.parsed == Parsed::Run);
  TEST_EQUALITY(outcome.line.B, "b.mtx");
  TEST_ASSERT(outcome.line.verify);
  TEST_EQUALITY(outcome.line.ranksPerNode, -3);
  TEST_EQUALITY(outcome.line.C, "-");
}

TEUCHOS_UNIT_TEST(CommandLine, WhatIsMissingOrTooMuch) {
  TEST_ASSERT(fails({"--A"}, "--A needs a value, as in --A=SPEC; see --help"));
  TEST_ASSERT(fails({"--A", "--verify"}, "--A needs a value, as in --A=SPEC"));
  TEST_ASSERT(fails({"--A="}, "--A=SPEC is missing"));
  TEST_ASSERT(fails({"b.mtx"}, "\"b.mtx\" belongs to no option; a value is written as --NAME"));
  TEST_ASSERT(fails({"--verify=yes"}, "--verify takes no value"));
  TEST_ASSERT(fails({"--sead=3"}, "there is no option --sead; the nearest is --seed"));
  // Only what is near: a letter in three may be another one.
  TEST_ASSERT(!fails({"--frobnicate"}, "the nearest"));
  TEST_ASSERT(!fails({"--x"}, "the nearest"));
  TEST_ASSERT(fails({"--frobnicate"}, "there is no option --frobnicate; see --help"));
  TEST_ASSERT(!parsed({"--no-reproducible"}).line.reproducible);
  TEST_ASSERT(!parsed({"--verify", "--no-verify"}).line.verify);
}

TEUCHOS_UNIT_TEST(CommandLine, HelpAndVersion) {
  TEST_ASSERT(parsed({"--help"}).parsed == Parsed::Help);
  TEST_ASSERT(parsed({"--nonsense", "--help"}).parsed == Parsed::Help);
  TEST_ASSERT(parsed({"-h"}).parsed == Parsed::Help);
  TEST_ASSERT(parsed({"--version"}).parsed == Parsed::Version);
  TEST_EQUALITY(helpText().find("Usage: trident-spgemm"), 0);
  std::istringstream options(helpText().substr(helpText().find("\nOptions")));
  for (std::string line; std::getline(options, line);) TEST_COMPARE(line.size(), <=, 80u);
}

TEUCHOS_UNIT_TEST(CommandLine, Semirings) {
  for (const auto& named : Trident::Impl::NamesOf<Trident::Impl::SemiringKind>::all) {
    const std::string name = named.name;
    TEST_INEQUALITY(helpText().find(name), std::string::npos);
    const Outcome outcome = parsed({"--semiring=" + name});
    TEST_ASSERT(outcome.parsed == Parsed::Run);
    const auto params = tridentParameters(outcome.line);
    TEST_ASSERT(Trident::Impl::readParameters(params).rounds.semiring == named.value);
    if (name == "plus-times") continue;
    for (const std::string check : {"--verify", "--check-vector", "--reuse=1"})
      TEST_ASSERT(fails({"--semiring=" + name, check}, "of the semiring plus-times; leave"));
    TEST_ASSERT(fails({"--semiring=" + name, "--algorithm=tpetra"}, "plus-times alone"));
  }
  TEST_THROW(tridentParameters(parsed({"--semiring=plus-minus"}).line), std::exception);
}

TEUCHOS_UNIT_TEST(CommandLine, AsAShellTakesIt) {
  const char* const words[] = {"trident-spgemm", "--A=a b", "--C=", "it's", "", "--B=x,y:z/1.csr"};
  TEST_EQUALITY(Trident::Problems::commandText(6, words),
                "trident-spgemm '--A=a b' --C= 'it'\\''s' '' --B=x,y:z/1.csr");
}

TEUCHOS_UNIT_TEST(CommandLine, BecomesParameters) {
  const Outcome outcome = parsed({"--grid=4x2", "--fuse=2", "--trace=t.json"});
  const auto params = tridentParameters(outcome.line);
  const Teuchos::ParameterList& list = params->sublist("Trident");
  TEST_EQUALITY(list.get<std::string>("grid"), "4x2");
  TEST_EQUALITY(list.sublist("expert").get<int>("fuse rounds"), 2);
  TEST_ASSERT(list.sublist("expert").get<bool>("synchronize"));
  TEST_EQUALITY(Trident::Impl::readParameters(params).rounds.fuseRounds, 2);
  const auto filter = tridentParameters(parsed({"--drop-tolerance=0.5", "--drop-relative-to=sum",
                                                "--keep-largest=3", "--product-memory=1e6"})
                                            .line);
  const Teuchos::ParameterList& kept = filter->sublist("Trident");
  TEST_EQUALITY(kept.get<double>("drop tolerance"), 0.5);
  TEST_EQUALITY(kept.sublist("expert").get<std::string>("drop relative to"), "sum");
  TEST_EQUALITY(kept.get<double>("keep largest"), 3);
  TEST_EQUALITY(kept.sublist("expert").get<double>("product memory bytes"), 1e6);
  TEST_THROW(tridentParameters(parsed({"--keep-largest=-1"}).line), std::exception);
  TEST_THROW(tridentParameters(parsed({"--grid=4by2"}).line), std::exception);
  TEST_THROW(tridentParameters(parsed({"--exchange=pigeons"}).line), std::exception);
  TEST_THROW(tridentParameters(parsed({"--fuse=-1"}).line), std::exception);
}

}  // namespace
