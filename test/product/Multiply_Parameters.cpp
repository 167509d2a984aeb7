// SPDX-License-Identifier: BSD-3-Clause
// Bad parameters throw Teuchos' exceptions on every rank; foreign ones are nobody's business.

#include <Teuchos_UnitTestHarness.hpp>

#include "Trident_Grid.hpp"
#include "Trident_TestErrors.hpp"
#include "Trident_TestParameters.hpp"

namespace {

using namespace TridentTest;
namespace Bad = Teuchos::Exceptions;

template <class Exception, class T>
std::string rejects(const Fixture& f, const std::string& name, const T& value,
                    const std::vector<std::string>& words) {
  const auto list = tridentList();
  placeOf(name, list->sublist("Trident")).set(name, value);
  const std::string before = say(*list);
  const MatrixPtr C = newResult(*f.A);
  std::string problem = expectFailure<Exception>(*f.A, *f.B, C, words, list);
  if (problem.empty() && say(*list) != before) problem = "the caller's list changed";
  return problem.empty() ? expectUsable(f, *C) : name + ": " + problem;
}

TEUCHOS_UNIT_TEST(Parameters, BadOnes) {
  const Fixture f(world());
  TRIDENT_TEST_OK(rejects<Bad::InvalidParameterName>(f, "gird", 1, {"gird"}));
  TRIDENT_TEST_OK(rejects<Bad::InvalidParameterName>(f, "Grid", std::string("auto"), {"Grid"}));
  TRIDENT_TEST_OK(rejects<Bad::InvalidParameterType>(f, "synchronize", 1, {"synchronize"}));
  TRIDENT_TEST_OK(rejects<Bad::InvalidParameterType>(f, "grid", 2, {"grid"}));
  for (const char* text : {"two", "2x", ""})
    TRIDENT_TEST_OK(rejects<Bad::InvalidParameterType>(f, "ranks per node", std::string(text),
                                                       {"ranks per node"}));
  TRIDENT_TEST_OK(rejects<Bad::InvalidParameterType>(f, "workspace bytes", std::string("many"),
                                                     {"workspace bytes"}));
  for (const char* grid : {"", "2", "x", "2x", "x2", "2x2x1", "0x4", "-1x-4", "2 x 2", "2X2",
                           "SQUARE", "99999999999x1", "4x1 "})
    TRIDENT_TEST_OK(
        rejects<Bad::InvalidParameterValue>(f, "grid", std::string(grid), {"grid", "4x2"}));
  const std::string no = "no such word";
  for (const char* name : {"partition", "gather", "exchange", "kernel", "semiring"})
    TRIDENT_TEST_OK(rejects<Bad::InvalidParameterValue>(f, name, no, {name, no}));
  for (const char* name : {"ranks per node", "fuse rounds", "prefetch depth"})
    TRIDENT_TEST_OK(rejects<Bad::InvalidParameterValue>(f, name, -1, {name}));
  TRIDENT_TEST_OK(rejects<Bad::InvalidParameterValue>(f, "memory bytes", -1.0, {"memory bytes"}));
  TRIDENT_TEST_OK(
      rejects<Bad::InvalidParameterValue>(f, "memory bytes", std::nan(""), {"memory bytes"}));
  TRIDENT_TEST_OK(
      rejects<Bad::InvalidParameterValue>(f, "workspace bytes", -1.0, {"workspace bytes"}));
  TRIDENT_TEST_OK(
      rejects<Bad::InvalidParameterValue>(f, "partition imbalance", 0.5, {"partition imbalance"}));
  for (const char* name : {"drop tolerance", "keep largest", "product memory bytes"})
    TRIDENT_TEST_OK(rejects<Bad::InvalidParameterValue>(f, name, -1.0, {name}));
  // Less than one is not the 0 that keeps all, or lets Trident choose.
  for (const char* name :
       {"keep largest", "memory bytes", "workspace bytes", "product memory bytes"})
    TRIDENT_TEST_OK(rejects<Bad::InvalidParameterValue>(
        f, name, 0.5,
        {name, name == std::string("keep largest") ? "= 0.5 is not a whole number"
                                                   : "= 0.5 is not in [1, 1e+18]"}));
  for (const char* name : {"keep largest", "memory bytes"})
    TRIDENT_TEST_OK(
        rejects<Bad::InvalidParameterValue>(f, name, 1e19, {name, "= 1e+19 is not in [0, 1e+18]"}));
  // Numbers stand in messages as most programs write them.
  for (const auto& [value, text] : {std::pair(1e-4, "= 0.0001 is"), std::pair(-1e5, "= -100000 is"),
                                    std::pair(-1234567891.0, "= -1234567891 is")})
    TRIDENT_TEST_OK(
        rejects<Bad::InvalidParameterValue>(f, "memory bytes", value, {"memory bytes", text}));
  TRIDENT_TEST_OK(
      rejects<Bad::InvalidParameterValue>(f, "keep largest", 2.5, {"2.5", "whole number"}));
  TRIDENT_TEST_OK(rejects<Bad::InvalidParameterValue>(f, "drop relative to", no, {"sum", no}));
}

// Parameters for Trident that would not be read, and those that are read beside the sublist.
TEUCHOS_UNIT_TEST(Parameters, BesideTheSublist) {
  const Fixture f(world());
  const auto rejected = [&](const std::vector<std::string>& words, auto&& set) {
    return [&f, words, set](auto exception) {
      using Exception = decltype(exception);
      const auto list = Teuchos::parameterList();
      set(*list);
      const MatrixPtr C = newResult(*f.A);
      const std::string problem = expectFailure<Exception>(*f.A, *f.B, C, words, list);
      return problem.empty() ? expectUsable(f, *C) : problem;
    };
  };
  using List = Teuchos::ParameterList;
  const std::string remedy = "params->sublist(\"Trident\")";
  TRIDENT_TEST_OK(rejected({"\"Trident\" is not a sublist", remedy},
                           [](List& l) { l.set("Trident", "x"); })(Bad::InvalidParameterType("")));
  for (const char* name : {"trident", "TRIDENT", "Trident ", " Trident", "TriDent", "Tri dent",
                           "Trident options", "trident2"})
    TRIDENT_TEST_OK(rejected({"\"" + std::string(name) + "\" would not be read", remedy},
                             [name](List& l) { l.sublist(name); })(Bad::InvalidParameterName("")));
  for (const std::string name : {"compute global constants", "MM Throw For Non-Existent Entries"}) {
    const std::vector<std::string> words{name, "must be a bool; write params->set("};
    TRIDENT_TEST_OK(
        rejected(words, [&](List& l) { l.set(name, 1); })(Bad::InvalidParameterType("")));
    TRIDENT_TEST_OK(
        rejected(words, [&](List& l) { l.set(name, "true"); })(Bad::InvalidParameterType("")));
    TRIDENT_TEST_OK(
        rejected(words, [&](List& l) { l.sublist(name); })(Bad::InvalidParameterType("")));
  }
  for (const List* valid : {Trident::getValidParameters().get(), &validExperts()})
    for (const std::string& name : namesOf(*valid)) {
      if (name != "semiring" && name.find(' ') == std::string::npos) continue;
      const bool experts = valid == &validExperts();
      const std::vector<std::string> words{
          "\"" + name + "\" is not read here, but in the sublist \"Trident\"",
          "write " + remedy + (experts ? ".sublist(\"expert\")" : "") + ".set(\"" + name + "\""};
      TRIDENT_TEST_OK(rejected(
          words, [&](List& l) { setAnother(l, *valid, name); })(Bad::InvalidParameterName("")));
      TRIDENT_TEST_OK(rejected(words, [&](List& l) {
        setAnother(l.sublist("expert"), *valid, name);
      })(Bad::InvalidParameterName("")));
      const auto list = Teuchos::parameterList();
      if (world()->getRank() == 1) setAnother(*list, *valid, name);
      TRIDENT_TEST_OK(expectThrow<std::exception>(
          *world(), words, [&] { Trident::Multiply(*f.A, *f.B, *newResult(*f.A), list); }));
    }
  // Other names are others' business.
  const auto list = Teuchos::parameterList();
  list->set("trident", true).set("Trident2", 1).set("timeout", "none").set("grid", 7);
  list->sublist("Neptune").set("keep largest", 1.0);
  list->sublist("expert").set("kernel", 3);
  Trident::Multiply(*f.A, *f.B, *newResult(*f.A), list);
}

// The options of one product of a grid are a plain list.
TEUCHOS_UNIT_TEST(Parameters, SublistInAPlainList) {
  const Fixture f(world());
  const Trident::Grid<double, LO, GO, matrix_type::node_type> grid(
      world(), {f.A->getRowMap(), f.A->getDomainMap(), f.B->getDomainMap()});
  const auto a = grid.fromTpetra(*f.A), b = grid.fromTpetra(*f.B);
  for (const char* name : {"Trident", "trident"}) {
    Teuchos::ParameterList options;
    if (world()->getRank() == 0) options.sublist(name).set("keep largest", 3.0);
    TRIDENT_TEST_OK(
        expectThrow<std::exception>(*world(),
                                    {"the sublist \"" + std::string(name) + "\" has no place here",
                                     "write options.set(name, value)"},
                                    [&] { static_cast<void>(grid.multiply(a, b, options)); }));
  }
}

TEUCHOS_UNIT_TEST(Parameters, GridThatDoesNotFit) {
  const Fixture f(world());
  // The product of the last three, and of 65536 squared, is 4 or 0 in 32 bits.
  for (const char* grid :
       {"3x1", "4x4", "1x1", "2x1", "65536x65536", "42949673x100", "858993460x5", "4x999999999"}) {
    const auto list = tridentList();
    list->sublist("Trident").set("ranks per node", 1).set("grid", grid);
    const MatrixPtr C = newResult(*f.A);
    TRIDENT_TEST_OK(expectFailure<Trident::Error>(
        *f.A, *f.B, C, {"Trident::Multiply", grid, "4 nodes of 1", "auto"}, list));
    TRIDENT_TEST_OK(expectUsable(f, *C));
  }
}

TEUCHOS_UNIT_TEST(Parameters, GoodOnesInTheirForms) {
  const Fixture f(world());
  const Expected expected(f.a, f.b);
  const auto run = [&](auto&& set) {
    const auto list = tridentList();
    set(list->sublist("Trident"));
    const MatrixPtr C = newResult(*f.A);
    Trident::Multiply(*f.A, *f.B, *C, list);
    return everywhere(*world(), checkEntries(*C, expected, f.rows, f.cols, true));
  };
  using List = Teuchos::ParameterList;
  const std::string expert = "expert";
  TRIDENT_TEST_OK(run([&](List& l) { l.set("memory bytes", 1000); }));
  TRIDENT_TEST_OK(run([&](List& l) { l.sublist(expert).set("workspace bytes", 64); }));
  TRIDENT_TEST_OK(run([&](List& l) { l.set("memory bytes", 1ll << 40); }));
  TRIDENT_TEST_OK(run(
      [&](List& l) { l.set("memory bytes", 1e3).sublist(expert).set("fuse rounds", 1000000); }));
  TRIDENT_TEST_OK(run(
      [&](List& l) { l.sublist(expert).set("prefetch depth", 1000000).set("fuse rounds", 1); }));
  TRIDENT_TEST_OK(run([](List& l) { l.set("ranks per node", 1).set("grid", "2x2"); }));
  TRIDENT_TEST_OK(run([](List& l) { l.set("ranks per node", 1).set("grid", "02x2"); }));
  TRIDENT_TEST_OK(run([](List& l) { l.set("grid", std::string("square")); }));
}

// Foreign parameters stay, unread and unvalidated; defaults do not appear in the caller's list.
TEUCHOS_UNIT_TEST(Parameters, ForeignOnesAndCallersList) {
  const Fixture f(world());
  const auto list = Teuchos::parameterList("caller");
  list->set("sort entries", true);
  list->set("importer", 17);  // of a type that Tpetra would not like
  list->sublist("matrixmatrix: kernel params").set("mm_TAFC_OptimizationCoreCount", 3);
  list->sublist("Trident").sublist("expert").set("synchronize", true);
  const MatrixPtr C = newResult(*f.A);
  TRIDENT_TEST_OK(checkProduct(*f.A, f.a, *f.B, f.b, f.rows, f.cols, list, true));
  TEST_EQUALITY(list->numParams(), 4);
  TEST_EQUALITY(list->sublist("Trident").numParams(), 1);
  Teuchos::ParameterList fresh("caller");
  fresh.set("sort entries", true).set("importer", 17);
  fresh.sublist("matrixmatrix: kernel params").set("mm_TAFC_OptimizationCoreCount", 3);
  fresh.sublist("Trident").sublist("expert").set("synchronize", true);
  TEST_ASSERT(*list == fresh);

  const auto none = Teuchos::parameterList();  // no sublist is made where there was none
  Trident::Multiply(*f.A, *f.B, *C, none);
  TEST_EQUALITY(none->numParams(), 0);
}

// Returns Tpetra's count of the longest row, under the name of either release.
template <class Matrix>
auto longestRowOf(const Matrix& C, int) -> decltype(C.getLocalMaxNumRowEntries()) {
  return C.getLocalMaxNumRowEntries();
}
template <class Matrix>
auto longestRowOf(const Matrix& C, long) -> decltype(C.getNodeMaxNumRowEntries()) {
  return C.getNodeMaxNumRowEntries();
}
std::size_t longestRowByCounts(const matrix_type& C) {
  std::size_t longest = 0;
  const auto rows = Trident::Impl::localSize(*C.getRowMap());
  for (std::size_t r = 0; r < rows; ++r)
    longest = std::max<std::size_t>(longest, C.getNumEntriesInLocalRow(static_cast<int>(r)));
  return longest;
}

TEUCHOS_UNIT_TEST(Parameters, GlobalConstants) {
  const Fixture f(world());
  for (bool wanted : {true, false}) {
    const auto list = Teuchos::parameterList();
    list->set("compute global constants", wanted);
    const MatrixPtr C = newResult(*f.A);
    Trident::Multiply(*f.A, *f.B, *C, list);
    TEST_EQUALITY(C->getCrsGraph()->haveGlobalConstants(), wanted);
    TEST_EQUALITY(longestRowOf(*C, 0), longestRowByCounts(*C));
    if (!wanted) {  // such a matrix is a good factor
      const MatrixPtr D = Teuchos::rcp(new matrix_type(C->getDomainMap(), 0));
      const auto report = Trident::Multiply(*C, true, *f.A, false, *D);
      const Expected expected(Expected(f.a, f.b).sparse().transpose(), f.a);
      TRIDENT_TEST_OK(everywhere(*world(), checkEntries(*D, expected, f.cols, f.inner, true)));
      TEST_ASSERT(report.totalSeconds >= 0);
    }
  }
}

// λ that does not divide the ranks is no error.
TEUCHOS_UNIT_TEST(Parameters, LambdaThatDoesNotDivide) {
  const Fixture f(world());
  const int P = world()->getSize();
  for (int asked : {3, 6, 100}) {
    const auto list = tridentList();
    list->sublist("Trident").set("ranks per node", asked);
    const MatrixPtr C = newResult(*f.A);
    const auto report = Trident::Multiply(*f.A, *f.B, *C, list);
    TEST_EQUALITY(report.grid.lambda, gcd(asked, P));
    TEST_ASSERT(report.reasons.find("does not divide") != std::string::npos);
    TEST_ASSERT(report.reasons.find("greatest common divisor") != std::string::npos);
    TRIDENT_TEST_OK(
        everywhere(*world(), checkEntries(*C, Expected(f.a, f.b), f.rows, f.cols, true)));
  }
}

// The documented list is complete: each parameter has a text, and the defaults are accepted.
TEUCHOS_UNIT_TEST(Parameters, ValidListIsDocumentedAndValid) {
  const auto valid = Trident::getValidParameters();
  for (const Teuchos::ParameterList* each : {valid.get(), &validExperts()})
    for (auto p = each->begin(); p != each->end(); ++p)
      TEST_ASSERT(each->entry(p).docString().size() > 20);
  const auto list = Teuchos::parameterList();
  list->sublist("Trident").setParameters(*valid);
  const Fixture f(world());
  const MatrixPtr C = newResult(*f.A);
  Trident::Multiply(*f.A, *f.B, *C, list);
  TRIDENT_TEST_OK(everywhere(*world(), checkEntries(*C, Expected(f.a, f.b), f.rows, f.cols, true)));
}

}  // namespace
