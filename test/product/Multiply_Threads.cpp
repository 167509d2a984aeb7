// SPDX-License-Identifier: BSD-3-Clause
// Several threads of a process inside Trident at once, on communicators of their own: each call
// gives the right product, or an exception on every rank of its communicator that says so.
//
// Teuchos and Tpetra are not thread-safe, so all that the threads need is made before them.

#include <Teuchos_UnitTestHarness.hpp>
#include <iostream>
#include <thread>

#include "Trident_MultiplyPlan.hpp"
#include "Trident_TestErrors.hpp"
#include "Trident_TestNeeds.hpp"
#include "base/Trident_Threads.hpp"
#include "exchange/Trident_Context.hpp"

namespace {

using namespace TridentTest;
using Plan = Trident::MultiplyPlan<double, LO, GO, matrix_type::node_type>;

constexpr int threadCount = 3, callCount = 50;
const char* const refusal = "another thread of this process is inside Trident";

bool threadsMayCallMpi() {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  return level == MPI_THREAD_MULTIPLE;
}

/// Returns true if threads that did not initialize Kokkos may use it.
bool kokkosWorksOnAnyThread() {
  bool works = false;
  std::thread([&] { works = Trident::Impl::SingleThreadGuard::kokkosWorks(); }).join();
  return works;
}

const char* const noThreads = "Kokkos' OpenMP works on the thread that initialized it alone";

/// The products of one thread on a communicator that is its own, and their outcome.
struct Work {
  CommPtr comm = world()->duplicate();
  Fixture f{comm};
  Teuchos::RCP<Teuchos::ParameterList> list = tridentList();
  std::vector<MatrixPtr> results;
  std::vector<std::string> said;  ///< message of each call that threw

  Work() : said(callCount) {
    list->sublist("Trident").set("ranks per node", 1).sublist("expert").set("exchange", "prefetch");
    for (int n = 0; n < callCount; ++n) results.push_back(newResult(*f.A));
  }
  /// Forms products; by the work's thread.
  template <class Product>
  void run(Product&& product) {
    for (int n = 0; n < callCount; ++n) try {
        product(*this, *results[n]);
      } catch (const std::exception& e) {
        said[n] = e.what();
      }
  }
  /// Returns the fault of one call, here; `refused` counts. Collective over `comm`.
  std::string verdict(int n, int& refused) const {
    const bool threw = !said[n].empty();
    if (threw && said[n].find(refusal) == std::string::npos) return everywhere(*comm, said[n]);
    const int mine = threw;
    int any = 0, all = 0;
    MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, Trident::Impl::rawComm(*comm));
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, Trident::Impl::rawComm(*comm));
    if (any != all) return "refused on some ranks alone";
    refused += threw;
    if (threw) return results[n]->isFillComplete() ? "refused, and C changed" : "";
    return everywhere(*comm, checkEntries(*results[n], Expected(f.a, f.b), f.rows, f.cols, true));
  }
};

template <class Product>
void runThreads(std::vector<Work>& works, Product&& product) {
  std::vector<std::thread> threads;
  for (Work& work : works) threads.emplace_back([&] { work.run(product); });
  for (std::thread& thread : threads) thread.join();
}

std::string verdict(const std::vector<Work>& works) {
  int refused = 0;
  for (const Work& work : works)
    for (int n = 0; n < callCount; ++n) {
      const std::string problem = everywhere(*world(), work.verdict(n, refused));
      if (!problem.empty()) return say("call ", n, ": ", problem);
    }
  if (world()->getRank() == 0)
    std::cout << refused << " of " << threadCount * callCount << " calls refused\n";
  return "";
}

// Threads also make the contexts of the communicators.
TEUCHOS_UNIT_TEST(SeveralThreads, ProductsOnCommunicatorsOfTheirOwn) {
  TRIDENT_TEST_NEEDS(threadsMayCallMpi(), "MPI does not give MPI_THREAD_MULTIPLE");
  TRIDENT_TEST_NEEDS(kokkosWorksOnAnyThread(), noThreads);
  std::vector<Work> works(threadCount);
  runThreads(works, [](Work& w, matrix_type& C) { Trident::Multiply(*w.f.A, *w.f.B, C, w.list); });
  TRIDENT_TEST_OK(verdict(works));
  for (Work& work : works)  // and afterwards nothing is in the way
    TRIDENT_TEST_OK(expectUsable(work.f, *newResult(*work.f.A)));
}

TEUCHOS_UNIT_TEST(SeveralThreads, PlansOnCommunicatorsOfTheirOwn) {
  TRIDENT_TEST_NEEDS(threadsMayCallMpi(), "MPI does not give MPI_THREAD_MULTIPLE");
  TRIDENT_TEST_NEEDS(kokkosWorksOnAnyThread(), noThreads);
  std::vector<Work> works(threadCount);
  std::vector<Plan> plans;
  for (Work& work : works) {
    work.results.assign(callCount, work.results[0]);
    plans.emplace_back(*work.f.A, *work.f.B, *work.results[0], work.list);
  }
  runThreads(works, [&](Work& w, matrix_type& C) {
    plans[&w - works.data()].multiply(*w.f.A, *w.f.B, C);
  });
  int refused = 0;
  for (const Work& work : works)
    for (int n = 0; n < callCount; ++n) {
      const bool threw = !work.said[n].empty();
      refused += threw;
      if (threw) TEST_ASSERT(work.said[n].find(refusal) != std::string::npos);
    }
  for (Work& work : works) {
    plans[&work - works.data()].multiply(*work.f.A, *work.f.B, *work.results[0]);
    TRIDENT_TEST_OK(
        everywhere(*world(), checkEntries(*work.results[0], Expected(work.f.a, work.f.b),
                                          work.f.rows, work.f.cols, true)));
  }
  if (world()->getRank() == 0)
    std::cout << refused << " of " << threadCount * callCount << " calls refused\n";
}

// One thread of one rank is inside for all the time: no call of another goes through, on any rank.
TEUCHOS_UNIT_TEST(OneThreadInside, RefusesOnOneRankAndAllThrow) {
  TRIDENT_TEST_NEEDS(threadsMayCallMpi(), "MPI does not give MPI_THREAD_MULTIPLE");
  const Fixture f(world());
  const MatrixPtr C = newResult(*f.A), planned = newResult(*f.A);
  const Plan plan(*f.A, *f.B, *planned);
  const CommPtr fresh = world()->duplicate();
  const MPI_Comm raw = Trident::Impl::rawComm(*fresh);
  const auto busy = [&](auto&& call) {
    std::string problem;
    if (world()->getRank() > 0)
      problem = expectThrow<Trident::Error>(*world(), {refusal, "seen on rank 0"}, call);
    else {
      const Trident::Impl::SingleThreadGuard inside;
      std::thread other([&] { problem = expectThrow<Trident::Error>(*world(), {refusal}, call); });
      other.join();
    }
    return problem;
  };
  const auto list = tridentList();
  TRIDENT_TEST_OK(busy([&] { Trident::Multiply(*f.A, *f.B, *C); }));
  TRIDENT_TEST_OK(busy([&] { Trident::Multiply(*f.A, false, *f.B, false, *C, true, "l", list); }));
  TRIDENT_TEST_OK(busy([&] { Plan(*f.A, *f.B, *C); }));
  TRIDENT_TEST_OK(busy([&] { plan.multiply(*f.A, *f.B, *planned); }));
  TRIDENT_TEST_OK(busy([&] { Trident::Impl::Context::of(raw); }));
  TRIDENT_TEST_OK(
      busy([&] { Trident::Impl::Context::create(raw, std::vector<int>(world()->getSize(), 0)); }));
  Trident::Impl::Context::of(raw);
  Trident::Impl::Context::release(raw);
  TRIDENT_TEST_OK(expectUsable(f, *C));
  plan.multiply(*f.A, *f.B, *planned);
}

// The same thread may come in again, and every way out lets others in.
TEUCHOS_UNIT_TEST(Threads, EntriesNestAndEnd) {
  const Fixture f(world());
  const MatrixPtr C = newResult(*f.A);
  {
    const Trident::Impl::SingleThreadGuard inside;
    const Trident::Impl::SingleThreadGuard again;
    TEST_EQUALITY(Trident::Impl::SingleThreadGuard::problem(), "");
    TRIDENT_TEST_OK(expectThrow<Trident::Error>(*world(), {"of its own"},
                                                [&] { Trident::Multiply(*f.A, *f.B, *f.A); }));
    TRIDENT_TEST_OK(expectUsable(f, *C));
  }
  TRIDENT_TEST_OK(expectThrow<std::exception>(*world(), {"gird"}, [&] {
    const auto list = tridentList();
    list->sublist("Trident").set("gird", 1);
    Trident::Multiply(*f.A, *f.B, *newResult(*f.A), list);
  }));
  std::string problem = "not run";
  std::thread([&] {
    const Trident::Impl::SingleThreadGuard inside;
    problem = Trident::Impl::SingleThreadGuard::refused() ? "refused" : "";
  }).join();
  TEST_EQUALITY(problem, "");
}

// One rank calls from a thread on which Kokkos does not work: all ranks throw.
TEUCHOS_UNIT_TEST(OtherThread, IsRefusedWhereKokkosDoesNotWork) {
  TRIDENT_TEST_NEEDS(!kokkosWorksOnAnyThread(), "Kokkos works on any thread");
  TRIDENT_TEST_NEEDS(threadsMayCallMpi(), "MPI does not give MPI_THREAD_MULTIPLE");
  const Fixture f(world());
  const MatrixPtr C = newResult(*f.A);
  std::string problem;
  const auto call = [&] {
    problem = expectThrow<Trident::Error>(*world(), {"initialized Kokkos"},
                                          [&] { Trident::Multiply(*f.A, *f.B, *C); });
  };
  if (world()->getRank() == 0)
    std::thread(call).join();
  else
    call();
  TRIDENT_TEST_OK(problem);
  TRIDENT_TEST_OK(expectUsable(f, *C));
}

}  // namespace
