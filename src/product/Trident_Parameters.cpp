// SPDX-License-Identifier: BSD-3-Clause
#include "Trident_Parameters.hpp"

#include <Teuchos_StandardParameterEntryValidators.hpp>
#include <algorithm>
#include <array>
#include <cctype>
#include <climits>
#include <cmath>
#include <cstdlib>
#include <iomanip>
#include <map>
#include <sstream>
#include <string>

#include "base/Trident_Names.hpp"

namespace Trident {
namespace Impl {
namespace {

using Teuchos::ParameterList;
using Teuchos::RCP;
using Teuchos::rcp;

const char* const globalConstants = "compute global constants";
/// Of parameters that a product on a grid may have of its own.
const std::array<std::string, 6> productNames{"semiring",         "drop tolerance",
                                              "drop relative to", "keep largest",
                                              "keep ties",        "product memory bytes"};

/// A parameter whose values are words, each standing for an enumerator.
template <class Enum>
void setChoice(ParameterList& list, const std::string& name, Enum value, const std::string& doc) {
  Teuchos::Array<std::string> words;
  Teuchos::Array<Enum> meanings;
  for (const Named<Enum>& named : NamesOf<Enum>::all) {
    words.push_back(named.name);
    meanings.push_back(named.value);
  }
  Teuchos::setStringToIntegralParameter<Enum>(name, nameOf(value), doc, words(), meanings(), &list);
}

void setInt(ParameterList& list, const std::string& name, int value, int min,
            const std::string& doc) {
  list.set(name, value, doc, rcp(new Teuchos::EnhancedNumberValidator<int>(min, INT_MAX)));
}

/// Numbers that may be larger than an int are doubles; an int is taken too.
void setNumber(ParameterList& list, const std::string& name, double value, const std::string& doc) {
  using Validator = Teuchos::AnyNumberParameterEntryValidator;
  Validator::AcceptedTypes types(false);
  types.allowInt(true).allowLongLong(true).allowDouble(true);
  list.set(name, value, doc, rcp(new Validator(Validator::PREFER_DOUBLE, types)));
}

RCP<ParameterList> makeValidParameters() {
  RCP<ParameterList> list = rcp(new ParameterList("Trident"));
  const Options options;  // the defaults
  setChoice(
      *list, "algorithm", options.grid.algorithm,
      "\"trident\", or \"summa\", the baseline: Sparse SUMMA on a grid of single ranks, blind to "
      "nodes, slices broadcast along grid rows and columns.");
  list->set("grid", std::string("auto"),
            "Shape of the grid of nodes: \"auto\" takes the shape for which the volume model "
            "predicts the fewest bytes between nodes, \"square\" the shape closest to a square, "
            "\"PRxPC\" (e.g. \"4x2\") that many node rows and node columns. With \"algorithm\" = "
            "\"summa\" it is a grid of ranks, and \"auto\" is \"square\".");
  setInt(
      *list, "ranks per node", 0, 0,
      "Ranks that form a node (lambda). 0: those that share memory. Where it does not divide the "
      "number of ranks, the greatest common divisor is taken.");
  setChoice(*list, "partition", options.grid.partition,
            "How index spaces are cut: \"aligned\" with the ranks of the row Map, "
            "\"uniform\" in blocks of "
            "equally many indices, \"balanced\" by entries, \"work\": the rows of left factors by "
            "their multiply-adds, which are counted, and all else by entries. The Maps of a Grid, "
            "which are cut before a product is known, are balanced.");
  setNumber(
      *list, "partition imbalance", options.grid.partitionImbalance,
      "An aligned partition yields to a balanced one where its largest block exceeds this many "
      "times the mean entries. 0: 3 times, more where a product has few multiply-adds, and much "
      "more where rows of the product would move between nodes.");
  list->set("permute", false,
            "Scatter indices by a seeded pseudo-random bijection, so that any structure becomes "
            "uniform on the grid.");
  setInt(*list, "seed", 1, 0, "Seed of the bijection of \"permute\".");
  setChoice(
      *list, "exchange", options.rounds.exchange,
      "How slices travel between nodes: \"request-queue\" on request, by threads that serve while "
      "the rank computes, which needs MPI_THREAD_MULTIPLE (Trident::ScopeGuard) and memory that "
      "all "
      "ranks share, or else an MPI window; "
      "\"prefetch\" by nonblocking messages posted ahead; \"ring\" and \"ibcast\" by broadcasts, "
      "for "
      "\"algorithm\" = \"summa\"; \"nccl\" from device to device, where every rank has a GPU of "
      "its "
      "own. On one node nothing travels, whatever is asked for. \"auto\" is \"request-queue\" "
      "where it is possible and every rank has a core to spare, else \"prefetch\"; "
      "for \"summa\" the broadcast that measures faster.");
  setChoice(
      *list, "fetch", options.rounds.fetch,
      "What of B travels between nodes in the rounds: its \"tiles\", whatever A holds, or the "
      "\"needed-rows\", those that the columns of A's tiles meet, which needs a grid of several "
      "node "
      "rows and \"algorithm\" = \"trident\". \"auto\" is \"needed-rows\" on such a grid where they "
      "are fewer bytes and their copies fit \"memory bytes\", else \"tiles\"; also where right "
      "factors are too small to ask.");
  setChoice(
      *list, "device messages", options.rounds.deviceMessages,
      "How device memory passes through MPI: \"direct\" as it lies, which needs a GPU-aware MPI, "
      "\"staged\" through pinned host memory; \"auto\" asks MPI, or goes by what the environment "
      "says of it (doc/building.md, \"GPU-aware MPI\").");
  setChoice(
      *list, "gather", options.rounds.gather,
      "How the ranks of a node assemble a tile of B: \"mpi\" gives each a copy by messages, "
      "\"shared\" writes one copy in memory that they share, \"nccl\" sends from device to device, "
      "where the ranks of every node have distinct GPUs; \"auto\" is \"nccl\" on devices and "
      "\"shared\" on hosts where every node can, else \"mpi\".");
  setChoice(
      *list, "kernel", options.rounds.kernel,
      "Local product: \"host\", a dense row of sums that is read in order, on hosts only; "
      "\"device\", rows by their multiply-adds, sorted as they are formed, on devices only (on "
      "CUDA "
      "by kernels of its own for float, double, their complex numbers, int, long long; else by "
      "Kokkos' teams); \"kokkos-kernels\", on devices for scalars of at most 8 bytes; "
      "\"cusparse\", on CUDA only and below 2^31 entries. "
      "\"auto\" is \"host\" on hosts and \"device\" on devices.");
  list->set(
      "reproducible", options.rounds.reproducible,
      "Add the products of an entry of C in ascending number of the inner index, so that the "
      "kernels \"host\" and \"device\" give the same bits in every run and on every grid, "
      "where one group has all rounds and nothing is permuted (doc/algorithm.md, \"The same "
      "bits\"). It costs a look at the order of A's entries, and a sort of them where they do "
      "not ascend.");
  setInt(*list, "fuse rounds", 0, 0,
         "Rounds fused into one local product. 0: all that fit \"memory bytes\".");
  setInt(*list, "prefetch depth", 1, 0,
         "Groups of fused rounds that travel while one is multiplied; each holds a buffer.");
  setNumber(*list, "memory bytes", 0,
            "Bound for a rank's fused operands, in bytes. 0: the larger of 256 MiB and eight times "
            "its own slices of A and B.");
  setNumber(
      *list, "workspace bytes", 0,
      "Bound for what the kernel \"device\" keeps and takes on CUDA beside its operands and C, "
      "in bytes. Where a product needs more, it is formed in pieces of rows. 0: 256 MB and a "
      "tenth of B.");
  setChoice(
      *list, "semiring", options.rounds.semiring,
      "What a product adds and multiplies by, for real and whole numbers: \"plus-times\"; "
      "\"min-plus\", shortest ways; \"max-min\", widest ways; \"or-and\", 1 where a pair of "
      "entries meets that are both not zero, else 0; \"plus-second\", which takes B's entry for "
      "the product. A stored entry stays where it is zero, or an infinity. Of several products "
      "that a function forms, all are over it. Plans, Jacobi steps and a C that has a pattern know "
      "\"plus-times\" alone.");
  setNumber(
      *list, "drop tolerance", 0,
      "Entries of the product whose magnitude is less are dropped, before it is stored: it is "
      "formed in pieces of rows, and each is filtered at once. 0: none are dropped. Of several "
      "products that a function forms, the last one is filtered; a plan cannot filter.");
  setChoice(*list, "drop relative to", options.rounds.relative,
            "What \"drop tolerance\" is multiplied by: \"nothing\", or, of the row of the product, "
            "the \"largest\" magnitude or the \"sum\" of magnitudes.");
  setNumber(*list, "keep largest", 0,
            "Entries of a row of the product that stay at most: those of the largest magnitudes, "
            "of equal ones the first. A whole number. 0: all.");
  list->set("keep ties", false,
            "Keep also all entries that are as large as the last of \"keep largest\".");
  setNumber(
      *list, "product memory bytes", 0,
      "Bound for a piece of rows of a product that is filtered, or handed over in pieces, with "
      "what forms and filters it, on a rank, in bytes. A piece has one row at least. What is kept "
      "stands beside it, and so does the fused tile of B, which holds all rounds. 0: the larger "
      "of 256 MiB and eight times the rank's own slices of A and B. On one thread of a host, where "
      "rows are not shared, pieces are bounded by 16 MiB too, as smaller ones cost nothing there.");
  setNumber(*list, "message bytes", 67108864,
            "Longest message, in bytes; longer transfers are cut. Below 2^31.");
  setNumber(
      *list, "timeout", 0,
      "Seconds that a rank waits for others at one place before it gives up with an exception that "
      "says for whom it waited. 0: as long as it takes. It is a help for finding what hangs: after "
      "it every call of Trident in the process fails.");
  list->set(
      "synchronize", false,
      "Barriers before and after the product on the grid and before its rounds, so that times "
      "of a rank do not hold what it waits for others. For measurements.");
  list->set("predict volume", false,
            "Evaluate the volume model also where \"grid\" gives the shape, for the report.");
  return list;
}

/// A sentence, where Teuchos' own checks say more of themselves than of the parameter.
template <class Exception>
[[noreturn]] void fail(const std::string& sentence) {
  throw Exception("Trident: " + sentence);
}

std::string quoted(const std::string& text) { return '"' + text + '"'; }

/// "4x2" to 4 and 2.
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

/// In as many digits as tell it from its neighbours.
std::string numberText(double value) {
  for (const int digits : {6, 15, 17}) {
    std::ostringstream text;
    text << std::setprecision(digits) << value;
    if (digits == 17 || std::strtod(text.str().c_str(), nullptr) == value) return text.str();
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
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

/// Throws where a parameter of the sublist is none, or has not the type or a value of its kind.
void requireValid(const ParameterList& list, const ParameterList& valid) {
  namespace Bad = Teuchos::Exceptions;
  for (auto p = list.begin(); p != list.end(); ++p) {
    const std::string& name = list.name(p);
    if (!valid.isParameter(name)) {
      std::string known;
      for (auto v = valid.begin(); v != valid.end(); ++v)
        known += (known.empty() ? "" : ", ") + valid.name(v);
      fail<Bad::InvalidParameterName>("there is no parameter " + quoted(name) + ", only " + known);
    }
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
    if (!range.is_null())
      requireInRange(list.get<int>(name), range->getMin(), range->getMax(), name);
  }
}

/// Whether a name is "Trident" but for case and blanks.
bool looksLikeTrident(const std::string& name) {
  std::string letters;
  for (const unsigned char c : name)
    if (!std::isspace(c)) letters += static_cast<char>(std::tolower(c));
  return letters == "trident";
}

/// Throws where what Trident reads of the caller's list beside the sublist is of another type, or
/// a sublist is meant for Trident and would not be read.
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
  if (params.isParameter(globalConstants) && !params.isType<bool>(globalConstants))
    fail<Bad::InvalidParameterType>(quoted(globalConstants) + " must be a bool");
}

/// What the caller gave, validated. A copy, so that defaults do not appear in the caller's list.
ParameterList givenList(const RCP<ParameterList>& params) {
  ParameterList list("Trident");
  if (!params.is_null()) {
    requireReadable(*params);
    if (params->isSublist("Trident")) list = params->sublist("Trident");
  }
  requireValid(list, *getValidParameters());
  return list;
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

/// As number(); 0 is taken too.
double numberOr0(const ParameterList& list, const std::string& name, double min, double max) {
  const double value = number(list, name, 0, max);
  if (value != 0) requireInRange(value, min, max, name);
  return value;
}

/// 0, or 1 and more: half a byte would be taken for the 0 that lets Trident choose.
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
  static const std::map<std::string, Reader> all{
      {"algorithm", [](List l, Name n, Options& o) { o.grid.algorithm = choice<Algorithm>(l, n); }},
      {"grid", [](List l, Name n, Options& o) { readGrid(l.get<std::string>(n), o.grid); }},
      {"ranks per node", [](List l, Name n, Options& o) { o.grid.ranksPerNode = l.get<int>(n); }},
      {"partition",
       [](List l, Name n, Options& o) { o.grid.partition = choice<PartitionKind>(l, n); }},
      {"partition imbalance",
       [](List l, Name n, Options& o) { o.grid.partitionImbalance = numberOr0(l, n, 1, 1e300); }},
      {"permute", [](List l, Name n, Options& o) { o.grid.permute = l.get<bool>(n); }},
      {"seed", [](List l, Name n, Options& o) { o.grid.seed = l.get<int>(n); }},
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
      {"keep ties", [](List l, Name n, Options& o) { o.rounds.keepTies = l.get<bool>(n); }},
      {"product memory bytes",
       [](List l, Name n, Options& o) { o.rounds.pieceBytes = bytes(l, n, 0, 1e18); }},
      {"workspace bytes",
       [](List l, Name n, Options& o) { o.rounds.workspaceBytes = bytes(l, n, 0, 1e18); }},
      {"message bytes",
       [](List l, Name n, Options& o) { o.rounds.messageBytes = bytes(l, n, 64, 2147483647.0); }},
      {"timeout", [](List l, Name n, Options& o) { o.timeoutSeconds = number(l, n, 0, 1e9); }}};
  return all;
}

/// What holds where nothing is given, found once: a small product must not pay for its parameters.
struct Defaults {
  Options options;
  CommonValues values{{"the parameter list", ""}};  // and of every parameter
  std::map<std::string, std::size_t> indices;       // of these, by name

  Defaults() {
    const ParameterList& valid = *getValidParameters();
    for (auto v = valid.begin(); v != valid.end(); ++v) {
      const std::string& name = valid.name(v);
      readers().at(name)(valid, name, options);
      indices[name] = values.size();
      values.push_back({quoted(name), valueText(valid, name)});
    }
  }
};

const Defaults& defaults() {
  static const Defaults all;
  return all;
}

/// Of every parameter, given or not, and of what of the list beside the sublist steers a product.
CommonValues commonValues(const ParameterList& given, const RCP<ParameterList>& params) {
  CommonValues values = defaults().values;
  for (auto p = given.begin(); p != given.end(); ++p)
    values[defaults().indices.at(given.name(p))].text = valueText(given, given.name(p));
  values[0].text = params.is_null() ? "null" : "one that is not null";
  const bool constants = !params.is_null() && params->isParameter(globalConstants);
  values.push_back({quoted(globalConstants),
                    constants ? valueText(*params, globalConstants) : std::string("not given")});
  return values;
}

}  // namespace

Options readParameters(const RCP<ParameterList>& params, CommonValues* values) {
  const ParameterList given = givenList(params);
  Options options = defaults().options;
  for (auto p = given.begin(); p != given.end(); ++p)
    readers().at(given.name(p))(given, given.name(p), options);
  if (values) *values = commonValues(given, params);
  return options;
}

void readProductOptions(const Teuchos::ParameterList& list, RoundOptions& rounds,
                        CommonValues& values) {
  requireValid(list, *getValidParameters());
  Options options;
  options.rounds = rounds;
  for (auto p = list.begin(); p != list.end(); ++p) {
    const std::string& name = list.name(p);
    if (std::find(productNames.begin(), productNames.end(), name) == productNames.end())
      fail<Teuchos::Exceptions::InvalidParameterName>(quoted(name) +
                                                      " is a grid's, not one product's; only " +
                                                      joined(productNames) + " may be given here");
    readers().at(name)(list, name, options);
  }
  for (const std::string& name : productNames)
    values.push_back(
        {quoted(name), list.isParameter(name) ? valueText(list, name) : std::string("not given")});
  rounds = options.rounds;
}

}  // namespace Impl

Teuchos::RCP<const Teuchos::ParameterList> getValidParameters() {
  static const Teuchos::RCP<const Teuchos::ParameterList> list = Impl::makeValidParameters();
  return list;
}

}  // namespace Trident
