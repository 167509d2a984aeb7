// SPDX-License-Identifier: BSD-3-Clause
#include "TridentClustering_CeilNeighbours.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "TridentClustering_Ask.hpp"
#include "TridentProblems_Partition.hpp"

namespace Trident {
namespace Clustering {

namespace {

/// A node that has too many neighbours, in the order in which they take their turns.
struct Hub {
  std::int64_t neighbours, node;

  bool goesBefore(const Hub& other) const {
    return neighbours != other.neighbours ? neighbours > other.neighbours : node < other.node;
  }
};

/// The rows of this rank. A row hears from each hub among its columns, once, when that has had its
/// turn. So a hub knows when its own turn comes.
class Trimming {
 public:
  Trimming(LocalRows& rows, std::int64_t nodes, std::size_t most, const Comm& comm)
      : rows_(rows), most_(most), comm_(comm), partition_(nodes, comm.size()) {}

  void run() {
    collectively(comm_, [&] {
      dropped_.assign(rows_.columns.size(), 0);
      before_.assign(rows_.numRows(), 0);
    });
    meetHubs();
    while (comm_.sum(waiting_) > 0) {
      std::vector<Told> told;
      collectively(comm_, [&] { told = takeTurns(); });
      told = redistributeEntries(
          std::move(told), [&](const Told& one) { return partition_.owner(one.listener); }, comm_);
      collectively(comm_, [&] {
        for (const Told& one : told) hear(one);
      });
    }
    for (std::size_t e = 0; e < dropped_.size(); ++e)
      if (dropped_[e] != 0) rows_.values[e] = 0;
  }

 private:
  /// A node whose row has a hub.
  struct Listener {
    std::int64_t hub, node;
  };
  /// The message of a hub to a listener after its turn.
  struct Told {
    std::int64_t listener;
    Hub hub;
    std::int64_t dropped;  ///< 1: the hub drops the edge to the listener
  };

  std::int64_t first() const { return partition_.begin(comm_.rank()); }
  std::size_t rowOf(std::int64_t node) const { return static_cast<std::size_t>(node - first()); }
  std::size_t size(std::size_t row) const { return rows_.offsets[row + 1] - rows_.offsets[row]; }
  bool isHub(std::size_t row) const { return size(row) > most_; }
  Hub hub(std::size_t row) const {
    return {static_cast<std::int64_t>(size(row)), first() + static_cast<std::int64_t>(row)};
  }

  /// Finds the place of an entry; the number of all where the row has none in this column.
  std::size_t find(std::size_t row, std::int64_t column) const {
    const auto begin = rows_.columns.begin() + static_cast<std::ptrdiff_t>(rows_.offsets[row]);
    const auto end = rows_.columns.begin() + static_cast<std::ptrdiff_t>(rows_.offsets[row + 1]);
    const auto found = std::lower_bound(begin, end, column);
    return found == end || *found != column
               ? rows_.columns.size()
               : static_cast<std::size_t>(found - rows_.columns.begin());
  }

  /// Makes rows known to the hubs among their columns, and learn for how many they wait.
  void meetHubs() {
    std::vector<Listener> questions;
    collectively(comm_, [&] {
      for (std::size_t row = 0; row < rows_.numRows(); ++row)
        for (std::size_t e = rows_.offsets[row]; e < rows_.offsets[row + 1]; ++e)
          questions.push_back({rows_.columns[e], hub(row).node});
    });
    const auto reply = [&](const Received<Listener>& received) {
      std::vector<std::int64_t> answers;
      collectively(comm_, [&] {
        for (const Listener& listener : received.items) {
          const std::size_t row = rowOf(listener.hub);
          answers.push_back(static_cast<std::int64_t>(size(row)));
          if (isHub(row)) listeners_.push_back(listener);
        }
        std::sort(listeners_.begin(), listeners_.end(),
                  [](const Listener& a, const Listener& b) { return a.hub < b.hub; });
      });
      return answers;
    };
    const auto owner = [&](std::size_t q) { return partition_.owner(questions[q].hub); };
    const auto sizes =
        ask<std::int64_t>(groupItems(questions.size(), owner, comm_), questions, reply, comm_);
    collectively(comm_, [&] {
      for (std::size_t e = 0; e < questions.size(); ++e) {
        const Hub other{sizes[e], questions[e].hub};
        const std::size_t row = rowOf(questions[e].node);
        if (isHub(row) && other.goesBefore(hub(row))) ++before_[row];
      }
      for (std::size_t row = 0; row < rows_.numRows(); ++row) {
        waiting_ += isHub(row) ? 1 : 0;
        if (isHub(row) && before_[row] == 0) ready_.push_back(row);
      }
    });
  }

  /// Finds all hubs whose turn has come. \return what listeners are to hear
  std::vector<Told> takeTurns() {
    std::vector<Told> told;
    for (const std::size_t row : ready_) {
      dropWeakest(row);
      const Hub own = hub(row);
      auto listener =
          std::lower_bound(listeners_.begin(), listeners_.end(), own.node,
                           [](const Listener& one, std::int64_t node) { return one.hub < node; });
      for (; listener != listeners_.end() && listener->hub == own.node; ++listener) {
        const std::size_t e = find(row, listener->node);
        const bool dropped = e < dropped_.size() && dropped_[e] == byThisNode;
        told.push_back({listener->node, own, dropped ? 1 : 0});
      }
    }
    waiting_ -= static_cast<std::int64_t>(ready_.size());
    ready_.clear();
    return told;
  }

  void dropWeakest(std::size_t row) {
    std::vector<float> weights;
    for (std::size_t e = rows_.offsets[row]; e < rows_.offsets[row + 1]; ++e)
      if (dropped_[e] == 0) weights.push_back(static_cast<float>(rows_.values[e]));
    if (weights.size() <= most_) return;
    const double bound = boundOfHighest(weights, most_);
    for (std::size_t e = rows_.offsets[row]; e < rows_.offsets[row + 1]; ++e)
      if (dropped_[e] == 0 && rows_.values[e] < bound) dropped_[e] = byThisNode;
  }

  void hear(const Told& told) {
    const std::size_t row = rowOf(told.listener), e = find(row, told.hub.node);
    if (told.dropped != 0 && dropped_[e] == 0) dropped_[e] = byOtherNode;
    if (isHub(row) && told.hub.goesBefore(hub(row)) && --before_[row] == 0) ready_.push_back(row);
  }

  static constexpr char byThisNode = 1, byOtherNode = 2;  // marks in dropped_; 0: it is there

  LocalRows& rows_;
  std::size_t most_;
  const Comm& comm_;
  UniformPartition partition_;
  std::vector<char> dropped_;         // marks of entries
  std::vector<std::int64_t> before_;  // hubs that a hub waits for, by row
  std::vector<Listener> listeners_;   // listeners of this rank's hubs
  std::vector<std::size_t> ready_;    // hubs whose turn has come
  std::int64_t waiting_ = 0;          // hubs of this rank whose turn is not over
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
