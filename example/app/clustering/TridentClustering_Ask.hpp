// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTCLUSTERING_ASK_HPP
#define TRIDENTCLUSTERING_ASK_HPP

#include <cstdint>
#include <vector>

#include "TridentProblems_Redistribute.hpp"

/// \file TridentClustering_Ask.hpp
/// Questions to the ranks that know, and their answers. A count for each rank is kept while a
/// question is under way: MPI's all-to-all takes as many.

namespace Trident {
namespace Clustering {

using namespace Problems;

/// The ranks to which items go: item order[k] is the k-th that is sent, `counts[p]` go to rank p,
/// in their own order.
struct Grouping {
  std::vector<std::size_t> order;
  std::vector<std::int64_t> counts;
};

/// Groups items 0 .. size-1 by the rank `ownerOf(item)`. Collective: throws MatrixError on every
/// rank where one is out of memory.
template <class OwnerOf>
Grouping groupItems(std::size_t size, const OwnerOf& ownerOf, const Comm& comm) {
  Grouping grouping;
  collectively(comm, [&] {
    grouping.counts.assign(static_cast<std::size_t>(comm.size()), 0);
    grouping.order.resize(size);
    std::vector<int> owners(size);
    for (std::size_t i = 0; i < size; ++i)
      ++grouping.counts[static_cast<std::size_t>(owners[i] = ownerOf(i))];
    std::vector<std::size_t> next(grouping.counts.size(), 0);
    for (std::size_t p = 1; p < next.size(); ++p)
      next[p] = next[p - 1] + static_cast<std::size_t>(grouping.counts[p - 1]);
    for (std::size_t i = 0; i < size; ++i)
      grouping.order[next[static_cast<std::size_t>(owners[i])]++] = i;
  });
  return grouping;
}

/// Sends item i of `items` to its rank. Collective; errors as exchangeGroups().
template <class Item>
Received<Item> send(const Grouping& grouping, const std::vector<Item>& items, const Comm& comm) {
  std::vector<Item> ordered;
  collectively(comm, [&] {
    ordered.reserve(items.size());
    for (const std::size_t i : grouping.order) ordered.push_back(items[i]);
  });
  return exchangeGroups(ordered, grouping.counts, comm);
}

/// Asks each question of its rank. \return the answers, in the order of the questions.
/// \param reply makes a std::vector<Answer>, one for each question received, of a
///   `const Received<Question>&`; all ranks call it, and it may communicate
/// Collective; errors as exchangeGroups().
template <class Answer, class Question, class Reply>
std::vector<Answer> ask(const Grouping& grouping, const std::vector<Question>& questions,
                        const Reply& reply, const Comm& comm) {
  const Received<Question> received = send(grouping, questions, comm);
  const std::vector<Answer> answers = reply(received);
  const std::vector<Answer> back = exchangeGroups(answers, received.counts, comm).items;
  std::vector<Answer> result;
  collectively(comm, [&] {
    result.resize(back.size());
    for (std::size_t k = 0; k < back.size(); ++k) result[grouping.order[k]] = back[k];
  });
  return result;
}

}  // namespace Clustering
}  // namespace Trident

#endif
