// SPDX-License-Identifier: BSD-3-Clause
#include "TridentClustering_MclColumns.hpp"

#include <algorithm>
#include <vector>

namespace Trident {
namespace Clustering {

MclColumns::MclColumns(std::int64_t nodes, int place)
    : width_(static_cast<int>(std::to_string(nodes).size())), place_(place) {}

void MclColumns::begin(std::string& text, std::int64_t column) {
  const std::string number = std::to_string(column);
  text += number;
  text.append(static_cast<std::size_t>(width_) - std::min<std::size_t>(number.size(), width_), ' ');
  place_ = placeAfterBegin();
}

void MclColumns::add(std::string& text, const char* word, std::size_t length) {
  if (breaksAt(place_)) text.append("\n").append(static_cast<std::size_t>(width_) + 2, ' ');
  text += ' ';
  text.append(word, length);
  place_ = placeAfter(place_, length);
}

void MclColumns::end(std::string& text) { text += " $\n"; }

int MclColumns::placeAfter(int place, std::size_t length) const {
  return (breaksAt(place) ? width_ + 2 : place) + 1 + static_cast<int>(length);
}

PlacesOfLine::PlacesOfLine(const MclColumns& columns) : columns_(columns) {
  for (std::size_t place = 0; place < places; ++place)
    after_[place] = static_cast<unsigned char>(place);
}

void PlacesOfLine::begin() { after_.fill(static_cast<unsigned char>(columns_.placeAfterBegin())); }

void PlacesOfLine::add(std::size_t length) {
  for (unsigned char& place : after_)
    place = static_cast<unsigned char>(columns_.placeAfter(place, length));
}

int PlacesOfLine::placeOfFirst(const Comm& comm) const {
  std::vector<unsigned char> all;
  collectively(comm, [&] { all.resize(places * static_cast<std::size_t>(comm.size())); });
  checkMpi(MPI_Allgather(after_.data(), static_cast<int>(places), MPI_UNSIGNED_CHAR, all.data(),
                         static_cast<int>(places), MPI_UNSIGNED_CHAR, comm.get()),
           "MPI_Allgather");
  std::size_t place = 0;
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(comm.rank()); ++rank)
    place = all[rank * places + place];
  return static_cast<int>(place);
}

}  // namespace Clustering
}  // namespace Trident
