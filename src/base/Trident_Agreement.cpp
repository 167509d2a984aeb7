// SPDX-License-Identifier: BSD-3-Clause
#include "base/Trident_Agreement.hpp"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <utility>
#include <vector>

#include "Trident_Error.hpp"
#include "base/Trident_Mpi.hpp"

namespace Trident::Impl {

namespace {

struct Ranks {
  int me = 0, size = 1;
  explicit Ranks(MPI_Comm comm) {
    TRIDENT_MPI_CHECK(MPI_Comm_rank(comm, &me));
    TRIDENT_MPI_CHECK(MPI_Comm_size(comm, &size));
  }
};

/// Returns the text of rank `root`, on all ranks. Collective.
std::string textOf(MPI_Comm comm, int root, const std::string& mine) {
  int length = static_cast<int>(mine.size());
  broadcast(&length, 1, MPI_INT, root, comm, "the length of a message");
  std::vector<char> text(mine.begin(), mine.end());
  text.resize(length);
  broadcast(text.data(), length, MPI_CHAR, root, comm, "a message");
  return std::string(text.begin(), text.end());
}

/// Returns the lowest rank that has a text; the number of ranks if none has. Collective.
int firstWithText(MPI_Comm comm, const Ranks& ranks, const std::string& text, const char* what) {
  const int mine = text.empty() ? ranks.size : ranks.me;
  int first = ranks.size;
  allReduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm, what);
  return first;
}

/// Returns the problem of rank `first`, with the number of that rank added. Collective.
std::string thrownText(MPI_Comm comm, const Ranks& ranks, int first, const std::string& problem) {
  std::string what = textOf(comm, first, problem);
  if (ranks.size > 1)
    what +=
        " (first seen on rank " + std::to_string(first) + " of " + std::to_string(ranks.size) + ")";
  return what;
}

/// Returns the text that all ranks must throw; an empty text if no rank has a problem. Collective.
std::string agreedProblem(MPI_Comm comm, const std::string& problem) {
  const Ranks ranks(comm);
  const int first = firstWithText(comm, ranks, problem, "all ranks to agree that none has failed");
  return first < ranks.size ? thrownText(comm, ranks, first, problem) : std::string();
}

using Hash = std::uint64_t;

/// Hashes bytes by FNV-1a. Continues from `hash`, the hash of earlier bytes.
Hash hashOf(const void* bytes, std::size_t size, Hash hash = 14695981039346656037ull) {
  for (std::size_t b = 0; b < size; ++b)
    hash = (hash ^ static_cast<const unsigned char*>(bytes)[b]) * 1099511628211ull;
  return hash;
}

/// Returns a hash of each value: of its name, a zero byte and its text.
std::vector<Hash> hashesOf(const CollectiveArguments& values) {
  std::vector<Hash> hashes;
  for (const CollectiveArgument& value : values)
    hashes.push_back(hashOf(value.text.data(), value.text.size(),
                            hashOf(value.name.c_str(), value.name.size() + 1)));
  return hashes;
}

void minimum(MPI_Comm comm, std::vector<Hash>& values) {
  allReduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_UINT64_T, MPI_MIN,
            comm, "all ranks to compare what they pass");
}

/// The least and the largest of all ranks' numbers. The constructor is collective.
struct Span {
  Hash least, largest;
  Span(MPI_Comm comm, Hash mine) {
    std::vector<Hash> both{mine, ~mine};
    minimum(comm, both);
    least = both[0];
    largest = ~both[1];
  }
};

/// Returns the first index at which the ranks' lists differ. The lists must differ. Collective.
std::size_t firstDifference(MPI_Comm comm, const std::vector<Hash>& mine) {
  const Span length(comm, mine.size());
  const std::size_t count = length.least;
  std::vector<Hash> least(mine.begin(), mine.begin() + static_cast<std::ptrdiff_t>(count));
  for (std::size_t v = 0; v < count; ++v) least.push_back(~mine[v]);
  minimum(comm, least);
  std::size_t v = 0;
  while (v < count && least[v] == ~least[count + v]) ++v;
  return v;
}

[[noreturn]] void throwDifference(MPI_Comm comm, const std::string& function, const Ranks& ranks,
                                  const CollectiveArguments& values,
                                  const std::vector<Hash>& hashes) {
  const std::size_t at = firstDifference(comm, hashes);
  const bool have = at < values.size();
  const Hash mine = have ? hashes[at] : 0;
  const Span span(comm, mine);
  int owners[] = {mine == span.least ? ranks.me : ranks.size,
                  mine == span.largest ? ranks.me : ranks.size};
  allReduce(MPI_IN_PLACE, owners, 2, MPI_INT, MPI_MIN, comm, "all ranks to compare what they pass");
  if (owners[0] > owners[1]) std::swap(owners[0], owners[1]);
  std::string name, what;
  for (int o = 0; o < 2; ++o) {
    const std::string its = textOf(comm, owners[o], have ? values[at].name : "");
    const std::string text = textOf(comm, owners[o], have ? values[at].text : "not given");
    if (name.empty()) name = its;
    what += (o == 0 ? " is " : " and ") + text + " on rank " + std::to_string(owners[o]);
  }
  throw Error(function, name + what + "; pass the same on every rank");
}

}  // namespace

void throwEverywhere(MPI_Comm comm, const std::string& problem) {
  const std::string what = agreedProblem(comm, problem);
  if (!what.empty()) throw Error(what);
}

void throwEverywhere(MPI_Comm comm, const std::string& function, const std::string& problem) {
  const std::string what = agreedProblem(comm, problem);
  if (!what.empty()) throw Error(function, what);
}

bool isSingleRank(MPI_Comm comm) { return Ranks(comm).size == 1; }

std::string firstText(MPI_Comm comm, const std::string& text) {
  const Ranks ranks(comm);
  const int first = firstWithText(comm, ranks, text, "all ranks to say what is wrong");
  return first < ranks.size ? textOf(comm, first, text) : std::string();
}

void requireConsistent(MPI_Comm comm, const std::string& function, const std::string& problem,
                       const CollectiveArguments& values, const std::string& later, bool* any) {
  const Ranks ranks(comm);
  const std::vector<Hash> hashes = hashesOf(values);
  const Hash digest = hashOf(hashes.data(), hashes.size() * sizeof(Hash));
  const Hash size = static_cast<Hash>(ranks.size), me = static_cast<Hash>(ranks.me);
  // Every call reduces equally many numbers, because ranks may be in different calls by mistake.
  std::vector<Hash> all{problem.empty() ? size : me, digest, ~digest, later.empty() ? size : me,
                        any && *any ? me : size};
  minimum(comm, all);
  if (any) *any = all[4] < size || all[1] != ~all[2];
  if (all[0] < size)
    throw Error(function, thrownText(comm, ranks, static_cast<int>(all[0]), problem));
  if (all[1] != ~all[2]) throwDifference(comm, function, ranks, values, hashes);
  if (all[3] < size)
    throw Error(function, thrownText(comm, ranks, static_cast<int>(all[3]), later));
}

void LocalFailure::keepCurrentException() {
  try {
    throw;
  } catch (const Error& e) {
    text_ = e.problem();  // without the function's name, which ranks add when they agree
  } catch (const std::exception& e) {
    text_ = e.what();
  } catch (...) {
    text_ = "an exception of unknown type";
  }
  if (text_.empty()) text_ = "an exception without text";
}

}  // namespace Trident::Impl
