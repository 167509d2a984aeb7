// SPDX-License-Identifier: BSD-3-Clause
#include "markov/Trident_PruneScheme.hpp"

#include "Trident_Error.hpp"
#include "markov/Trident_MarkovOrigin.hpp"

namespace Trident::Impl {
namespace {

/// One of mcl's schemes (mcl --show-schemes).
struct Preset {
  long long prune, select, recover;
  int percent;
};
constexpr Preset presets[] = {{3000, 400, 500, 90},   {4000, 500, 600, 90}, {5000, 600, 700, 90},
                              {6000, 700, 800, 90},   {7000, 800, 900, 90}, {10000, 1100, 1400, 90},
                              {10000, 1200, 1600, 90}};
constexpr int presetCount = sizeof(presets) / sizeof(presets[0]);

template <class T>
T orPreset(T given, T preset) {
  return given < 0 ? preset : given;
}

std::string wrong(const std::string& name, const std::string& value, const std::string& range) {
  return "the option " + name + " is " + value + "; it must be " + range;
}

std::string problemOfScheme(const MarkovOptions& options) {
  return options.scheme >= 1 && options.scheme <= presetCount
             ? ""
             : wrong("scheme", std::to_string(options.scheme), "from 1 to 7");
}

}  // namespace

MarkovOrigin originOfOptions(const MarkovOptions& options) {
  const Preset& preset = presets[options.scheme - 1];
  MarkovOrigin origin;
  origin.inflation = options.inflation;
  origin.prune = orPreset(options.prune, preset.prune);
  origin.select = orPreset(options.select, preset.select);
  origin.recover = orPreset(options.recover, preset.recover);
  origin.percent = orPreset(options.percent, preset.percent);
  origin.precision = options.precision;
  return origin;
}

PruneScheme pruneScheme(const MarkovOptions& options) {
  const MarkovOrigin origin = originOfOptions(options);
  PruneScheme scheme;
  scheme.cutoff = origin.prune > 0 ? 0.99999 / static_cast<double>(origin.prune) : 0;
  scheme.select = origin.select;
  scheme.recover = origin.recover;
  scheme.enough = static_cast<double>(origin.percent) / 100.0;
  return scheme;
}

std::string problemOfOptions(const MarkovOptions& options) {
  if (!(options.inflation > 0 && options.inflation <= 30))
    return wrong("inflation", allDigits(options.inflation), "above 0 and not above 30");
  if (!problemOfScheme(options).empty()) return problemOfScheme(options);
  const std::string orScheme = " or more, or -1 for the scheme's";
  if (options.prune < -1) return wrong("prune", std::to_string(options.prune), "0" + orScheme);
  if (options.select < -1) return wrong("select", std::to_string(options.select), "0" + orScheme);
  if (options.recover < -1)
    return wrong("recover", std::to_string(options.recover), "0" + orScheme);
  if (options.percent < -1 || options.percent > 99)
    return wrong("percent", std::to_string(options.percent),
                 "from 0 to 99, or -1 for the scheme's");
  if (!(options.productMemoryBytes >= 0 && options.productMemoryBytes <= 1e18))
    return wrong("productMemoryBytes", allDigits(options.productMemoryBytes),
                 "from 0 to 1e18 bytes");
  if (!(options.loopFactor >= 0 && options.loopFactor <= 1e9))
    return wrong("loopFactor", allDigits(options.loopFactor), "from 0 to 1e9");
  if (!(options.firstInflation >= 0 && options.firstInflation <= 30))
    return wrong("firstInflation", allDigits(options.firstInflation), "from 0 to 30");
  if (options.initialIterations < 0)
    return wrong("initialIterations", std::to_string(options.initialIterations), "0 or more");
  if (!(options.initialInflation > 0 && options.initialInflation <= 30))
    return wrong("initialInflation", allDigits(options.initialInflation),
                 "above 0 and not above 30");
  if (!(options.availableBytes >= 0 && options.availableBytes <= 1e18))
    return wrong("availableBytes", allDigits(options.availableBytes), "from 0 to 1e18 bytes");
  if (options.mostIterations < 1)
    return wrong("mostIterations", std::to_string(options.mostIterations), "1 or more");
  return "";
}

CollectiveArguments collectiveArgumentsOf(const MarkovOptions& options) {
  return {{"inflation", allDigits(options.inflation)},
          {"scheme", std::to_string(options.scheme)},
          {"prune", std::to_string(options.prune)},
          {"select", std::to_string(options.select)},
          {"recover", std::to_string(options.recover)},
          {"percent", std::to_string(options.percent)},
          {"loopFactor", allDigits(options.loopFactor)},
          {"firstInflation", allDigits(options.firstInflation)},
          {"initialIterations", std::to_string(options.initialIterations)},
          {"initialInflation", allDigits(options.initialInflation)},
          {"signedWeights", options.signedWeights ? "true" : "false"},
          {"productMemoryBytes", allDigits(options.productMemoryBytes)},
          {"precision", nameOf(options.precision)},
          {"forceConnected", options.forceConnected ? "true" : "false"},
          {"mostIterations", std::to_string(options.mostIterations)},
          {"availableBytes", allDigits(options.availableBytes)},
          {"forecast", options.forecast ? "a function" : "none"},
          {"within", options.within ? "a function" : "none"},
          {"progress", options.progress ? "a function" : "none"}};
}

}  // namespace Trident::Impl

namespace Trident {

MarkovOptions withScheme(const MarkovOptions& options) {
  const std::string problem = Impl::problemOfScheme(options);
  if (!problem.empty()) throw Error("Trident::withScheme", problem);
  const MarkovOrigin origin = Impl::originOfOptions(options);
  MarkovOptions all = options;
  all.prune = origin.prune;
  all.select = origin.select;
  all.recover = origin.recover;
  all.percent = static_cast<int>(origin.percent);
  return all;
}

}  // namespace Trident
