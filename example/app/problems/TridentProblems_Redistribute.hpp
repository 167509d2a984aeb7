// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPROBLEMS_REDISTRIBUTE_HPP
#define TRIDENTPROBLEMS_REDISTRIBUTE_HPP

#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "TridentProblems_Comm.hpp"

/// \file TridentProblems_Redistribute.hpp
/// An all-to-all that is safe for more than 2^31 bytes or entries.

namespace Trident {
namespace Problems {

/// One entry of a matrix, by global indices from 0.
struct Entry {
  global_ordinal_type row, column;
  scalar_type value;
};

namespace Details {

/// Exchanges counts: counts[p] of rank r becomes result[r] of rank p. Collective.
std::vector<std::int64_t> exchangeCounts(const std::vector<std::int64_t>& counts, const Comm& comm);

/// Exchanges blocks: block p (sendBytes[p] bytes, blocks one after the other) of `send` goes to
/// rank p. What rank p sent lies in `receive` as block p. No message exceeds 2^26 bytes.
/// Collective.
void exchangeBlocks(const char* send, const std::vector<std::int64_t>& sendBytes, char* receive,
                    const std::vector<std::int64_t>& receiveBytes, const Comm& comm);

/// Groups `items` by owner; each group keeps their order, as rows that ascend need no sort.
/// \return counts by owner
template <class Item, class OwnerOf>
std::vector<std::int64_t> groupByOwner(std::vector<Item>& items, const OwnerOf& ownerOf,
                                       int ranks) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(ranks), 0);
  for (const Item& item : items) ++counts[static_cast<std::size_t>(ownerOf(item))];
  std::vector<std::size_t> next(counts.size(), 0);
  for (std::size_t p = 1; p < counts.size(); ++p)
    next[p] = next[p - 1] + static_cast<std::size_t>(counts[p - 1]);
  std::vector<Item> grouped(items.size());
  for (const Item& item : items) grouped[next[static_cast<std::size_t>(ownerOf(item))]++] = item;
  items.swap(grouped);
  return counts;
}

}  // namespace Details

/// Items that ranks sent to this one: blocks in the order of the senders.
template <class Item>
struct Received {
  std::vector<Item> items;
  std::vector<std::int64_t> counts;  ///< number of items by sender
};

/// Sends items that lie grouped by receiver, `counts[p]` of them to rank p; a block keeps its
/// order. Answers find their way back by the same: exchangeGroups(answers, received.counts, comm)
/// has them in the order of the questions.
///
/// Collective over `comm`. `Item` is trivially copyable. Throws MatrixError on every rank where one
/// is out of memory.
template <class Item>
Received<Item> exchangeGroups(const std::vector<Item>& items,
                              const std::vector<std::int64_t>& counts, const Comm& comm) {
  static_assert(std::is_trivially_copyable<Item>::value, "items travel as bytes");
  constexpr auto itemBytes = static_cast<std::int64_t>(sizeof(Item));
  Received<Item> received{{}, Details::exchangeCounts(counts, comm)};
  std::vector<std::int64_t> sendBytes, receiveBytes;
  collectively(comm, [&] {
    std::int64_t total = 0;
    for (const std::int64_t count : counts) sendBytes.push_back(count * itemBytes);
    for (const std::int64_t count : received.counts) {
      receiveBytes.push_back(count * itemBytes);
      total += count;
    }
    received.items.resize(static_cast<std::size_t>(total));
  });
  Details::exchangeBlocks(reinterpret_cast<const char*>(items.data()), sendBytes,
                          reinterpret_cast<char*>(received.items.data()), receiveBytes, comm);
  return received;
}

/// Sends every item to the rank `ownerOf(item)` and returns what this rank was sent.
///
/// Collective over `comm`. What arrives is in the order of the senders, and of each one's items.
/// `Item` is trivially copyable. Throws MatrixError on every rank where one is out of memory.
template <class Item, class OwnerOf>
std::vector<Item> redistributeEntries(std::vector<Item> items, const OwnerOf& ownerOf,
                                      const Comm& comm) {
  if (comm.size() == 1) return items;
  std::vector<std::int64_t> counts;
  collectively(comm, [&] { counts = Details::groupByOwner(items, ownerOf, comm.size()); });
  return exchangeGroups(items, counts, comm).items;
}

}  // namespace Problems
}  // namespace Trident

#endif
