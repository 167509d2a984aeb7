// SPDX-License-Identifier: BSD-3-Clause
// A parameter has one place: the sublist "Trident" for users', its sublist "expert" for all others.

#include <Teuchos_UnitTestHarness.hpp>

#include "Trident_Grid.hpp"
#include "Trident_TestErrors.hpp"
#include "Trident_TestParameters.hpp"
#include "product/Trident_ReadParameters.hpp"

namespace {

using namespace TridentTest;
namespace Bad = Teuchos::Exceptions;
using List = Teuchos::RCP<Teuchos::ParameterList>;

/// Returns the text that ranks compare for one parameter.
std::string valueOf(const List& list, const std::string& name) {
  Trident::Impl::CollectiveArguments values;
  Trident::Impl::readParameters(list, &values);
  for (const auto& value : values)
    if (value.name == "\"" + name + "\"") return value.text;
  return "none";
}

TEUCHOS_UNIT_TEST(ExpertParameters, AreRead) {
  const auto& valid = validExperts();
  const std::vector<std::string> names = namesOf(valid);
  TEST_COMPARE(names.size(), >=, 10u);
  for (const std::string& name : names) {
    TEST_ASSERT(!Trident::getValidParameters()->isParameter(name));
    const List list = tridentList();
    setAnother(list->sublist("Trident").sublist("expert"), valid, name);
    TEST_INEQUALITY(valueOf(list, name), valueOf(tridentList(), name));
  }
}

TEUCHOS_UNIT_TEST(ExpertParameters, CheckedWithoutAProduct) {
  Trident::validateParameters(Teuchos::null);
  const List good = tridentList();
  setAnother(good->sublist("Trident").sublist("expert"), validExperts(), "workspace bytes");
  const Teuchos::ParameterList before(*good);
  Trident::validateParameters(good);
  TEST_ASSERT(*good == before);  // no default appears in it
  good->sublist("Trident").set("kernle", std::string("host"));
  TEST_THROW(Trident::validateParameters(good), Teuchos::Exceptions::InvalidParameterName);
  const List other = tridentList();
  other->sublist("Trident").set("kernel", std::string("fast"));
  TEST_THROW(Trident::validateParameters(other), Teuchos::Exceptions::InvalidParameterValue);
}

// The parameters of users; a tenth one needs a reason, as all others are for experts.
TEUCHOS_UNIT_TEST(ExpertParameters, UsersAreNine) {
  const std::vector<std::string> users{"grid",           "ranks per node", "partition",
                                       "reproducible",   "memory bytes",   "semiring",
                                       "drop tolerance", "keep largest",   "timeout"};
  TEST_ASSERT(namesOf(*Trident::getValidParameters()) == users);
}

/// Requires the refusal, on every rank, of a list that `spoil` made bad.
template <class Exception, class Spoil>
std::string refused(const Fixture& f, const std::vector<std::string>& words, const Spoil& spoil) {
  const List list = tridentList();
  spoil(list->sublist("Trident"));
  const MatrixPtr C = newResult(*f.A);
  const std::string problem = expectFailure<Exception>(*f.A, *f.B, C, words, list);
  return problem.empty() ? expectUsable(f, *C) : problem;
}

// Each parameter at the other place, alone or beside the right one: the sentence names the right.
TEUCHOS_UNIT_TEST(ExpertParameters, AtTheWrongPlace) {
  const Fixture f(world());
  const std::string sublist = "the sublist \"expert\"", list = "write params->sublist(\"Trident\")";
  for (const bool twice : {false, true}) {
    for (const std::string& name : namesOf(validExperts())) {
      const std::vector<std::string> words{
          "\"" + name + "\" belongs in " + sublist,
          list + ".sublist(\"expert\").set(\"" + name + "\", value)"};
      TRIDENT_TEST_OK(refused<Bad::InvalidParameterName>(f, words, [&](auto& at) {
        setAnother(at, validExperts(), name);
        if (twice) setAnother(at.sublist("expert"), validExperts(), name);
      }));
    }
    const Teuchos::ParameterList& users = *Trident::getValidParameters();
    for (const std::string& name : namesOf(users)) {
      const std::vector<std::string> words{
          "\"" + name + "\" belongs beside " + sublist + ", not in it",
          list + ".set(\"" + name + "\", value)"};
      TRIDENT_TEST_OK(refused<Bad::InvalidParameterName>(f, words, [&](auto& at) {
        setAnother(at.sublist("expert"), users, name);
        if (twice) setAnother(at, users, name);
      }));
    }
  }
}

TEUCHOS_UNIT_TEST(ExpertParameters, BadOnes) {
  const Fixture f(world());
  const std::vector<std::string> all{"grid, ", "timeout in \"Trident\"", "fuse rounds",
                                     "predict volume", "in its sublist \"expert\""};
  const auto unknown = [&](const std::string& name, const std::string& where) {
    std::vector<std::string> words = all;
    words.push_back("there is no parameter \"" + name + "\"" + where + ", only");
    return words;
  };
  TRIDENT_TEST_OK(refused<Bad::InvalidParameterName>(
      f, unknown("fuse round", " in the sublist \"expert\""),
      [](auto& l) { l.sublist("expert").set("fuse round", 1); }));
  TRIDENT_TEST_OK(refused<Bad::InvalidParameterName>(f, unknown("fuse round", ""),
                                                     [](auto& l) { l.set("fuse round", 1); }));
  TRIDENT_TEST_OK(refused<Bad::InvalidParameterName>(
      f, unknown("Expert", ""), [](auto& l) { l.sublist("Expert").set("fuse rounds", 1); }));
  TRIDENT_TEST_OK(refused<Bad::InvalidParameterType>(f, {"\"expert\" must be a sublist"},
                                                     [](auto& l) { l.set("expert", true); }));
  TRIDENT_TEST_OK(refused<Bad::InvalidParameterType>(
      f, {"\"fuse rounds\" must be a number, an int"},
      [](auto& l) { l.sublist("expert").sublist("fuse rounds"); }));
  TRIDENT_TEST_OK(refused<Bad::InvalidParameterValue>(
      f, {"\"fuse rounds\" = -1"}, [](auto& l) { l.sublist("expert").set("fuse rounds", -1); }));
}

// Parameters that one product of a grid may have of its own are no expert's.
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
  TRIDENT_TEST_OK(refused("\"fuse rounds\" belongs in the sublist \"expert\"", before));
  grid.multiply(a, b, empty);
}

}  // namespace
