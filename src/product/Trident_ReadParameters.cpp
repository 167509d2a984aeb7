// SPDX-License-Identifier: BSD-3-Clause
#include "product/Trident_ReadParameters.hpp"

#include <Teuchos_StandardParameterEntryValidators.hpp>
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "base/Trident_Lasting.hpp"
#include "base/Trident_Names.hpp"
#include "base/Trident_PlainNumbers.hpp"

namespace Trident {
namespace Impl {
namespace {

using Teuchos::ParameterList;
using Teuchos::RCP;
using Teuchos::rcp;

const char* const globalConstants = "compute global constants";
/// Names of parameters that a product on a grid may have of its own.
constexpr std::array<const char*, 5> productNames{"semiring", "drop tolerance", "drop relative to",
                                                  "keep largest", "product memory bytes"};

/// Throws a sentence of Trident's, for checks of Teuchos that say more of themselves than of the
/// parameter.
template <class Exception>
[[noreturn]] void fail(const std::string& sentence) {
  throw Exception("Trident: " + sentence);
}

std::string quoted(const std::string& text) { return '"' + text + '"'; }

/// Reads "4x2" as 4 and 2.
void readGrid(const std::string& text, GridOptions& options) {
  if (text == "auto") return;
  if (text == "square") {
    options.choice = GridChoice::Square;
    return;
  }
  const std::size_t x = text.find('x');
  const auto isNumber = [](const std::string& s) {  // that an int holds
    return !s.empty() && s.size() <= 9 && s.find_first_not_of("0123456789") == std::string::npos;
  };
  if (x != std::string::npos && isNumber(text.substr(0, x)) && isNumber(text.substr(x + 1))) {
    options.choice = GridChoice::Explicit;
    options.nodeRows = std::stoi(text.substr(0, x));
    options.nodeCols = std::stoi(text.substr(x + 1));
  }
  if (options.nodeRows < 1 || options.nodeCols < 1)
    fail<Teuchos::Exceptions::InvalidParameterValue>(
        "\"grid\" = " + quoted(text) + " is none of auto, square, PRxPC (such as 4x2)");
}

/// Writes a number in as many digits as tell it from its neighbours.
std::string numberText(double value) {
  for (const int digits : {6, 15, 17}) {
    const std::string text = plainText(value, digits);
    std::size_t used = 0;
    if (digits == 17 || numberAtFront(text, used) == value) return text;
  }
  return "";
}

void requireInRange(double value, double min, double max, const std::string& name) {
  if (!(value >= min && value <= max))
    fail<Teuchos::Exceptions::InvalidParameterValue>(quoted(name) + " = " + numberText(value) +
                                                     " is not in [" + numberText(min) + ", " +
                                                     numberText(max) + "]");
}

template <class Words>
std::string joined(const Words& words) {
  std::string text;
  for (const auto& word : words) text.append(text.empty() ? "" : ", ").append(word);
  return text;
}

/// Returns all parameters in one list, those of users first: what holds of one depends on no place.
const ParameterList& allParameters() {
  static const Lasting<ParameterList> all([] {
    const ParameterList& users = *getValidParameters();
    ParameterList list(users);
    list.remove(expertName);
    list.setParameters(users.sublist(expertName));
    return list;
  }());
  return *all;
}

bool isExperts(const std::string& name) {
  return getValidParameters()->sublist(expertName).isParameter(name);
}

/// Throws where there is no such parameter.
/// @param place where it was given, in words that follow its name
void requireKnown(const std::string& name, const std::string& place) {
  if (allParameters().isParameter(name)) return;
  std::string users, experts;
  for (auto v = allParameters().begin(); v != allParameters().end(); ++v) {
    std::string& names = isExperts(allParameters().name(v)) ? experts : users;
    names += (names.empty() ? "" : ", ") + allParameters().name(v);
  }
  fail<Teuchos::Exceptions::InvalidParameterName>(
      "there is no parameter " + quoted(name) + place + ", only " + users +
      " in \"Trident\", and " + experts + " in its sublist " + quoted(expertName));
}

/// Throws where a known parameter of the list has not the type or a value of its kind.
void requireValid(const ParameterList& list, const std::string& name) {
  namespace Bad = Teuchos::Exceptions;
  const ParameterList& valid = allParameters();
  const bool isNumber =
      list.isType<int>(name) || list.isType<long long>(name) || list.isType<double>(name);
  const auto must = [&](bool fits, const char* type) {
    if (!fits) fail<Bad::InvalidParameterType>(quoted(name) + " must be " + type);
  };
  if (valid.isType<bool>(name)) must(list.isType<bool>(name), "a bool");
  if (valid.isType<std::string>(name)) must(list.isType<std::string>(name), "a std::string");
  if (valid.isType<int>(name)) must(list.isType<int>(name), "a number, an int");
  if (valid.isType<double>(name)) must(isNumber, "a number: int, long long or double");
  const auto validator = valid.getEntry(name).validator();
  const auto words = validator.is_null() ? Teuchos::null : validator->validStringValues();
  if (valid.isType<std::string>(name) && !words.is_null() &&
      std::find(words->begin(), words->end(), list.get<std::string>(name)) == words->end())
    fail<Bad::InvalidParameterValue>(quoted(name) + " = " + quoted(list.get<std::string>(name)) +
                                     " is none of " + joined(*words));
  const auto range =
      Teuchos::rcp_dynamic_cast<const Teuchos::EnhancedNumberValidator<int>>(validator);
  if (!range.is_null()) requireInRange(list.get<int>(name), range->getMin(), range->getMax(), name);
}

/// Returns true if a name begins with "Trident" but for case and blanks.
bool looksLikeTrident(const std::string& name) {
  std::string letters;
  for (const unsigned char c : name)
    if (!std::isspace(c)) letters += static_cast<char>(std::tolower(c));
  return letters.compare(0, 7, "trident") == 0;
}

/// Returns the place of a known parameter, after that of the sublist "Trident" or a plain list.
std::string setIn(const std::string& list, const std::string& name) {
  return "; write " + list + (isExperts(name) ? ".sublist(" + quoted(expertName) + ")" : "") +
         ".set(" + quoted(name) + ", value)";
}

/// Takes what is in one place, validated: in the list itself, or in its sublist "expert". Throws
/// where a parameter is none, has another place, or is not valid.
/// @param list as a program names it, for the remedy
/// @param given gets copies, so that defaults do not appear, and nothing is marked as used, in the
///   caller's list
void takePlace(const ParameterList& from, bool experts, const std::string& list,
               ParameterList& given) {
  const std::string sublist = "sublist " + quoted(expertName);
  for (auto p = from.begin(); p != from.end(); ++p) {
    const std::string& name = from.name(p);
    if (!experts && name == expertName) continue;
    if (from.isSublist(name) && looksLikeTrident(name))
      fail<Teuchos::Exceptions::InvalidParameterName>("the sublist " + quoted(name) +
                                                      " has no place here; write " + list +
                                                      ".set(name, value)");
    requireKnown(name, experts ? " in the " + sublist : "");
    if (isExperts(name) != experts)
      fail<Teuchos::Exceptions::InvalidParameterName>(
          quoted(name) + " belongs " +
          (experts ? "beside the " + sublist + ", not in it" : "in the " + sublist) +
          setIn(list, name));
    given.setEntry(name, from.getEntry(name));
    requireValid(given, name);
  }
}

/// Takes what is in a list and in its sublist "expert". Throws as takePlace().
ParameterList takeAll(const ParameterList& from, const std::string& list) {
  ParameterList given("Trident");
  takePlace(from, false, list, given);
  if (!from.isParameter(expertName)) return given;
  if (!from.isSublist(expertName))
    fail<Teuchos::Exceptions::InvalidParameterType>(quoted(expertName) + " must be a sublist");
  takePlace(from.sublist(expertName), true, list, given);
  return given;
}

/// Returns true if no other package may mean a parameter of Trident's: one word, as "grid" or
/// "timeout", may be another's; several words are not.
bool isUnmistakable(const std::string& name) {
  return (name.find(' ') != std::string::npos || name == "semiring") &&
         allParameters().isParameter(name);
}

/// Throws where a list has a parameter that only Trident has, beside its sublist.
void requireNoneBeside(const ParameterList& list) {
  for (auto p = list.begin(); p != list.end(); ++p) {
    const std::string& name = list.name(p);
    if (isUnmistakable(name))
      fail<Teuchos::Exceptions::InvalidParameterName>(
          quoted(name) + " is not read here, but in the sublist \"Trident\"" +
          setIn("params->sublist(\"Trident\")", name));
    if (name == expertName && list.isSublist(name)) requireNoneBeside(list.sublist(name));
  }
}

/// Takes what is in the sublist "Trident" of the caller's list, where there is one.
ParameterList takeGiven(const RCP<ParameterList>& params) {
  if (params.is_null()) return ParameterList();
  requireReadable(*params);
  return params->isSublist("Trident")
             ? takeAll(params->sublist("Trident"), "params->sublist(\"Trident\")")
             : ParameterList();
}

std::string valueText(const ParameterList& list, const std::string& name) {
  if (list.isType<bool>(name)) return list.get<bool>(name) ? "true" : "false";
  if (list.isType<std::string>(name)) return quoted(list.get<std::string>(name));
  if (list.isType<int>(name)) return numberText(list.get<int>(name));
  if (list.isType<long long>(name))
    return numberText(static_cast<double>(list.get<long long>(name)));
  return numberText(list.get<double>(name));
}

template <class Enum>
Enum choice(const ParameterList& list, const std::string& name) {
  const std::string& word = list.get<std::string>(name);
  for (const Named<Enum>& named : NamesOf<Enum>::all)
    if (word == named.name) return named.value;
  return {};  // not reached: requireValid() knows the words
}

double number(const ParameterList& list, const std::string& name, double min, double max) {
  const double value = list.isType<int>(name) ? list.get<int>(name)
                       : list.isType<long long>(name)
                           ? static_cast<double>(list.get<long long>(name))
                           : list.get<double>(name);
  requireInRange(value, min, max, name);
  return value;
}

/// Reads a number as number() does, and takes 0, too.
double numberOr0(const ParameterList& list, const std::string& name, double min, double max) {
  const double value = number(list, name, 0, max);
  if (value != 0) requireInRange(value, min, max, name);
  return value;
}

/// Reads bytes, which are 0, or 1 and more: half a byte would be taken for the 0 that lets Trident
/// choose.
std::size_t bytes(const ParameterList& list, const std::string& name, double min, double max) {
  return static_cast<std::size_t>(min > 0 ? number(list, name, min, max)
                                          : numberOr0(list, name, 1, max));
}

long long wholeNumber(const ParameterList& list, const std::string& name, double min, double max) {
  const double value = number(list, name, min, max);
  if (value != std::floor(value))
    fail<Teuchos::Exceptions::InvalidParameterValue>(quoted(name) + " = " + numberText(value) +
                                                     " is not a whole number");
  return static_cast<long long>(value);
}

/// Reads a parameter of a list, which has it and where it is valid.
using Reader = void (*)(const ParameterList& list, const std::string& name, Options& options);

const std::map<std::string, Reader>& readers() {
  using List = const ParameterList&;
  using Name = const std::string&;
  static const Lasting<std::map<std::string, Reader>> all(std::map<std::string, Reader>{
      {"algorithm", [](List l, Name n, Options& o) { o.grid.algorithm = choice<Algorithm>(l, n); }},
      {"grid", [](List l, Name n, Options& o) { readGrid(l.get<std::string>(n), o.grid); }},
      {"ranks per node", [](List l, Name n, Options& o) { o.grid.ranksPerNode = l.get<int>(n); }},
      {"partition",
       [](List l, Name n, Options& o) { o.grid.partition = choice<PartitionKind>(l, n); }},
      {"partition imbalance",
       [](List l, Name n, Options& o) { o.grid.partitionImbalance = numberOr0(l, n, 1, 1e300); }},
      {"predict volume", [](List l, Name n, Options& o) { o.grid.predictVolume = l.get<bool>(n); }},
      {"exchange",
       [](List l, Name n, Options& o) { o.rounds.exchange = choice<ExchangeKind>(l, n); }},
      {"fetch", [](List l, Name n, Options& o) { o.rounds.fetch = choice<FetchKind>(l, n); }},
      {"gather", [](List l, Name n, Options& o) { o.rounds.gather = choice<GatherKind>(l, n); }},
      {"kernel", [](List l, Name n, Options& o) { o.rounds.kernel = choice<KernelKind>(l, n); }},
      {"reproducible", [](List l, Name n, Options& o) { o.rounds.reproducible = l.get<bool>(n); }},
      {"device messages",
       [](List l, Name n, Options& o) { o.rounds.deviceMessages = choice<DeviceMessages>(l, n); }},
      {"synchronize", [](List l, Name n, Options& o) { o.rounds.synchronize = l.get<bool>(n); }},
      {"fuse rounds", [](List l, Name n, Options& o) { o.rounds.fuseRounds = l.get<int>(n); }},
      {"prefetch depth",
       [](List l, Name n, Options& o) { o.rounds.prefetchDepth = l.get<int>(n); }},
      {"memory bytes",
       [](List l, Name n, Options& o) { o.rounds.memoryBytes = bytes(l, n, 0, 1e18); }},
      {"semiring",
       [](List l, Name n, Options& o) { o.rounds.semiring = choice<SemiringKind>(l, n); }},
      {"drop tolerance",
       [](List l, Name n, Options& o) { o.rounds.dropTolerance = number(l, n, 0, 1e300); }},
      {"drop relative to",
       [](List l, Name n, Options& o) { o.rounds.relative = choice<DropRelativeTo>(l, n); }},
      {"keep largest",
       [](List l, Name n, Options& o) { o.rounds.keepLargest = wholeNumber(l, n, 0, 1e18); }},
      {"product memory bytes",
       [](List l, Name n, Options& o) { o.rounds.pieceBytes = bytes(l, n, 0, 1e18); }},
      {"workspace bytes",
       [](List l, Name n, Options& o) { o.rounds.workspaceBytes = bytes(l, n, 0, 1e18); }},
      {"timeout", [](List l, Name n, Options& o) { o.timeoutSeconds = number(l, n, 0, 1e9); }}});
  return *all;
}

/// The values that hold if nothing is given, found once: a small product must not pay for its
/// parameters.
struct Defaults {
  Options options;
  CollectiveArguments values{{"the parameter list", ""}};  // and of every parameter
  std::map<std::string, std::size_t> indices;              // of these, by name

  Defaults() {
    const ParameterList& valid = allParameters();
    for (auto v = valid.begin(); v != valid.end(); ++v) {
      const std::string& name = valid.name(v);
      readers().at(name)(valid, name, options);
      indices[name] = values.size();
      values.push_back({quoted(name), valueText(valid, name)});
    }
  }
};

const Defaults& defaults() {
  static const Lasting<Defaults> all;
  return *all;
}

/// Returns the value of every parameter, given or not, and of what of the list beside the sublist
/// steers a product.
CollectiveArguments collectiveArguments(const ParameterList& given,
                                        const RCP<ParameterList>& params) {
  CollectiveArguments values = defaults().values;
  for (auto p = given.begin(); p != given.end(); ++p)
    values[defaults().indices.at(given.name(p))].text = valueText(given, given.name(p));
  values[0].text = params.is_null() ? "null" : "one that is not null";
  const bool constants = !params.is_null() && params->isParameter(globalConstants);
  values.push_back({quoted(globalConstants),
                    constants ? valueText(*params, globalConstants) : std::string("not given")});
  values.push_back({quoted(throwsOutsideName), dropsOutside(params) ? "false" : "true"});
  return values;
}

}  // namespace

void requireReadable(const ParameterList& params) {
  namespace Bad = Teuchos::Exceptions;
  const std::string remedy = "; write params->sublist(\"Trident\").set(name, value)";
  for (auto p = params.begin(); p != params.end(); ++p) {
    const std::string& name = params.name(p);
    if (name == "Trident" && !params.isSublist(name))
      fail<Bad::InvalidParameterType>("\"Trident\" is not a sublist, and must be one" + remedy);
    if (name != "Trident" && params.isSublist(name) && looksLikeTrident(name))
      fail<Bad::InvalidParameterName>("the sublist " + quoted(name) +
                                      " would not be read: its name must be \"Trident\"" + remedy);
  }
  requireNoneBeside(params);
  for (const char* name : {globalConstants, throwsOutsideName})
    if (params.isParameter(name) && !params.isType<bool>(name))
      fail<Bad::InvalidParameterType>(quoted(name) + " must be a bool; write params->set(" +
                                      quoted(name) + ", false), or leave it out");
}

bool dropsOutside(const RCP<ParameterList>& params) {
  return !params.is_null() && params->isType<bool>(throwsOutsideName) &&
         !params->get<bool>(throwsOutsideName);
}

Options readParameters(const RCP<ParameterList>& params, CollectiveArguments* values) {
  const ParameterList given = takeGiven(params);
  Options options = defaults().options;
  options.dropsOutside = dropsOutside(params);
  for (auto p = given.begin(); p != given.end(); ++p)
    readers().at(given.name(p))(given, given.name(p), options);
  if (values) *values = collectiveArguments(given, params);
  return options;
}

void readProductOptions(const Teuchos::ParameterList& list, RoundOptions& rounds,
                        CollectiveArguments& values) {
  const ParameterList given = takeAll(list, "options");
  Options options;
  options.rounds = rounds;
  for (auto p = given.begin(); p != given.end(); ++p) {
    const std::string& name = given.name(p);
    if (std::find(productNames.begin(), productNames.end(), name) == productNames.end())
      fail<Teuchos::Exceptions::InvalidParameterName>(quoted(name) +
                                                      " is a grid's, not one product's; only " +
                                                      joined(productNames) + " may be given here");
    readers().at(name)(given, name, options);
  }
  for (const std::string name : productNames)
    values.push_back({quoted(name),
                      given.isParameter(name) ? valueText(given, name) : std::string("not given")});
  rounds = options.rounds;
}

}  // namespace Impl

void validateParameters(const Teuchos::RCP<Teuchos::ParameterList>& params) {
  Impl::readParameters(params);
}

}  // namespace Trident
