// SPDX-License-Identifier: BSD-3-Clause
#include "Trident_FailingNew.hpp"

#include <Kokkos_Core.hpp>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

constexpr std::size_t ofObjects = 48;  // bytes; less is a few characters or numbers
std::size_t least = ofObjects;
const char* last = nullptr;  // the view that ends it, by its label
int numSeen = 0, numPhases = 0, numViews = 0;
int failing = TridentTest::FailingNew::never, phasesBefore = 0, viewsBefore = 0;
int depth = 0;  // of regions inside the export phase, with it
bool launching = false;

/// Returns true if a region is the phase "export" of some function.
bool isExport(const char* name) {
  return std::strncmp(name, "Trident: ", 9) == 0 && std::strstr(name, ": export");
}

void push(const char* name) {
  const bool begins = depth == 0 && isExport(name);
  if (begins) {
    ++numPhases;
    numViews = 0;
  }
  if (depth > 0 || begins) ++depth;
}
void pop() {
  if (depth > 0) --depth;
}
void noteView(Kokkos::Tools::SpaceHandle, const char* name, const void*, std::uint64_t) {
  if (last && std::strcmp(name, last) == 0) depth = 0;
  if (depth > 0 && std::strncmp(name, "Trident::", 9) == 0) ++numViews;
}
// Notes the launch of a kernel, so that nothing fails inside of it. nvcc keeps a kernel's lambda on
// the heap, and Kokkos counts no references to views any more after copying one has failed.
void beginKernel(const char*, std::uint32_t, std::uint64_t*) { launching = true; }
void endKernel(std::uint64_t) { launching = false; }

void noteKernels(decltype(&beginKernel) begin, decltype(&endKernel) end) {
  Kokkos::Tools::Experimental::set_begin_parallel_for_callback(begin);
  Kokkos::Tools::Experimental::set_begin_parallel_reduce_callback(begin);
  Kokkos::Tools::Experimental::set_begin_parallel_scan_callback(begin);
  Kokkos::Tools::Experimental::set_end_parallel_for_callback(end);
  Kokkos::Tools::Experimental::set_end_parallel_reduce_callback(end);
  Kokkos::Tools::Experimental::set_end_parallel_scan_callback(end);
}

bool failNow(std::size_t bytes) {
  const bool counts =
      numPhases > phasesBefore + 1 || (numPhases == phasesBefore + 1 && numViews >= viewsBefore);
  return depth > 0 && counts && !launching && bytes >= least && numSeen++ == failing;
}

// Throws if memory lacks; apart, because nvcc takes operator new for device code too, which cannot
// throw.
void requireMemory(const void* memory) {
  if (!memory) throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t bytes) {
  void* const memory = failNow(bytes) ? nullptr : std::malloc(bytes);
  requireMemory(memory);
  return memory;
}
// Allocates by malloc(), so that what the sanitizer's own would allocate is not freed by ours.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return failNow(bytes) ? nullptr : std::malloc(bytes);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace TridentTest {

FailingNew::FailingNew(int number, int phases, int views)
    : FailingNew(number, phases, views, ofObjects, nullptr) {}

FailingNew::FailingNew(int number, int phases, int views, std::size_t bytes, const char* label) {
  least = bytes;
  last = label;
  depth = numSeen = numPhases = numViews = 0;
  launching = false;
  failing = number;
  phasesBefore = phases;
  viewsBefore = views;
  Kokkos::Tools::Experimental::set_push_region_callback(push);
  Kokkos::Tools::Experimental::set_pop_region_callback(pop);
  Kokkos::Tools::Experimental::set_allocate_data_callback(noteView);
  noteKernels(beginKernel, endKernel);
}

FailingNew::~FailingNew() {
  end();
  Kokkos::Tools::Experimental::set_push_region_callback(nullptr);
  Kokkos::Tools::Experimental::set_pop_region_callback(nullptr);
  Kokkos::Tools::Experimental::set_allocate_data_callback(nullptr);
  noteKernels(nullptr, nullptr);
}

int FailingNew::seen() { return numSeen; }
int FailingNew::phases() { return numPhases; }
int FailingNew::views() { return numViews; }
void FailingNew::end() { depth = 0; }

}  // namespace TridentTest
