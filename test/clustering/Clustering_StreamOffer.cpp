// SPDX-License-Identifier: BSD-3-Clause
// The standard streams go to processes of the same user, and to no others.

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <Teuchos_UnitTestHarness.hpp>
#include <exception>

#include "TridentClustering_StreamOffer.hpp"
#include "Trident_TestNeeds.hpp"

namespace {

using namespace Trident::Clustering;

/// Returns the result of work() in a process of its own; false where that takes a minute.
template <class Work>
bool inChild(const Work& work) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(work() ? 0 : 1);
  }
  int status = 1;
  waitpid(child, &status, 0);
  return status == 0;
}

bool unmapUsers() { return unshare(CLONE_NEWUSER) == 0; }
bool becomeAnother() { return setuid(65533) == 0; }
bool stay() { return true; }

/// Returns true if a process that has done `first` gives its streams to one that has done `then`,
/// too.
bool given(bool first(), bool then()) {
  return inChild([&] {
    if (!first()) return false;
    StreamOffer offer;
    const pid_t child = fork();
    if (child == 0) {
      try {
        if (then()) takeStreams(offer.name());
      } catch (const std::exception&) {  // as it should
      }
      _exit(0);
    }
    const bool answer = offer.answer();
    waitpid(child, nullptr, 0);
    return answer;
  });
}

TEUCHOS_UNIT_TEST(StreamOffer, ToTheSameUser) {
  TEST_EQUALITY(given(stay, stay), geteuid() != 65534);
}

TEUCHOS_UNIT_TEST(StreamOfferToOthers, GivesNothing) {
  TRIDENT_TEST_NEEDS(inChild(becomeAnother), "this user cannot become another one");
  TEST_ASSERT(!given(stay, becomeAnother));
}

// There all have one number.
TEUCHOS_UNIT_TEST(StreamOfferAmongUnknown, GivesNothing) {
  TRIDENT_TEST_NEEDS(inChild(unmapUsers), "user namespaces are not permitted");
  TEST_ASSERT(!given(unmapUsers, stay));
}

}  // namespace
