// SPDX-License-Identifier: BSD-3-Clause
#include <map>
#include <utility>

#include "grid/Trident_Communicator.hpp"
#include "grid/Trident_GridShape.hpp"
#include "transport/Trident_Line.hpp"
#include "transport/Trident_Messages.hpp"

namespace Trident::Impl {
namespace {

// One tag is enough, because messages between two ranks do not overtake each other.
constexpr int lineTag = 2;

class MpiTransfers : public Transfers {
 public:
  /// @param messageBytes the line's limit of a message's length, which may change between transfers
  MpiTransfers(MPI_Comm comm, const std::size_t& messageBytes)
      : comm_(comm), messageBytes_(messageBytes) {}

  void send(const void* data, std::size_t bytes, int member) override {
    postSend(data, bytes, member, lineTag, comm_, messageBytes_, requests_);
  }
  void receive(void* data, std::size_t bytes, int member) override {
    postReceive(data, bytes, member, lineTag, comm_, messageBytes_, requests_);
  }
  bool test() override {
    testAll(requests_);
    return requests_.empty();
  }
  void wait() override { waitAll(requests_); }

 private:
  MPI_Comm comm_;
  const std::size_t& messageBytes_;
  std::vector<MPI_Request> requests_;
};

class MpiLine : public Line {
 public:
  MpiLine(MPI_Comm line, std::vector<bool> internode, std::size_t messageBytes)
      : comm_(Communicator::duplicate(line)),
        internode_(std::move(internode)),
        messageBytes_(messageBytes) {}

  std::vector<int> peers() override { return othersFrom(comm_.rank(), comm_.size()); }
  std::unique_ptr<Transfers> open() override {
    return std::make_unique<MpiTransfers>(comm_.get(), messageBytes_);
  }
  void limitMessages(std::size_t bytes) override { messageBytes_ = bytes; }
  /// Returns a member's rank in MPI_COMM_WORLD. Asks MPI only once for each member, because each
  /// question takes MPI as many steps as there are ranks.
  int worldRank(int member) noexcept override {
    try {
      const auto [known, isNew] = worldRanks_.try_emplace(member, -1);
      if (isNew) known->second = worldRankOf(comm_.get(), member);
      return known->second;
    } catch (...) {
      return -1;
    }
  }
  void count(int owner, std::size_t bytes, Traffic& traffic) const override {
    traffic.count(internode_[owner], static_cast<long long>(bytes),
                  messageCount(bytes, messageBytes_));
  }

 private:
  Communicator comm_;
  std::vector<bool> internode_;
  std::map<int, int> worldRanks_;  // known world ranks, by member
  std::size_t messageBytes_;
};

}  // namespace

std::unique_ptr<Line> makeMpiLine(MPI_Comm line, std::vector<bool> internode,
                                  std::size_t messageBytes) {
  return std::make_unique<MpiLine>(line, std::move(internode), messageBytes);
}

}  // namespace Trident::Impl
