// SPDX-License-Identifier: BSD-3-Clause
#include "TridentClustering_Transform.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "TridentProblems_ParseNumber.hpp"

namespace Trident {
namespace Clustering {

namespace {

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error(what); }

/// Returns the logarithm as mcl has it: of 0 what no weight exceeds, of a negative weight no edge.
/// Base 0 means e.
double logarithm(float weight, double base) {
  if (weight == 0) return -std::numeric_limits<float>::max();
  if (!(weight > 0) || base < 0) return 0;
  return base == 0 ? std::log(double{weight}) : std::log(double{weight}) / std::log(base);
}

/// A transformation that mcl knows.
struct Known {
  const char* name;
  bool needsNumber;
  TransformStep step;
};

const std::vector<Known>& knownSteps() {
  using Network = NetworkStep;
  static const auto ofWeight = [](const char* name, bool needsNumber,
                                  double (*function)(float, double), bool selects = false) {
    return Known{name, needsNumber, {name, 0, function, selects, Network::none}};
  };
  static const auto ofNetwork = [](const char* name, bool needsNumber, Network step) {
    return Known{name, needsNumber, {name, 0, nullptr, false, step}};
  };
  static const std::vector<Known> all{
      ofWeight(
          "gq", true, [](float w, double a) { return w >= a ? double{w} : 0; }, true),
      ofWeight(
          "gt", true, [](float w, double a) { return w > a ? double{w} : 0; }, true),
      ofWeight(
          "lq", true, [](float w, double a) { return w <= a ? double{w} : 0; }, true),
      ofWeight(
          "lt", true, [](float w, double a) { return w < a ? double{w} : 0; }, true),
      ofWeight("mul", true, [](float w, double a) { return w * a; }),
      ofWeight("scale", true, [](float w, double a) { return a == 0 ? 0 : w / a; }),
      ofWeight("add", true, [](float w, double a) { return w + a; }),
      ofWeight("abs", false, [](float w, double) { return double{std::fabs(w)}; }),
      ofWeight("ceil", true, [](float w, double a) { return std::min<double>(w, a); }),
      ofWeight("floor", true, [](float w, double a) { return std::max<double>(w, a); }),
      ofWeight("pow", true, [](float w, double a) { return std::pow(double{w}, a); }),
      ofWeight("exp", false,
               [](float w, double a) { return a == 0 ? std::exp(double{w}) : std::pow(a, w); }),
      ofWeight("log", false, logarithm),
      ofWeight("neglog", false, [](float w, double a) { return -logarithm(w, a); }),
      ofNetwork("#knn", true, Network::knn),
      ofNetwork("#knnj", true, Network::knnJoin),
      ofNetwork("#rank", true, Network::rank),
      ofNetwork("#ceilnb", true, Network::ceilNeighbours),
      ofNetwork("#max", false, Network::max),
      ofNetwork("#min", false, Network::min),
      ofNetwork("#add", false, Network::add),
      ofNetwork("#mul", false, Network::multiply),
      ofNetwork("#arcmax", false, Network::arcMax),
      ofNetwork("#tp", false, Network::transpose),
      ofNetwork("#rev", false, Network::transpose)};
  return all;
}

/// Throws for a name that no step has.
[[noreturn]] void refuse(const std::string& name) {
  static const char* const ofMcl[] = {
      "acos",      "rand",      "#ils",       "#arcsub",    "#normself",  "#tug",
      "#ssq",      "#qt",       "#shrug",     "#step",      "#mcl",       "#symmcl",
      "#arcmaxgq", "#arcmaxgt", "#arcmaxlq",  "#arcmaxlt",  "#arcmingq",  "#arcmingt",
      "#arcminlq", "#arcminlt", "#arcdiffgq", "#arcdiffgt", "#arcdifflq", "#arcdifflt"};
  if (name == "power") fail("there is no transformation power(): write pow()");
  if (name == "#selfrm" || name == "#selfmax")
    fail(name + "() is not here: leave it out, as loops are removed and set in any case");
  if (std::find(std::begin(ofMcl), std::end(ofMcl), name) != std::end(ofMcl))
    fail(name + "() is not here, only in mcl: make the network by mcxalter -imx FILE -tf \"" +
         name + "(...)\" -o NEW, and cluster NEW");
  std::string names;
  for (const Known& known : knownSteps())
    names += std::string(names.empty() ? "" : ", ") + known.name;
  fail("there is no transformation " + name + "(); there are " + names);
}

const Known& find(const std::string& name) {
  for (const Known& known : knownSteps())
    if (name == known.name) return known;
  refuse(name);
}

/// A text that is read from its beginning.
struct Rest {
  const char *at, *end;

  void skipSpaces() {
    while (at != end && (*at == ' ' || (*at >= '\t' && *at <= '\r'))) ++at;
  }
  /// Returns true if a character comes next, which is taken then.
  bool take(char c) {
    skipSpaces();
    if (at == end || *at != c) return false;
    ++at;
    return true;
  }
  std::string name() {
    skipSpaces();
    const char* begin = at;
    at = std::find_if(at, end, [](char c) {
      return !((c >= 'a' && c <= 'z') || c == '#' || c == '@' || c == '_');
    });
    std::string result(begin, at);
    if (!result.empty() && result[0] == '@') result[0] = '#';  // for shells in which # is a comment
    return result;
  }
  /// Reads the number before a closing parenthesis, which is taken; 0 where there is none.
  double number(const std::string& name, bool needed) {
    skipSpaces();
    const char* close = std::find(at, end, ')');
    const char* last = close;
    while (last != at && (last[-1] == ' ' || last[-1] == '\t')) --last;
    if (close == end || (needed && last == at))
      fail(name + "() needs a number and a parenthesis, as in " + name + "(20), but there is " +
           text());
    double value = 0;
    if (last != at && !(Problems::parseReal(at, last, value) && at == last))
      fail(name + "() takes a number, but there is " + text());
    if (!(std::fabs(value) <= std::numeric_limits<float>::max()))
      fail(name + "() takes numbers up to 3.4e38");
    at = close + 1;
    return value;
  }
  std::string text() const { return "\"" + std::string(at, end) + "\""; }
};

TransformStep parseStep(Rest& rest) {
  const std::string before = rest.text(), name = rest.name();
  if (name.empty() || !rest.take('('))
    fail("a transformation should be NAME(NUMBER) or NAME(), but there is " + before);
  const Known& known = find(name);
  TransformStep step = known.step;
  const double number = rest.number(name, known.needsNumber);
  if (step.ofNetwork != NetworkStep::none && !(number >= 0))
    fail(name + "() takes a number of neighbours, 0 or more");
  step.argument = static_cast<float>(number);  // as in mcl
  return step;
}

}  // namespace

Transformation parseTransformation(const std::string& text) {
  Transformation steps;
  Rest rest{text.data(), text.data() + text.size()};
  do steps.push_back(parseStep(rest));
  while (rest.take(','));
  rest.skipSpaces();
  if (rest.at != rest.end)
    fail("a comma should stand between transformations, but there is " + rest.text());
  return steps;
}

Transformation parseWeightTransformation(const std::string& text) {
  Transformation steps = parseTransformation(text);
  for (const TransformStep& step : steps)
    if (step.ofNetwork != NetworkStep::none)
      fail(step.name +
           "() is of a whole network, and here weights come one by one: write it in -tf");
  return steps;
}

float transformedWeight(const TransformStep* begin, const TransformStep* end, float weight) {
  for (const TransformStep* step = begin; step != end; ++step) {
    weight = static_cast<float>(step->ofWeight(weight, step->argument));
    if (step->selects && weight == 0) return 0;
  }
  return weight;
}

}  // namespace Clustering
}  // namespace Trident
