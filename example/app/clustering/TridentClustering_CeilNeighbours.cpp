// SPDX-License-Identifier: BSD-3-Clause
#include "TridentClustering_CeilNeighbours.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include "TridentClustering_Ask.hpp"
#include "TridentProblems_Partition.hpp"

namespace Trident {
namespace Clustering {

namespace {

/// What a node says of an edge to it that another one has.
enum class Verdict : char {
  pending,  ///< its turn has not come
  stays,
  dropped
};

/// The nodes of this rank, whose turn comes or has come.
class Trimming {
 public:
  Trimming(LocalRows& rows, std::int64_t nodes, std::size_t most, const Comm& comm)
      : rows_(rows), most_(most), comm_(comm), partition_(nodes, comm.size()) {}

  void run() {
    collectively(comm_, [&] { begin(); });
    learnDegrees();
    do {
      collectively(comm_, [&] { takeTurns(); });
      hear(true);
    } while (comm_.sum(waiting_) > 0);
    hear(false);
    for (std::size_t e = 0; e < dropped_.size(); ++e)
      if (dropped_[e] != 0) rows_.values[e] = 0;
  }

 private:
  /// An edge of this rank, and a question about it to the node at its other end.
  struct Question {
    std::int64_t node, asks;
  };

  std::int64_t first() const { return partition_.begin(comm_.rank()); }
  std::size_t size(std::size_t row) const { return rows_.offsets[row + 1] - rows_.offsets[row]; }
  bool isHub(std::size_t row) const { return size(row) > most_; }

  void begin() {
    dropped_.assign(rows_.columns.size(), 0);
    open_.assign(rows_.columns.size(), 0);
    done_.resize(rows_.numRows());
    for (std::size_t row = 0; row < done_.size(); ++row) done_[row] = isHub(row) ? 0 : 1;
  }

  /// Which edges lead to nodes whose turn comes: before that of the edge's own node, or after it.
  void learnDegrees() {
    const auto reply = [&](const Received<std::int64_t>& received) {
      std::vector<std::int64_t> answers;
      collectively(comm_, [&] {
        for (const std::int64_t node : received.items)
          answers.push_back(
              static_cast<std::int64_t>(size(static_cast<std::size_t>(node - first()))));
      });
      return answers;
    };
    std::vector<std::int64_t> nodes;
    collectively(comm_, [&] { nodes.assign(rows_.columns.begin(), rows_.columns.end()); });
    const auto degrees = ask<std::int64_t>(
        groupItems(
            nodes.size(), [&](std::size_t e) { return partition_.owner(nodes[e]); }, comm_),
        nodes, reply, comm_);
    for (std::size_t row = 0; row < rows_.numRows(); ++row)
      for (std::size_t e = rows_.offsets[row]; e < rows_.offsets[row + 1]; ++e) {
        const auto mine = static_cast<std::int64_t>(size(row));
        const std::int64_t number = first() + static_cast<std::int64_t>(row);
        if (degrees[e] <= static_cast<std::int64_t>(most_)) continue;
        const bool before = degrees[e] > mine || (degrees[e] == mine && nodes[e] < number);
        open_[e] = before ? comesBefore : comesAfter;
      }
  }

  bool mayTakeTurn(std::size_t row) const {
    return done_[row] == 0 &&
           std::find(open_.begin() + static_cast<std::ptrdiff_t>(rows_.offsets[row]),
                     open_.begin() + static_cast<std::ptrdiff_t>(rows_.offsets[row + 1]),
                     comesBefore) ==
               open_.begin() + static_cast<std::ptrdiff_t>(rows_.offsets[row + 1]);
  }

  void takeTurns() {
    waiting_ = 0;
    for (std::size_t row = 0; row < rows_.numRows(); ++row) {
      if (mayTakeTurn(row)) takeTurn(row);
      waiting_ += done_[row] == 0 ? 1 : 0;
    }
  }

  void takeTurn(std::size_t row) {
    std::vector<float> weights;
    for (std::size_t e = rows_.offsets[row]; e < rows_.offsets[row + 1]; ++e)
      if (dropped_[e] == 0) weights.push_back(static_cast<float>(rows_.values[e]));
    done_[row] = 1;
    if (weights.size() <= most_) return;
    const double bound = boundOfHighest(weights, most_);
    for (std::size_t e = rows_.offsets[row]; e < rows_.offsets[row + 1]; ++e)
      if (dropped_[e] == 0 && rows_.values[e] < bound) dropped_[e] = byThisNode;
  }

  Verdict verdict(const Question& question) const {
    const auto row = static_cast<std::size_t>(question.node - first());
    if (done_[row] == 0) return Verdict::pending;
    const auto begin = rows_.columns.begin() + static_cast<std::ptrdiff_t>(rows_.offsets[row]);
    const auto end = rows_.columns.begin() + static_cast<std::ptrdiff_t>(rows_.offsets[row + 1]);
    const auto found = std::lower_bound(begin, end, question.asks);
    if (found == end || *found != question.asks) return Verdict::stays;
    return dropped_[static_cast<std::size_t>(found - rows_.columns.begin())] == byThisNode
               ? Verdict::dropped
               : Verdict::stays;
  }

  /// Asks about open edges: of nodes that wait, to those before them; or of all, at the end.
  void hear(bool beforeTurn) {
    std::vector<Question> questions;
    std::vector<std::size_t> edges;
    collectively(comm_, [&] {
      for (std::size_t row = 0; row < rows_.numRows(); ++row)
        for (std::size_t e = rows_.offsets[row]; e < rows_.offsets[row + 1]; ++e)
          if (beforeTurn ? done_[row] == 0 && open_[e] == comesBefore : open_[e] != closed) {
            questions.push_back({rows_.columns[e], first() + static_cast<std::int64_t>(row)});
            edges.push_back(e);
          }
    });
    const auto reply = [&](const Received<Question>& received) {
      std::vector<Verdict> answers;
      collectively(comm_, [&] {
        for (const Question& question : received.items) answers.push_back(verdict(question));
      });
      return answers;
    };
    const auto owner = [&](std::size_t q) { return partition_.owner(questions[q].node); };
    const auto verdicts =
        ask<Verdict>(groupItems(questions.size(), owner, comm_), questions, reply, comm_);
    for (std::size_t q = 0; q < edges.size(); ++q) {
      if (verdicts[q] == Verdict::pending) continue;
      open_[edges[q]] = closed;
      if (verdicts[q] == Verdict::dropped && dropped_[edges[q]] == 0)
        dropped_[edges[q]] = byOtherNode;
    }
  }

  static constexpr char closed = 0, comesBefore = 1, comesAfter = 2;  // of open_
  static constexpr char byThisNode = 1, byOtherNode = 2;              // of dropped_; 0: it is there

  LocalRows& rows_;
  std::size_t most_;
  const Comm& comm_;
  UniformPartition partition_;
  std::vector<char> dropped_, open_;  // of entries
  std::vector<char> done_;            // of rows: whether its turn is over, or it has none
  std::int64_t waiting_ = 0;          // rows of this rank whose turn has not come
};

}  // namespace

double boundOfHighest(std::vector<float>& weights, std::size_t most) {
  if (most == 0) return std::numeric_limits<double>::infinity();
  const auto last = weights.begin() + static_cast<std::ptrdiff_t>(most) - 1;
  std::nth_element(weights.begin(), last, weights.end(), std::greater<float>());
  const double bound = *last;
  const auto kept =
      std::count_if(weights.begin(), weights.end(), [&](float weight) { return weight >= bound; });
  return static_cast<std::size_t>(kept) > most
             ? bound * (1 + double{std::numeric_limits<float>::epsilon()})
             : bound;
}

void ceilNeighbours(LocalRows& rows, std::int64_t nodes, std::size_t most, const Comm& comm) {
  Trimming(rows, nodes, most, comm).run();
}

}  // namespace Clustering
}  // namespace Trident
