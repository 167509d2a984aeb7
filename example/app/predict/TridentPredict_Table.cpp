// SPDX-License-Identifier: BSD-3-Clause
#include "TridentPredict_Table.hpp"

#include <sstream>

namespace Trident {
namespace Predict {
namespace {

std::string gridOf(const Prediction& p) {
  return p.which.algorithm == "tpetra" ? "" : p.which.shape.name();
}
std::string fetchOf(const Prediction& p) {
  if (p.which.algorithm != "trident") return "";
  return p.neededRows ? "needed-rows" : "tiles";
}
/// Quotes a text as CSV takes it, whatever is in it.
std::string quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}
long long messagesOf(const TrafficByPart& t) {
  return t.import.internodeMessages + t.rounds.internodeMessages + t.export_.internodeMessages +
         t.setup.internodeMessages;
}
long long bytesOf(const TrafficByPart& t) {
  return t.import.internodeBytes + t.rounds.internodeBytes + t.export_.internodeBytes +
         t.setup.internodeBytes;
}

}  // namespace

std::string csvOf(const Subject& subject, const std::vector<Prediction>& all) {
  std::ostringstream csv;
  csv.precision(10);
  csv << "machine,A,B,algorithm,ranks,grid,fetch,best,nnzA,nnzB,nnzC,multiply_adds,imbalance,"
         "internode_import_bytes,internode_rounds_bytes,internode_export_bytes,"
         "internode_setup_bytes,intranode_import_bytes,intranode_rounds_bytes,"
         "intranode_export_bytes,intranode_setup_bytes,internode_messages,"
         "internode_bytes_fullest_node,internode_bytes_fullest_rank,seconds_import,seconds_setup,"
         "seconds_exchange,seconds_gather,seconds_local_multiply,seconds_export,seconds_total,"
         "memory_bytes_fullest_rank\n";
  for (const Prediction& p : all) {
    const TrafficByPart& t = p.received;
    const PredictedSeconds& s = p.seconds;
    csv << quoted(subject.machine) << ',' << quoted(subject.A) << ',' << quoted(subject.B) << ','
        << p.which.algorithm << ',' << p.which.shape.ranks() << ',' << gridOf(p) << ','
        << fetchOf(p) << ',' << p.best << ',' << subject.entriesA << ',' << subject.entriesB << ','
        << subject.entriesC << ',' << subject.multiplyAdds << ',' << p.imbalance << ','
        << t.import.internodeBytes << ',' << t.rounds.internodeBytes << ','
        << t.export_.internodeBytes << ',' << t.setup.internodeBytes << ','
        << t.import.intranodeBytes << ',' << t.rounds.intranodeBytes << ','
        << t.export_.intranodeBytes << ',' << t.setup.intranodeBytes << ',' << messagesOf(t) << ','
        << p.fullestNode << ',' << p.fullestRank << ',' << s.import << ',' << s.setup << ','
        << s.exchange << ',' << s.gather << ',' << s.localMultiply << ',' << s.export_ << ','
        << s.total() << ',' << p.memory << '\n';
  }
  return csv.str();
}

std::string markdownOf(const Subject& subject, const std::vector<Prediction>& all, bool bestAlone) {
  std::ostringstream text;
  text.precision(3);
  text << "| ranks | algorithm | grid | fetch | MB between nodes | of them rounds | fullest node, "
          "MB "
          "| import, ms | setup | exchange | gather | local product | export | total, ms | "
          "GB of the fullest rank | |\n"
          "| --: | --- | --- | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | "
          "--: | --- |\n";
  for (const Prediction& p : all) {
    if (bestAlone && !p.best) continue;
    const PredictedSeconds& s = p.seconds;
    text << "| " << p.which.shape.ranks() << " | " << p.which.algorithm << " | " << gridOf(p)
         << " | " << fetchOf(p) << " | " << 1e-6 * static_cast<double>(bytesOf(p.received)) << " | "
         << 1e-6 * static_cast<double>(p.received.rounds.internodeBytes) << " | "
         << 1e-6 * p.fullestNode;
    for (const double phase :
         {s.import, s.setup, s.exchange, s.gather, s.localMultiply, s.export_, s.total()})
      text << " | " << 1e3 * phase;
    const bool fits = subject.memoryBytes == 0 || p.memory <= subject.memoryBytes;
    text << " | " << 1e-9 * p.memory << " | " << (p.best && !bestAlone ? "best" : "")
         << (fits ? "" : " does not fit") << " |\n";
  }
  return text.str();
}

}  // namespace Predict
}  // namespace Trident
