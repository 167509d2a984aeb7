// SPDX-License-Identifier: BSD-3-Clause
// The world in parts, several times over: communicators that are made, used side by side, and
// freed.
#ifndef TRIDENT_PUBLIC_PARTS_HPP
#define TRIDENT_PUBLIC_PARTS_HPP

#include <memory>
#include <string>
#include <vector>

#include "Public_Arguments.hpp"
#include "Trident_TestMatrices.hpp"
#include "base/Trident_Mpi.hpp"
#include "exchange/Trident_Context.hpp"

namespace TridentTest {
namespace PublicStress {

/// A communicator that is freed with its owner. Freeing is collective.
class OwnedComm {
 public:
  explicit OwnedComm(MPI_Comm raw) : raw_(raw), comm_(new Teuchos::MpiComm<int>(raw_)) {}
  ~OwnedComm() { TRIDENT_MPI_CHECK_NOTHROW(MPI_Comm_free(&raw_)); }
  OwnedComm(const OwnedComm&) = delete;
  OwnedComm& operator=(const OwnedComm&) = delete;

  static std::unique_ptr<OwnedComm> duplicate(MPI_Comm comm) {
    MPI_Comm made = MPI_COMM_NULL;
    TRIDENT_MPI_CHECK(MPI_Comm_dup(comm, &made));
    return std::make_unique<OwnedComm>(made);
  }
  MPI_Comm raw() const { return raw_; }
  CommPtr teuchos() const { return comm_; }

 private:
  MPI_Comm raw_;
  CommPtr comm_;
};

/// The part of a communicator that outlives a product: a plan that is used again later.
struct Kept {
  virtual ~Kept() = default;
};

/// A part of the world, as one of its members sees it.
struct Part {
  std::unique_ptr<OwnedComm> products, twin;  ///< communicator of factors, and a duplicate
  std::unique_ptr<OwnedComm> judge;           ///< communicator of the tests' own agreement
  std::unique_ptr<Kept> kept;                 ///< ends first
  std::string text;
  std::vector<std::string> tags;

  CommPtr comm() const { return products->teuchos(); }
  int rank() const { return comm()->getRank(); }
  int size() const { return comm()->getSize(); }
};

/// The world in parts: one, some of unequal size, or each rank alone; with members in some order,
/// and maybe ranks that belong to none. Making one is collective over the world, ending one over
/// each part.
class Split {
 public:
  /// @param random of the world: every rank draws the same
  Split(Random& random, int number, const Arguments& arguments) : number_(number) {
    int rank = 0, ranks = 1;
    TRIDENT_MPI_CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    TRIDENT_MPI_CHECK(MPI_Comm_size(MPI_COMM_WORLD, &ranks));
    drawColors(random, ranks, arguments.with("parts"));
    const bool reordered = arguments.with("parts") && random.chance(0.5);
    std::vector<int> keys(ranks), hosts(ranks);
    for (int& key : keys) key = reordered ? random.below(ranks) : 0;
    const bool duplicated = random.chance(0.4);
    const bool hostsGiven = arguments.with("hosts") && random.chance(0.3);
    const int hostCount = random.between(1, 3);
    for (int& host : hosts) host = random.below(hostCount);

    MPI_Comm raw = MPI_COMM_NULL;
    const int color = colors_[rank];
    TRIDENT_MPI_CHECK(
        MPI_Comm_split(MPI_COMM_WORLD, color < 0 ? MPI_UNDEFINED : color, keys[rank], &raw));
    if (raw == MPI_COMM_NULL) return;
    part_ = std::make_unique<Part>();
    part_->products = std::make_unique<OwnedComm>(raw);
    if (duplicated) part_->products = OwnedComm::duplicate(raw);  // the first one ends
    part_->twin = OwnedComm::duplicate(part_->products->raw());
    part_->judge = OwnedComm::duplicate(part_->products->raw());
    if (hostsGiven) giveHosts(hosts);
    describe(color, reordered, duplicated, hostsGiven);
  }
  ~Split() {
    if (part_) part_->kept.reset();
  }

  /// Returns this rank's part; null if it belongs to none.
  Part* part() const { return part_.get(); }
  int color() const { return colors_[worldRank()]; }
  /// Returns the colors by rank of the world; negative: none.
  const std::vector<int>& colors() const { return colors_; }
  int parts() const { return parts_; }
  int number() const { return number_; }

 private:
  static int worldRank() {
    int rank = 0;
    TRIDENT_MPI_CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    return rank;
  }

  void drawColors(Random& random, int ranks, bool inParts) {
    const double kind = random.real();
    const bool whole = !inParts || kind < 0.2, alone = !whole && kind < 0.24;
    const int most = std::min(5, std::max(2, ranks / 2));
    parts_ = whole ? 1 : alone ? ranks : random.between(2, most);
    const bool someOut = inParts && random.chance(0.15);
    colors_.resize(ranks);
    for (int r = 0; r < ranks; ++r) {
      // Of two draws the lower, so that parts are of unequal size.
      const int drawn = std::min(random.below(parts_), random.below(parts_));
      colors_[r] = alone ? r : drawn;
      if (someOut && random.chance(0.3)) colors_[r] = -1;
    }
  }

  void giveHosts(const std::vector<int>& hosts) const {
    std::vector<int> labels(part_->size());
    for (int r = 0; r < part_->size(); ++r) labels[r] = hosts[r];
    Trident::Impl::Context::create(part_->products->raw(), labels);
  }

  void describe(int color, bool reordered, bool duplicated, bool hostsGiven) const {
    const int size = part_->size();
    std::vector<std::string>& tags = part_->tags;
    tags.push_back(size == 1 ? "parts of one rank" : "parts of several ranks");
    tags.push_back("world in parts: " + std::string(parts_ == 1   ? "1"
                                                    : parts_ <= 5 ? "2 to 5"
                                                                  : "more"));
    if (reordered) tags.push_back("communicator: ranks reordered");
    if (duplicated) tags.push_back("communicator: a duplicate");
    if (hostsGiven) tags.push_back("communicator: hosts given");
    part_->text = "split " + std::to_string(number_) + " part " + std::to_string(color) + " (" +
                  std::to_string(size) + " ranks" + (reordered ? ", reordered" : "") +
                  (duplicated ? ", duplicate" : "") + (hostsGiven ? ", hosts given" : "") + ")";
  }

  const int number_;
  int parts_ = 1;
  std::vector<int> colors_;
  std::unique_ptr<Part> part_;
};

}  // namespace PublicStress
}  // namespace TridentTest

#endif
