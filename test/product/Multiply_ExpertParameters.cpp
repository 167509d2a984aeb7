// SPDX-License-Identifier: BSD-3-Clause
// The sublist "expert". What is in it was in the sublist "Trident" before, and is taken from there
// in this version, with a note in the report.

#include <Teuchos_UnitTestHarness.hpp>

#include "Trident_Grid.hpp"
#include "Trident_MultiplyPlan.hpp"
#include "Trident_TestErrors.hpp"
#include "Trident_TestParameters.hpp"
#include "product/Trident_ReadParameters.hpp"

namespace {

using namespace TridentTest;
namespace Bad = Teuchos::Exceptions;
using List = Teuchos::RCP<Teuchos::ParameterList>;

const std::string note = "sublist \"Trident\" moved to its sublist \"expert\"";

/// Counts how often the words are in the text.
int times(const std::string& words, const std::string& text) {
  int count = 0;
  for (auto at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) ++count;
  return count;
}

/// Returns what ranks compare, of one parameter.
std::string valueOf(const List& list, const std::string& name) {
  Trident::Impl::CommonValues values;
  Trident::Impl::readParameters(list, &values);
  for (const auto& value : values)
    if (value.name == "\"" + name + "\"") return value.text;
  return "none";
}

TEUCHOS_UNIT_TEST(ExpertParameters, TakenFromBothPlaces) {
  const auto& valid = validExperts();
  const std::vector<std::string> names = namesOf(valid);
  TEST_COMPARE(names.size(), >=, 10u);
  for (const std::string& name : names) {
    TEST_ASSERT(!Trident::getValidParameters()->isParameter(name));
    const List before = tridentList(), now = tridentList();
    setAnother(before->sublist("Trident"), valid, name);
    setAnother(now->sublist("Trident").sublist("expert"), valid, name);
    TEST_EQUALITY(valueOf(before, name), valueOf(now, name));
    TEST_INEQUALITY(valueOf(now, name), valueOf(tridentList(), name));
    const std::string said = Trident::Impl::readParameters(before).movedNote;
    TEST_EQUALITY(times("\"" + name + "\" of the " + note, said), 1);
    TEST_EQUALITY(times(".sublist(\"expert\").set(name, value)", said), 1);
    TEST_EQUALITY(Trident::Impl::readParameters(now).movedNote, "");
  }
}

TEUCHOS_UNIT_TEST(ExpertParameters, CheckedWithoutAProduct) {
  Trident::validateParameters(Teuchos::null);
  const List good = tridentList();
  setAnother(good->sublist("Trident").sublist("expert"), validExperts(), "seed");
  const Teuchos::ParameterList before(*good);
  Trident::validateParameters(good);
  TEST_ASSERT(*good == before);  // no default appears in it
  good->sublist("Trident").set("kernle", std::string("host"));
  TEST_THROW(Trident::validateParameters(good), Teuchos::Exceptions::InvalidParameterName);
  const List other = tridentList();
  other->sublist("Trident").set("kernel", std::string("fast"));
  TEST_THROW(Trident::validateParameters(other), Teuchos::Exceptions::InvalidParameterValue);
}

/// Returns the reasons in the reports of a product, of a plan's two, and of one on a grid.
std::vector<std::string> reasonsOf(const Fixture& f, const List& list) {
  std::vector<std::string> reasons;
  reasons.push_back(Trident::Multiply(*f.A, *f.B, *newResult(*f.A), list).reasons);
  const MatrixPtr C = newResult(*f.A);
  const Trident::MultiplyPlan<double, LO, GO, matrix_type::node_type> plan(*f.A, *f.B, *C, list);
  reasons.push_back(plan.report().reasons);
  reasons.push_back(plan.multiply(*f.A, *f.B, *C).reasons);
  const Trident::Grid<double, LO, GO, matrix_type::node_type> grid(
      world(), {f.A->getRowMap(), f.A->getDomainMap(), f.B->getDomainMap()}, list);
  reasons.push_back(grid.multiply(grid.fromTpetra(*f.A), grid.fromTpetra(*f.B)).report().reasons);
  return reasons;
}

TEUCHOS_UNIT_TEST(ExpertParameters, OneNoteOfEachProduct) {
  const Fixture f(world());
  const List none = tridentList(), now = tridentList(), before = tridentList();
  now->sublist("Trident").sublist("expert").set("fuse rounds", 1).set("seed", 3);
  before->sublist("Trident").set("fuse rounds", 1).set("seed", 3);
  const auto ofNone = reasonsOf(f, none), ofNow = reasonsOf(f, now),
             ofBefore = reasonsOf(f, before);
  for (std::size_t p = 0; p < ofNone.size(); ++p) {
    TEST_EQUALITY(times(note, ofNone[p]), 0);
    TEST_EQUALITY(ofNow[p], ofNone[p]);
    TEST_EQUALITY(times(note, ofBefore[p]), 1);
    TEST_EQUALITY(times("parameters: \"fuse rounds\", \"seed\" of the " + note, ofBefore[p]), 1);
  }
}

TEUCHOS_UNIT_TEST(ExpertParameters, SameProductFromBothPlaces) {
  const Fixture f(world());
  const List now = tridentList(), before = tridentList();
  now->sublist("Trident").sublist("expert").set("algorithm", "summa").set("permute", true);
  before->sublist("Trident").set("algorithm", "summa").set("permute", true);
  for (const List& list : {now, before})
    TRIDENT_TEST_OK(checkProduct(*f.A, f.a, *f.B, f.b, f.rows, f.cols, list, true));
}

/// Checks that a list that `spoil` made bad is refused, on every rank.
template <class Exception, class Spoil>
std::string refused(const Fixture& f, const std::vector<std::string>& words, const Spoil& spoil) {
  const List list = tridentList();
  spoil(list->sublist("Trident"));
  const MatrixPtr C = newResult(*f.A);
  const std::string problem = expectFailure<Exception>(*f.A, *f.B, C, words, list);
  return problem.empty() ? expectUsable(f, *C) : problem;
}

TEUCHOS_UNIT_TEST(ExpertParameters, BothPlaces) {
  const Fixture f(world());
  for (const std::string& name : namesOf(validExperts())) {
    const std::string words =
        "\"" + name + "\" is in \"Trident\" and in its sublist \"expert\"; leave it out of";
    TRIDENT_TEST_OK(refused<Bad::InvalidParameter>(f, {words}, [&](auto& list) {
      setAnother(list, validExperts(), name);
      setAnother(list.sublist("expert"), validExperts(), name);
    }));
  }
}

TEUCHOS_UNIT_TEST(ExpertParameters, BadOnes) {
  const Fixture f(world());
  const std::vector<std::string> all{"grid, ", "timeout in \"Trident\"", "seed", "predict volume",
                                     "in its sublist \"expert\""};
  const auto unknown = [&](const std::string& name, const std::string& where) {
    std::vector<std::string> words = all;
    words.push_back("there is no parameter \"" + name + "\"" + where + ", only");
    return words;
  };
  TRIDENT_TEST_OK(
      refused<Bad::InvalidParameterName>(f, unknown("sede", " in the sublist \"expert\""),
                                         [](auto& l) { l.sublist("expert").set("sede", 1); }));
  TRIDENT_TEST_OK(refused<Bad::InvalidParameterName>(
      f, unknown("grid", " in the sublist \"expert\""),
      [](auto& l) { l.sublist("expert").set("grid", std::string("auto")); }));
  TRIDENT_TEST_OK(refused<Bad::InvalidParameterName>(f, unknown("sede", ""),
                                                     [](auto& l) { l.set("sede", 1); }));
  TRIDENT_TEST_OK(refused<Bad::InvalidParameterName>(
      f, unknown("Expert", ""), [](auto& l) { l.sublist("Expert").set("seed", 1); }));
  TRIDENT_TEST_OK(refused<Bad::InvalidParameterType>(f, {"\"expert\" must be a sublist"},
                                                     [](auto& l) { l.set("expert", true); }));
  TRIDENT_TEST_OK(
      refused<Bad::InvalidParameterType>(f, {"\"seed\" must be a number, an int"},
                                         [](auto& l) { l.sublist("expert").sublist("seed"); }));
  TRIDENT_TEST_OK(refused<Bad::InvalidParameterValue>(
      f, {"\"seed\" = -1"}, [](auto& l) { l.sublist("expert").set("seed", -1); }));
}

// What one product of a grid may have of its own is no expert's.
TEUCHOS_UNIT_TEST(ExpertParameters, OfOneProduct) {
  const Fixture f(world());
  const Trident::Grid<double, LO, GO, matrix_type::node_type> grid(
      world(), {f.A->getRowMap(), f.A->getDomainMap(), f.B->getDomainMap()});
  const auto a = grid.fromTpetra(*f.A), b = grid.fromTpetra(*f.B);
  const auto refused = [&](const std::string& words, const Teuchos::ParameterList& options) {
    return expectThrow<Trident::Error>(*world(), {words}, [&] { grid.multiply(a, b, options); });
  };
  Teuchos::ParameterList now, before, empty;
  now.sublist("expert").set("fuse rounds", 1);
  before.set("fuse rounds", 1);
  empty.sublist("expert");
  TRIDENT_TEST_OK(refused("\"fuse rounds\" is a grid's, not one product's", now));
  TRIDENT_TEST_OK(refused("\"fuse rounds\" is a grid's, not one product's", before));
  grid.multiply(a, b, empty);
}

}  // namespace
