// SPDX-License-Identifier: BSD-3-Clause
// Numbers of products by dimension, with what should and what did come of them.
#ifndef TRIDENT_PUBLIC_COUNTERS_HPP
#define TRIDENT_PUBLIC_COUNTERS_HPP

#include <cstdio>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "base/Trident_Mpi.hpp"

namespace TridentTest {
namespace PublicStress {

/// The counts of one name. A product that may be right or refused, as it likes, expects no
/// exception.
struct Count {
  long long products = 0, expected = 0, seen = 0, failed = 0;
};

class Counters {
 public:
  void add(const std::string& name, const Count& more) {
    Count& count = counts_[name];
    count.products += more.products;
    count.expected += more.expected;
    count.seen += more.seen;
    count.failed += more.failed;
  }
  Count of(const std::string& name) const {
    const auto found = counts_.find(name);
    return found == counts_.end() ? Count() : found->second;
  }

  /// Gathers the counters of all ranks, on rank 0 of the world. Collective over the world.
  Counters gathered() const {
    int rank = 0, ranks = 1;
    TRIDENT_MPI_CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    TRIDENT_MPI_CHECK(MPI_Comm_size(MPI_COMM_WORLD, &ranks));
    const std::string mine = serialized();
    const int length = static_cast<int>(mine.size());
    std::vector<int> lengths(ranks), begins(ranks + 1, 0);
    TRIDENT_MPI_CHECK(
        MPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, MPI_COMM_WORLD));
    for (int r = 0; r < ranks; ++r) begins[r + 1] = begins[r] + lengths[r];
    std::string all(begins[ranks], ' ');
    TRIDENT_MPI_CHECK(MPI_Gatherv(mine.data(), length, MPI_CHAR, all.data(), lengths.data(),
                                  begins.data(), MPI_CHAR, 0, MPI_COMM_WORLD));
    Counters sum;
    std::istringstream lines(all);
    Count count;
    for (std::string name; std::getline(lines, name);) {
      lines >> count.products >> count.expected >> count.seen >> count.failed;
      lines.ignore();
      sum.add(name, count);
    }
    return sum;
  }

  void print() const {
    std::printf("| dimension | products | exceptions expected | seen | failed |\n");
    std::printf("| --- | --- | --- | --- | --- |\n");
    for (const auto& row : counts_)
      std::printf("| %s | %lld | %lld | %lld | %lld |\n", row.first.c_str(), row.second.products,
                  row.second.expected, row.second.seen, row.second.failed);
  }

 private:
  std::string serialized() const {
    std::ostringstream text;
    for (const auto& row : counts_)
      text << row.first << "\n"
           << row.second.products << " " << row.second.expected << " " << row.second.seen << " "
           << row.second.failed << "\n";
    return text.str();
  }
  std::map<std::string, Count> counts_;
};

}  // namespace PublicStress
}  // namespace TridentTest

#endif
