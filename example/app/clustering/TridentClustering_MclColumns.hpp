// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTCLUSTERING_MCLCOLUMNS_HPP
#define TRIDENTCLUSTERING_MCLCOLUMNS_HPP

#include <array>
#include <cstdint>
#include <string>

#include "TridentProblems_Comm.hpp"

/// \file TridentClustering_MclColumns.hpp
/// mcl's layout of the columns of a matrix: lines of about 70 characters. Numbers of columns are
/// padded to the digits of the number of nodes; what follows in further lines is indented by two
/// more.

namespace Trident {
namespace Clustering {

using namespace Problems;

/// Columns as text. Local.
class MclColumns {
 public:
  /// \param nodes of the matrix \param place characters in the line, where a column is begun
  explicit MclColumns(std::int64_t nodes, int place = 0);

  void begin(std::string& text, std::int64_t column);
  void add(std::string& text, const char* word, std::size_t length);
  void end(std::string& text);

  /// Returns the characters of a line, after a word is added to one of `place` characters. Lines
  /// are broken before a word, however long it is.
  int placeAfter(int place, std::size_t length) const;
  int placeAfterBegin() const { return width_; }

 private:
  bool breaksAt(int place) const { return place > mostPlace - width_; }

  static constexpr int mostPlace = 69;
  int width_, place_;
};

/// The place in its line after words of known lengths, for each place where a line may begin: so
/// ranks that have parts of one column learn where to break its lines. Words are numbers of nodes.
class PlacesOfLine {
 public:
  explicit PlacesOfLine(const MclColumns& columns);

  void begin();  ///< begins a column
  void add(std::size_t length);

  /// Returns the place of this rank's first word: where the ranks before have ended. Collective.
  int placeOfFirst(const Comm& comm) const;

 private:
  static constexpr std::size_t places = 96;  // more than a line and a number of 20 digits

  const MclColumns& columns_;
  std::array<unsigned char, places> after_{};
};

}  // namespace Clustering
}  // namespace Trident

#endif
