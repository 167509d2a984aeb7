// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <numeric>

#include "TridentClustering_Labels.hpp"
#include "TridentProblems_Partition.hpp"

namespace Trident {
namespace Clustering {

namespace {

/// Counts the positions of all ranks that are smaller, for each of this rank's, all of which
/// differ. A rank ranks those of one range. It gets no more of them than that range has bytes of
/// text.
std::vector<std::int64_t> ranksOf(const std::vector<std::int64_t>& positions, const Comm& comm) {
  std::int64_t least = 0;  // of the negated, as there is no maximum
  for (const std::int64_t position : positions) least = std::min(least, -position - 1);
  const UniformPartition ranges(-comm.min(least), comm.size());
  const auto owner = [&](std::size_t i) { return ranges.owner(positions[i]); };
  const auto reply = [&](const Received<std::int64_t>& received) {
    const std::int64_t before = comm.sumBefore(static_cast<std::int64_t>(received.items.size()));
    std::vector<std::int64_t> answers;
    collectively(comm, [&] {
      std::vector<std::size_t> sorted(received.items.size());
      std::iota(sorted.begin(), sorted.end(), std::size_t{0});
      std::sort(sorted.begin(), sorted.end(), [&](std::size_t a, std::size_t b) {
        return received.items[a] < received.items[b];
      });
      answers.resize(sorted.size());
      for (std::size_t k = 0; k < sorted.size(); ++k)
        answers[sorted[k]] = before + static_cast<std::int64_t>(k);
    });
    return answers;
  };
  return ask<std::int64_t>(groupItems(positions.size(), owner, comm), positions, reply, comm);
}

/// Brings each label to the rank that owns its number.
LabelList namesByNumber(const LabelList& labels, const std::vector<std::int64_t>& numbers,
                        const UniformPartition& partition, const Comm& comm) {
  const Grouping grouping = groupItems(
      numbers.size(), [&](std::size_t i) { return partition.owner(numbers[i]); }, comm);
  const LabelList arrived = sendLabels(grouping, labels, comm);
  const std::vector<std::int64_t> places = send(grouping, numbers, comm).items;
  LabelList names;
  collectively(comm, [&] {
    std::vector<std::size_t> byNumber(places.size());
    for (std::size_t i = 0; i < places.size(); ++i)
      byNumber[static_cast<std::size_t>(places[i] - partition.begin(comm.rank()))] = i;
    for (const std::size_t i : byNumber) names.append(arrived[i]);
  });
  return names;
}

}  // namespace

LabelList sendLabels(const Grouping& grouping, const LabelList& labels, const Comm& comm) {
  std::vector<char> characters;
  std::vector<std::int32_t> lengths;
  std::vector<std::int64_t> bytes;
  collectively(comm, [&] {
    bytes.assign(grouping.counts.size(), 0);
    lengths.reserve(labels.size());
    std::size_t k = 0;
    for (std::size_t p = 0; p < bytes.size(); ++p)
      for (std::int64_t n = 0; n < grouping.counts[p]; ++n, ++k) {
        const Text label = labels[grouping.order[k]];
        characters.insert(characters.end(), label.begin, label.end);
        lengths.push_back(static_cast<std::int32_t>(label.size()));
        bytes[p] += static_cast<std::int64_t>(label.size());
      }
  });
  Received<char> received = exchangeGroups(characters, bytes, comm);
  const Received<std::int32_t> receivedLengths = exchangeGroups(lengths, grouping.counts, comm);
  LabelList result;
  collectively(comm, [&] { result = LabelList(std::move(received.items), receivedLengths.items); });
  return result;
}

NumberedLabels numberLabels(const LabelTable& mine, const Comm& comm) {
  NumberedLabels result;
  const LabelList& labels = mine.labels();
  const auto ranks = static_cast<std::uint64_t>(comm.size());
  const Grouping grouping = groupItems(
      labels.size(), [&](std::size_t i) { return static_cast<int>(hash(labels[i]) % ranks); },
      comm);
  const LabelList asked = sendLabels(grouping, labels, comm);

  LabelTable known;  // the labels that this rank is asked for, each once
  std::vector<std::int64_t> numbersOfKnown;
  const auto reply = [&](const Received<std::int64_t>& positions) {
    std::vector<std::int64_t> answers;
    collectively(comm, [&] {
      answers.reserve(asked.size());
      for (std::size_t i = 0; i < asked.size(); ++i)
        answers.push_back(known.add(asked[i], positions.items[i]));
    });
    numbersOfKnown = ranksOf(known.positions(), comm);
    for (std::int64_t& answer : answers) answer = numbersOfKnown[static_cast<std::size_t>(answer)];
    return answers;
  };
  result.numbers = ask<std::int64_t>(grouping, mine.positions(), reply, comm);
  result.count = comm.sum(static_cast<std::int64_t>(known.labels().size()));
  result.names = namesByNumber(known.labels(), numbersOfKnown,
                               UniformPartition(result.count, comm.size()), comm);
  return result;
}

}  // namespace Clustering
}  // namespace Trident
