// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_GRIDSHAPE_HPP
#define TRIDENT_GRIDSHAPE_HPP

#include <algorithm>
#include <string>
#include <vector>

#include "base/Trident_Types.hpp"

namespace Trident {

/// The coordinates of a rank: row i and column j of its node, and index k inside the node.
struct GridCoordinates {
  int i;  ///< row of the node
  int j;  ///< column of the node
  int k;  ///< index in the node
};

/// The order in which the nodes of a grid work on the segments.
enum class RoundOrder {
  Cannon,  ///< the paper's order: in a round, the nodes of a line ask different owners
  Summa    ///< segment t in round t on all nodes, so that slices can be broadcast
};

/// The trident grid p_r × p_c × λ and the arithmetic of its schedule; has no communicator.
///
/// Ranks are numbered node by node, in row-major order of the nodes, and inside a node by k. So a
/// node is λ consecutive ranks, and a node row is consecutive nodes. The inner index space has S =
/// lcm(p_r, p_c) segments. Segment s lies in tile column s·p_c/S of A and in tile row s·p_r/S of B.
struct GridShape {
  int nodeRows = 1;                       ///< rows of nodes, p_r
  int nodeCols = 1;                       ///< columns of nodes, p_c
  int lambda = 1;                         ///< ranks in a node
  RoundOrder order = RoundOrder::Cannon;  ///< order of the product's rounds

  /// Returns true if this shape has exactly `nodeCount` nodes. Only this function and name() work
  /// for any shape. Other functions need a shape that fills the nodes of a communicator.
  bool fills(int nodeCount) const;
  int nodes() const { return nodeRows * nodeCols; }  ///< number of nodes
  int ranks() const { return nodes() * lambda; }     ///< number of ranks of all nodes
  /// Returns the grid rank of rank k of node (i, j).
  int rank(int i, int j, int k) const { return (i * nodeCols + j) * lambda + k; }
  /// Returns the coordinates of a rank; the inverse of rank().
  TRIDENT_FUNCTION GridCoordinates coordinates(int rank) const {
    const int node = rank / lambda;
    return {node / nodeCols, node % nodeCols, rank % lambda};
  }

  int segments() const;  ///< number of segments, S
  /// Returns the number of segments in each tile row of B.
  int segmentsPerTileRow() const { return segments() / nodeRows; }
  /// Returns the number of segments in each tile column of A.
  int segmentsPerTileCol() const { return segments() / nodeCols; }
  /// Returns the tile row of B in which a segment lies.
  int tileRow(int segment) const { return segment / segmentsPerTileRow(); }
  /// Returns the tile column of A in which a segment lies.
  int tileCol(int segment) const { return segment / segmentsPerTileCol(); }

  /// Returns the segment that node (i, j) works on in round t. In Cannon's order (the paper's
  /// Algorithm 1, for any shape) the nodes of a grid row ask different owners of A in a round. The
  /// nodes of a grid column ask different owners of B.
  int segmentOfRound(int t, int i, int j) const;
  /// Returns the round in which node (i, j) works on a segment; the inverse of segmentOfRound().
  int roundOfSegment(int segment, int i, int j) const;

  /// Returns true if needed rows can travel in place of tiles of B. This requires that tiles of B
  /// travel at all, and that an owner can send different rows to different nodes. A broadcast, as
  /// in SUMMA's order, sends equal rows to all members of a line.
  bool canFetchRows() const { return nodeRows > 1 && order == RoundOrder::Cannon; }

  std::string name() const;  ///< name such as "2x2x4"
  /// Returns true if both shapes have equal numbers and the same order.
  bool operator==(const GridShape& o) const {
    return nodeRows == o.nodeRows && nodeCols == o.nodeCols && lambda == o.lambda &&
           order == o.order;
  }
};

/// Returns the shape of `nodes` nodes that is closest to a square, with p_r ≥ p_c.
GridShape squareShape(int nodes, int lambda);

/// Returns the grid of Sparse SUMMA: every rank is a node of its own, in SUMMA's order.
GridShape summaShape(int rankRows, int rankCols);

/// Returns every shape with p_r·p_c = nodes, in descending order of p_r.
std::vector<GridShape> allShapes(int nodes, int lambda);

}  // namespace Trident

namespace Trident::Impl {

/// The left factor of a product, and the right one.
enum class Factor { A, B };

/// The segments that the members of a line need in each round, as one member sees them. The line is
/// a grid row, along which A's slices travel, or a grid column, along which B's slices travel. Each
/// member needs each segment in one round. A member can compute the rounds of all other members.
class LineSchedule {
 public:
  /// @param me this rank, a member of the line
  /// @param factor the factor that travels along the line
  LineSchedule(const GridShape& shape, const GridCoordinates& me, Factor factor)
      : shape_(shape), me_(me), factor_(factor) {}

  Factor factor() const { return factor_; }         ///< factor that travels along the line
  int rounds() const { return shape_.segments(); }  ///< number of rounds, one for each segment
  /// Returns the number of ranks of the line.
  int members() const { return factor_ == Factor::A ? shape_.nodeCols : shape_.nodeRows; }
  /// Returns this rank's number in the line.
  int ownMember() const { return factor_ == Factor::A ? me_.j : me_.i; }
  /// Returns the member that has a segment.
  int owner(int segment) const {
    return factor_ == Factor::A ? shape_.tileCol(segment) : shape_.tileRow(segment);
  }
  /// Returns the number of segments that each member has.
  int ownSegments() const { return rounds() / members(); }
  /// Returns the first of this rank's segments, which are consecutive.
  int firstOwnSegment() const { return ownMember() * ownSegments(); }
  /// Returns the segment that a member needs in a round.
  int segmentOfRound(int round, int member) const {
    return factor_ == Factor::A ? shape_.segmentOfRound(round, me_.i, member)
                                : shape_.segmentOfRound(round, member, me_.j);
  }
  /// Returns the segment that this rank needs in a round.
  int segmentOfRound(int round) const { return segmentOfRound(round, ownMember()); }
  /// Returns the round in which a member needs a segment; the inverse of segmentOfRound().
  int roundOfSegment(int segment, int member) const {
    return factor_ == Factor::A ? shape_.roundOfSegment(segment, me_.i, member)
                                : shape_.roundOfSegment(segment, member, me_.j);
  }

 private:
  GridShape shape_;
  GridCoordinates me_;
  Factor factor_;
};

/// Returns the other members of a line, in turn, beginning after `me`. So members begin with
/// different peers.
inline std::vector<int> othersFrom(int me, int members) {
  std::vector<int> others;
  for (int step = 1; step < members; ++step) others.push_back((me + step) % members);
  return others;
}

/// One send: an own slice, and the member that gets it.
struct ScheduledSend {
  int round;  ///< round in which the receiver needs the slice
  int slice;  ///< index of the slice among this rank's slices
  int peer;   ///< receiver, a member of the line
};

/// Lists all sends of a rank: each own segment to each peer. Sends are sorted by round. The sends
/// of one round are in the order of `peers`.
inline std::vector<ScheduledSend> sendsInOrder(const LineSchedule& schedule,
                                               const std::vector<int>& peers) {
  std::vector<ScheduledSend> sends;
  sends.reserve(peers.size() * schedule.ownSegments());
  for (int peer : peers)
    for (int slice = 0; slice < schedule.ownSegments(); ++slice)
      sends.push_back(
          {schedule.roundOfSegment(schedule.firstOwnSegment() + slice, peer), slice, peer});
  std::stable_sort(sends.begin(), sends.end(), [](const ScheduledSend& a, const ScheduledSend& b) {
    return a.round < b.round;
  });
  return sends;
}

}  // namespace Trident::Impl

#endif
