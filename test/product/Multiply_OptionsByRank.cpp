// SPDX-License-Identifier: BSD-3-Clause
// Ranks that pass different options, flags or results: an exception on every rank that names what
// differs, and nobody waits.

#include <Teuchos_UnitTestHarness.hpp>
#include <functional>

#include "Trident_Jacobi.hpp"
#include "Trident_MultiplyPlan.hpp"
#include "Trident_MultiplyRAP.hpp"
#include "Trident_TestErrors.hpp"
#include "Trident_TestParameters.hpp"

namespace {

using namespace TridentTest;
using Trident::Error;
using List = Teuchos::RCP<Teuchos::ParameterList>;
using Vector = Tpetra::Vector<double, LO, GO>;

int me() { return world()->getRank(); }
int last() { return world()->getSize() - 1; }

/// A square matrix, so that it is a factor in any form, and what else the functions take.
struct Square {
  Sparse a{12, 12};
  Indices indices = contiguousIndices(12);
  MatrixPtr A;
  Teuchos::RCP<Vector> diagonal;

  Square() {
    for (int i = 0; i < 12; ++i)
      for (int j : {i, (i + 5) % 12, (i + 7) % 12}) a.rows[i][j] = i + 2 * j + 1;
    A = makeUniform(a, world());
    diagonal = Teuchos::rcp(new Vector(A->getRowMap()));
    diagonal->putScalar(1);
  }
  MatrixPtr result() const { return newResult(*A); }
  std::string usable(matrix_type& C) const {
    Trident::Multiply(*A, *A, C);
    return everywhere(*world(), checkEntries(C, Expected(a, a), indices, indices, true));
  }
};

struct Call {
  std::string function;
  std::function<void(const Square&, matrix_type&, const List&)> run;
};

/// Lists every public function that takes a list.
std::vector<Call> calls() {
  using Trident::Jacobi;
  using Trident::Multiply;
  using Trident::MultiplyRAP;
  const auto node = [](const auto& s) -> const auto& { return *s.A; };
  return {
      {"Multiply", [=](auto& s, auto& C, auto& list) { Multiply(node(s), node(s), C, list); }},
      {"Multiply", [=](auto& s, auto& C,
                       auto& list) { Multiply(node(s), true, node(s), false, C, true, "", list); }},
      {"MultiplyRAP",
       [=](auto& s, auto& C, auto& list) {
         MultiplyRAP(node(s), true, node(s), false, node(s), false, C, true, "", list);
       }},
      {"Jacobi",
       [=](auto& s, auto& C, auto& list) {
         Jacobi(0.5, *s.diagonal, node(s), node(s), C, true, "", list);
       }},
      {"MultiplyPlan",
       [=](auto& s, auto& C, auto& list) {
         Trident::MultiplyPlan<double, LO, GO, matrix_type::node_type>(node(s), node(s), C, list);
       }},
      {"MultiplyRAPPlan",
       [=](auto& s, auto& C, auto& list) {
         Trident::MultiplyRAPPlan<double, LO, GO, matrix_type::node_type>(
             node(s), true, node(s), false, node(s), false, C, list);
       }},
      {"JacobiPlan", [=](auto& s, auto& C, auto& list) {
         Trident::JacobiPlan<double, LO, GO, matrix_type::node_type>(0.5, *s.diagonal, node(s),
                                                                     node(s), C, list);
       }}};
}

/// Sets each parameter of a valid list otherwise on the first and on the last rank, in every
/// function.
/// @param place where they are in the sublist "Trident"
std::string eachDiffers(const Teuchos::ParameterList& valid,
                        Teuchos::ParameterList& (*place)(Teuchos::ParameterList&)) {
  const Square s;
  const MatrixPtr C = s.result();
  for (const Call& call : calls())
    for (const std::string& name : namesOf(valid))
      for (const int odd : {0, last()}) {
        const List list = tridentList();
        if (me() == odd) setAnother(place(list->sublist("Trident")), valid, name);
        const std::string problem = expectThrow<Error>(
            *world(),
            {"Trident::" + call.function + ": ", "\"" + name + "\" is ", " on rank 0 and ",
             "on rank " + std::to_string(odd == 0 ? 1 : odd), "the same on every rank"},
            [&] { call.run(s, *C, list); });
        if (!problem.empty()) return problem;
      }
  return s.usable(*C);
}

TEUCHOS_UNIT_TEST(OptionsByRank, EveryParameter) {
  const auto itself = [](Teuchos::ParameterList& list) -> Teuchos::ParameterList& { return list; };
  const auto expert = [](Teuchos::ParameterList& list) -> Teuchos::ParameterList& {
    return list.sublist("expert");
  };
  TRIDENT_TEST_OK(eachDiffers(*Trident::getValidParameters(), itself));
  TRIDENT_TEST_OK(eachDiffers(validExperts(), expert));
}

TEUCHOS_UNIT_TEST(OptionsByRank, BothValuesAreSaid) {
  const Square s;
  const List list = tridentList();
  list->sublist("Trident").set("ranks per node", me() == 1 ? 1 : 2);
  list->sublist("Trident").sublist("expert").set("partition imbalance", me() == 1 ? 1.1 : 1.2);
  TRIDENT_TEST_OK(expectThrow<Error>(
      *world(), {"\"ranks per node\" is 2 on rank 0 and 1 on rank 1; pass the same"},
      [&] { Trident::Multiply(*s.A, *s.A, *s.result(), list); }));
}

// Defaults that are written out are the same as none.
TEUCHOS_UNIT_TEST(OptionsByRank, DefaultsMayBeGiven) {
  const Square s;
  const List list = tridentList();
  if (me() == 0) list->sublist("Trident").setParameters(*Trident::getValidParameters());
  if (me() == 1) list->sublist("Trident").sublist("expert").set("workspace bytes", 0);
  const MatrixPtr C = s.result();
  Trident::Multiply(*s.A, *s.A, *C, list);
  TRIDENT_TEST_OK(
      everywhere(*world(), checkEntries(*C, Expected(s.a, s.a), s.indices, s.indices, true)));
}

/// Checks a list that is bad on one rank: Teuchos' exception there, and on the others an Error with
/// that rank. Collective.
template <class Exception>
std::string oneIsBad(const Square& s, const Call& call, const std::string& word,
                     const std::function<void(Teuchos::ParameterList&)>& spoil) {
  const MatrixPtr C = s.result();
  for (const int odd : {0, last()}) {
    const List list = tridentList();
    if (me() == odd) spoil(*list);
    std::string problem = "no exception";
    try {
      call.run(s, *C, list);
    } catch (const Exception& e) {
      problem = me() == odd ? "" : "Teuchos' exception where nothing is wrong";
      if (std::string(e.what()).find(word) == std::string::npos) problem = e.what();
    } catch (const Error& e) {
      problem = me() == odd ? "not Teuchos' exception: " : "";
      for (const std::string& each : {word, "seen on rank " + std::to_string(odd)})
        if (std::string(e.what()).find(each) == std::string::npos) problem = e.what();
    }
    problem = everywhere(*world(), problem);
    if (!problem.empty()) return call.function + ", " + word + ": " + problem;
  }
  return s.usable(*C);
}

TEUCHOS_UNIT_TEST(OptionsByRank, BadOnOneRank) {
  namespace Bad = Teuchos::Exceptions;
  const Square s;
  for (const Call& call : calls()) {
    TRIDENT_TEST_OK(oneIsBad<Bad::InvalidParameterName>(
        s, call, "gird", [](auto& list) { list.sublist("Trident").set("gird", 1); }));
    TRIDENT_TEST_OK(oneIsBad<Bad::InvalidParameterValue>(
        s, call, "\"fuse rounds\" = -1",
        [](auto& list) { list.sublist("Trident").sublist("expert").set("fuse rounds", -1); }));
    TRIDENT_TEST_OK(oneIsBad<Bad::InvalidParameterName>(
        s, call, "\"fuse rounds\" belongs in the sublist \"expert\"",
        [](auto& list) { list.sublist("Trident").set("fuse rounds", 2); }));
    TRIDENT_TEST_OK(oneIsBad<Bad::InvalidParameterName>(
        s, call, "\"timeout\" belongs beside the sublist \"expert\"",
        [](auto& list) { list.sublist("Trident").sublist("expert").set("timeout", 9.0); }));
    TRIDENT_TEST_OK(oneIsBad<Bad::InvalidParameterValue>(
        s, call, "\"memory bytes\" = -2",
        [](auto& list) { list.sublist("Trident").set("memory bytes", -2.0); }));
    TRIDENT_TEST_OK(oneIsBad<Bad::InvalidParameterType>(
        s, call, "\"synchronize\" must be a bool",
        [](auto& list) { list.sublist("Trident").sublist("expert").set("synchronize", 1); }));
    TRIDENT_TEST_OK(oneIsBad<Bad::InvalidParameterType>(
        s, call, "\"compute global constants\" must be a bool",
        [](auto& list) { list.set("compute global constants", 1); }));
    TRIDENT_TEST_OK(oneIsBad<Bad::InvalidParameterType>(
        s, call, "\"MM Throw For Non-Existent Entries\" must be a bool",
        [](auto& list) { list.set("MM Throw For Non-Existent Entries", "false"); }));
    TRIDENT_TEST_OK(oneIsBad<Bad::InvalidParameterName>(
        s, call, "\"trident\" would not be read",
        [](auto& list) { list.sublist("trident").set("reproducible", true); }));
  }
}

/// Checks for an Error with these words on all ranks, of calls by rank; C is good afterwards.
/// Collective.
std::string differ(const std::vector<std::string>& words,
                   const std::function<void(const Square&, matrix_type&, bool)>& call) {
  const Square s;
  for (const int odd : {0, last()}) {
    const MatrixPtr C = s.result();
    std::string problem = expectThrow<Error>(*world(), words, [&] { call(s, *C, me() == odd); });
    if (problem.empty()) problem = s.usable(*C);
    if (!problem.empty()) return problem;
  }
  return "";
}

TEUCHOS_UNIT_TEST(OptionsByRank, ListOnSomeRanks) {
  for (const Call& call : calls())
    TRIDENT_TEST_OK(differ({call.function, "the parameter list", "null"},
                           [&](const Square& s, matrix_type& C, bool odd) {
                             call.run(s, C, odd ? Teuchos::null : tridentList());
                           }));
}

TEUCHOS_UNIT_TEST(OptionsByRank, ArgumentsOfOneFunction) {
  using Trident::Multiply;
  TRIDENT_TEST_OK(differ(
      {"the transpose flag of A", "true", "false"},
      [](const Square& s, matrix_type& C, bool odd) { Multiply(*s.A, odd, *s.A, false, C); }));
  TRIDENT_TEST_OK(differ(
      {"the transpose flag of B"},
      [](const Square& s, matrix_type& C, bool odd) { Multiply(*s.A, true, *s.A, odd, C); }));
  TRIDENT_TEST_OK(differ({"MultiplyRAP: the transpose flag of P"},
                         [](const Square& s, matrix_type& C, bool odd) {
                           Trident::MultiplyRAP(*s.A, true, *s.A, false, *s.A, odd, C);
                         }));
  TRIDENT_TEST_OK(
      differ({"call_FillComplete_on_result is "}, [](const Square& s, matrix_type& C, bool odd) {
        Multiply(*s.A, false, *s.A, false, C, odd);
      }));
  TRIDENT_TEST_OK(
      differ({"Jacobi: omega is ", "0.5", "0.25"}, [](const Square& s, matrix_type& C, bool odd) {
        Trident::Jacobi(odd ? 0.5 : 0.25, *s.diagonal, *s.A, *s.A, C);
      }));
  TRIDENT_TEST_OK(differ({"\"compute global constants\" is ", "false", "not given"},
                         [](const Square& s, matrix_type& C, bool odd) {
                           const List list = tridentList();
                           if (odd) list->set("compute global constants", false);
                           Multiply(*s.A, *s.A, C, list);
                         }));
  TRIDENT_TEST_OK(differ({"\"MM Throw For Non-Existent Entries\" is ", "false", "true"},
                         [](const Square& s, matrix_type& C, bool odd) {
                           const List list = tridentList();
                           if (odd) list->set("MM Throw For Non-Existent Entries", false);
                           Multiply(*s.A, *s.A, C, list);
                         }));
  TRIDENT_TEST_OK(
      differ({"the signature of Multiply()"}, [](const Square& s, matrix_type& C, bool odd) {
        if (odd)
          Multiply(*s.A, *s.A, C, tridentList());
        else
          Multiply(*s.A, false, *s.A, false, C, true, "", tridentList());
      }));
}

TEUCHOS_UNIT_TEST(OptionsByRank, OtherFunctions) {
  TRIDENT_TEST_OK(differ({"the function called is Trident::", "Trident::Multiply on"},
                         [](const Square& s, matrix_type& C, bool odd) {
                           if (odd)
                             Trident::Multiply(*s.A, *s.A, C);
                           else
                             Trident::MultiplyRAP(*s.A, true, *s.A, false, *s.A, false, C);
                         }));
  TRIDENT_TEST_OK(differ({"the function called is Trident::", "Trident::MultiplyPlan on"},
                         [](const Square& s, matrix_type& C, bool odd) {
                           if (odd)
                             Trident::Multiply(*s.A, *s.A, C);
                           else
                             Trident::MultiplyPlan<double, LO, GO, matrix_type::node_type>(*s.A,
                                                                                           *s.A, C);
                         }));
}

// Matrices are other objects on some ranks.
TEUCHOS_UNIT_TEST(OptionsByRank, Matrices) {
  const Square other;
  const MatrixPtr complete = other.result(), open = other.result();
  Trident::Multiply(*other.A, *other.A, *complete);
  Trident::Multiply(*other.A, *other.A, *open);
  open->resumeFill();
  const auto into = [](matrix_type& another) {
    return [&another](const Square& s, matrix_type& C, bool odd) {
      Trident::Multiply(*s.A, *s.A, odd ? another : C);
    };
  };
  TRIDENT_TEST_OK(differ({"C is ", "new", "fill-complete"}, into(*complete)));
  TRIDENT_TEST_OK(differ({"C is ", "new", "open, with a pattern"}, into(*open)));
  TRIDENT_TEST_OK(differ({"B is ", "A itself", "a matrix of its own"},
                         [&](const Square& s, matrix_type& C, bool odd) {
                           Trident::Multiply(*s.A, odd ? *other.A : *s.A, C);
                         }));
  const MatrixPtr alone = makeUniform(other.a, Teuchos::rcp(new Teuchos::SerialComm<int>()));
  TRIDENT_TEST_OK(
      differ({"do not live on one communicator"}, [&](const Square& s, matrix_type& C, bool odd) {
        Trident::Multiply(*s.A, odd ? *alone : *s.A, C);
      }));
  TRIDENT_TEST_OK(everywhere(*world(), checkEntries(*complete, Expected(other.a, other.a),
                                                    other.indices, other.indices, true)));
}

// The same ranks in another order are no communicator for a product; another communicator of them
// in their order is.
TEUCHOS_UNIT_TEST(OptionsByRank, CommunicatorsOfTheSameRanks) {
  const Square s;
  const MatrixPtr B = makeUniform(s.a, world()->split(0, me())), C = newResult(*B);
  Trident::Multiply(*s.A, *B, *C);
  TRIDENT_TEST_OK(
      everywhere(*world(), checkEntries(*C, Expected(s.a, s.a), s.indices, s.indices, true)));
  const std::vector<std::string> words{"do not live on one communicator"};
  for (const int place : {last() - me(), (me() + 1) % (last() + 1)}) {
    const MatrixPtr other = makeUniform(s.a, world()->split(0, place)), into = newResult(*other);
    TRIDENT_TEST_OK(
        expectThrow<Error>(*world(), words, [&] { Trident::Multiply(*s.A, *s.A, *into); }));
    TRIDENT_TEST_OK(
        expectThrow<Error>(*world(), words, [&] { Trident::Multiply(*s.A, *other, *C); }));
  }
}

// A plan's products bring an operand once that is there twice, so ranks must pass it alike.
TEUCHOS_UNIT_TEST(OptionsByRank, PlansMatrices) {
  const Square s;
  // It has the same graph, so that it has the planned structure.
  const auto other = Teuchos::rcp(new matrix_type(*s.A, Teuchos::Copy));
  const MatrixPtr C = s.result();
  const Trident::MultiplyPlan<double, LO, GO, matrix_type::node_type> plan(*s.A, *s.A, *C);
  const auto product = [&](const Square&, matrix_type&, bool odd) {
    plan.multiply(*s.A, odd ? *other : *s.A, *C);
  };
  TRIDENT_TEST_OK(differ({"B is ", "A itself", "a matrix of its own"}, product));
  plan.multiply(*s.A, *other, *C);
  TRIDENT_TEST_OK(
      everywhere(*world(), checkEntries(*C, Expected(s.a, s.a), s.indices, s.indices, true)));
}

TEUCHOS_UNIT_TEST(OptionsByRank, PlansOmega) {
  const Square s;
  const MatrixPtr C = s.result();
  const Trident::JacobiPlan<double, LO, GO, matrix_type::node_type> plan(1, *s.diagonal, *s.A, *s.A,
                                                                         *C);
  TRIDENT_TEST_OK(differ({"omega is ", "0.5", "0.25"}, [&](const Square&, matrix_type&, bool odd) {
    plan.multiply(odd ? 0.25 : 0.5, *s.diagonal, *s.A, *s.A, *C);
  }));
}

// A label is a rank's own.
TEUCHOS_UNIT_TEST(OptionsByRank, LabelsMayDiffer) {
  const Square s;
  const MatrixPtr C = s.result();
  Trident::Multiply(*s.A, false, *s.A, false, *C, true, me() == 0 ? "first" : "", tridentList());
  TRIDENT_TEST_OK(
      everywhere(*world(), checkEntries(*C, Expected(s.a, s.a), s.indices, s.indices, true)));
}

}  // namespace
