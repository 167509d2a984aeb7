// SPDX-License-Identifier: BSD-3-Clause
// Random values of Trident's parameters that fit a part.
#ifndef TRIDENT_PUBLIC_PARAMETERS_HPP
#define TRIDENT_PUBLIC_PARAMETERS_HPP

#include <Teuchos_StandardParameterEntryValidators.hpp>
#include <string>
#include <vector>

#include "Public_Parts.hpp"
#include "Trident_TestParameters.hpp"
#include "Trident_TestProduct.hpp"

namespace TridentTest {
namespace PublicStress {

using List = Teuchos::ParameterList;

struct Parameters {
  Teuchos::RCP<List> list;
  std::vector<std::string> tags;
  bool asksForShared = false;  ///< memory, by name: an error where there is none

  List& trident() const { return list->sublist("Trident"); }
  List& experts() const { return trident().sublist("expert"); }
  /// Returns the parameters in one line.
  std::string text() const {
    std::ostringstream text;
    for (const List* values : {&trident(), &experts()})
      for (auto p = values->begin(); p != values->end(); ++p) {
        if (values->entry(p).isList()) continue;
        text << (text.tellp() > 0 ? ", " : "") << values->name(p) << " = ";
        values->entry(p).leftshift(text, false);
      }
    return text.str();
  }
};

/// Draws them. Every rank of the part draws the same. Collective over the part.
class ParametersDraw {
 public:
  ParametersDraw(Random& random, const Part& part, const Arguments& arguments)
      : random_(random), part_(part), arguments_(arguments) {}

  Parameters draw() {
    drawn_.list = tridentList();
    set("ranks per node", random_.oneOf<int>({0, 1, 1, 2, 3}));
    summa_ = random_.chance(0.2);
    if (summa_) set<std::string>("algorithm", "summa");
    drawGrid();
    drawExchange();
    set("gather", random_.oneOf<std::string>({"auto", "mpi", "shared"}));
    set("partition", random_.oneOf<std::string>({"aligned", "uniform", "balanced", "work"}));
    if (random_.chance(0.5)) set("partition imbalance", random_.oneOf<double>({1.0, 100.0}));
    set("kernel", random_.oneOf<std::string>({"auto", "auto", "kokkos-kernels"}));
    set("reproducible", random_.chance(0.8));
    set("fuse rounds", random_.below(4));
    set("prefetch depth", random_.below(4));
    set("memory bytes", random_.oneOf<double>({0, 0, 1, 3000}));
    set("predict volume", random_.chance(0.2));
    set("synchronize", random_.chance(0.1));
    note();
    return drawn_;
  }

 private:
  template <class T>
  void set(const std::string& name, const T& value) {
    placeOf(name, drawn_.trident()).set(name, value);
  }
  std::string text(const std::string& name) const {
    return placeOf(name, drawn_.trident()).get<std::string>(name, "auto");
  }

  void drawGrid() {
    std::string grid = random_.oneOf<std::string>({"auto", "square", "", "", ""});
    if (grid.empty()) {
      const int lambda = summa_ ? 1
                                : Trident::Impl::Context::of(part_.products->raw())
                                      .layout(drawn_.trident().get<int>("ranks per node"))
                                      .lambda;
      const int nodes = part_.size() / lambda;
      int rows = random_.between(1, nodes);
      while (nodes % rows) --rows;
      if (random_.chance(0.5)) rows = nodes / rows;
      grid = std::to_string(rows) + "x" + std::to_string(nodes / rows);
      fetches_ = !summa_ && rows > 1;
    }
    set("grid", grid);
    if (fetches_) set("fetch", random_.oneOf<std::string>({"auto", "tiles", "needed-rows"}));
  }

  void drawExchange() {
    int level = MPI_THREAD_SINGLE;
    TRIDENT_MPI_CHECK(MPI_Query_thread(&level));
    std::vector<std::string> kinds{"prefetch"};
    if (summa_) kinds = {"auto", "prefetch", "ring"};
    if (!summa_ && arguments_.with("request-queue")) {
      kinds.insert(kinds.end(), {"auto", "auto"});
      if (level == MPI_THREAD_MULTIPLE) kinds.push_back("request-queue");
    }
    set("exchange", random_.oneOf(kinds));
  }

  void note() {
    drawn_.asksForShared = text("gather") == "shared";
    std::string grid = text("grid");
    if (grid != "auto" && grid != "square") grid = "explicit";
    drawn_.tags = {
        "\"grid\": " + grid, "\"exchange\": " + text("exchange"), "\"gather\": " + text("gather"),
        "\"ranks per node\": " + std::to_string(drawn_.trident().get<int>("ranks per node"))};
    if (fetches_) drawn_.tags.push_back("\"fetch\": " + text("fetch"));
  }

  Random& random_;
  const Part& part_;
  const Arguments& arguments_;
  Parameters drawn_;
  bool summa_ = false, fetches_ = false;  // needed rows can be asked for
};

/// A parameter's name, and a list in which it has another value than in `list`.
struct OtherValue {
  std::string name;
  Teuchos::RCP<List> list;
};

inline OtherValue otherValue(Random& random, const Parameters& drawn) {
  const List& valid = random.chance(0.5) ? validExperts()
                                         : static_cast<const List&>(*Trident::getValidParameters());
  OtherValue other{random.oneOf(namesOf(valid)), Teuchos::parameterList(*drawn.list)};
  List& list = placeOf(other.name, other.list->sublist("Trident"));
  List now;  // the value of that one alone
  now.setEntry(other.name, (list.isParameter(other.name) ? list : valid).getEntry(other.name));
  if (valid.isType<bool>(other.name)) {
    list.set(other.name, !now.get<bool>(other.name));
  } else if (valid.isType<int>(other.name)) {
    list.set(other.name, now.get<int>(other.name) + 1);
  } else if (valid.isType<double>(other.name)) {
    list.set(other.name, Teuchos::getDoubleParameter(now, other.name) + 1);
  } else {
    std::vector<std::string> words{"auto", "square", "1x1"};
    const auto validator = valid.getEntry(other.name).validator();
    if (!validator.is_null())
      words.assign(validator->validStringValues()->begin(), validator->validStringValues()->end());
    const auto current = now.get<std::string>(other.name);
    words.erase(std::remove(words.begin(), words.end(), current), words.end());
    list.set(other.name, random.oneOf(words));
  }
  return other;
}

}  // namespace PublicStress
}  // namespace TridentTest

#endif
