// SPDX-License-Identifier: BSD-3-Clause
// What of MueLu and Xpetra is no template: files of 13.2, and functions that 13.2 has in headers
// and 17.0 has not.
#include <Kokkos_Core.hpp>
#include <Teuchos_LAPACK.hpp>
#include <Teuchos_TimeMonitor.hpp>
#include <Xpetra_Matrix.hpp>

#include "MueLu_Describable.cpp"
#include "MueLu_Exceptions.cpp"
#include "MueLu_Factory.cpp"
#include "MueLu_FactoryBase.cpp"
#include "MueLu_Level.cpp"
#include "MueLu_MasterList.cpp"
#include "MueLu_Monitor.cpp"
#include "MueLu_NoFactory.cpp"
#include "MueLu_ParameterListAcceptor.cpp"
#include "MueLu_ParameterListUtils.cpp"
#include "MueLu_Utilities.cpp"
#include "MueLu_VerboseObject.cpp"
#include "MueLu_VerbosityLevel.cpp"
#define HAVE_XPETRA_TPETRA  // that 17.0 has no choice of
#include <MueLu_SingleLevelFactoryBase.hpp>
#include <MueLu_TwoLevelFactoryBase.hpp>
#include <vector>

#include "Xpetra_Utils.cpp"
#include "muelu_phases.hpp"

namespace MueLu {

namespace Exceptions {
BadCast::~BadCast() = default;
NotImplemented::~NotImplemented() = default;
RuntimeError::~RuntimeError() = default;
Overflow::~Overflow() = default;
Incompatible::~Incompatible() = default;
DependencyError::~DependencyError() = default;
InvalidArgument::~InvalidArgument() = default;
}  // namespace Exceptions

// Timers wait for the device, so that a phase has the seconds of its own kernels, and count what
// runs inside them for itself.
namespace {
struct Running {
  std::string name;
  double start, inside;
};
std::vector<Running> running;
std::map<std::string, double> ownSeconds;
}  // namespace

TimeMonitor::TimeMonitor() = default;
TimeMonitor::TimeMonitor(const BaseClass& object, const std::string& text, MsgType level) {
  SetVerbLevel(object.GetVerbLevel());
  SetProcRankVerbose(object.GetProcRankVerbose());
  const bool silent = IsPrint(NoTimeReport);
  if (!IsPrint(level) || (silent && !IsPrint(RuntimeTimings))) return;
  timer_ = silent ? rcp(new Teuchos::Time("MueLu: " + text))
                  : Teuchos::TimeMonitor::getNewTimer("MueLu: " + text);
  label_ = text;
  Kokkos::fence("MueLu's timer starts");
  running.push_back({label_, Teuchos::Time::wallTime(), 0});
  timer_->start();
  timer_->incrementNumCalls();
}
TimeMonitor::~TimeMonitor() {
  if (timer_.is_null()) return;
  Kokkos::fence("MueLu's timer stops");
  timer_->stop();
  if (running.empty() || running.back().name != label_) return;  // not nested: in its sum alone
  const Running ended = running.back();
  running.pop_back();
  const double passed = Teuchos::Time::wallTime() - ended.start;
  ownSeconds[ended.name] += passed - ended.inside;
  if (!running.empty()) running.back().inside += passed;
}

Monitor::~Monitor() = default;
SubMonitor::~SubMonitor() = default;
FactoryMonitor::~FactoryMonitor() = default;
SubFactoryMonitor::~SubFactoryMonitor() = default;

NoFactory::NoFactory() = default;
NoFactory::~NoFactory() = default;
void NoFactory::CallDeclareInput(Level&) const {}
const RCP<const NoFactory> NoFactory::getRCP() {
  if (noFactory_.is_null()) noFactory_ = rcp(new NoFactory());
  return noFactory_;
}

const Teuchos::ParameterList& ParameterListAcceptorImpl::GetParameterListWithoutValidation() const {
  return paramList_;
}

namespace {
bool isFactory(const ParameterEntry& entry) { return entry.isType<RCP<const FactoryBase>>(); }
}  // namespace

Factory::Factory() = default;
Factory::~Factory() = default;
void Factory::SetFactory(const std::string& name, const RCP<const FactoryBase>& factory) {
  SetParameter(name, ParameterEntry(RCP<const FactoryBase>(factory)));
}
const RCP<const FactoryBase> Factory::GetFactory(const std::string& name) const {
  if (name == "NoFactory") return NoFactory::getRCP();
  const bool known = GetParameterListWithoutValidation().isParameter(name);
  if (!known && GetValidParameterList().is_null())
    return Teuchos::null;  // the level's manager decides
  return GetParameterList().get<RCP<const FactoryBase>>(name);
}
RCP<ParameterList> Factory::RemoveFactoriesFromList(const ParameterList& list) const {
  const auto rest = rcp(new ParameterList(list));
  for (auto entry = list.begin(); entry != list.end(); ++entry)
    if (isFactory(list.entry(entry))) rest->remove(list.name(entry));
  return rest;
}
RCP<const ParameterList> Factory::GetValidParameterList() const { return Teuchos::null; }
void Factory::Input(Level& level, const std::string& name) const { Input(level, name, name); }
void Factory::Input(Level& level, const std::string& name, const std::string& parameter) const {
  level.DeclareInput(name, GetFactory(parameter).get(), this);
}
bool Factory::IsAvailable(Level& level, const std::string& name) const {
  return level.IsAvailable(name, GetFactory(name).get());
}
void Factory::EnableTimerSync() { timerSync_ = true; }
void Factory::DisableTimerSync() { timerSync_ = false; }
void Factory::EnableMultipleCallCheck() const {}
void Factory::DisableMultipleCallCheck() const {}
void Factory::ResetDebugData() const {}
void Factory::EnableMultipleCheckGlobally() {}
void Factory::DisableMultipleCheckGlobally() {}

namespace {

/// Calls `build` as the rank of the level's communicator, between two barriers where timers are to
/// be in step.
template <class Build>
void callBuild(const Factory& factory, Level& level, bool inStep, const Build& build) {
  auto comm = level.GetComm();
  if (comm.is_null() && !level.GetPreviousLevel().is_null())
    comm = level.GetPreviousLevel()->GetComm();
  if (comm.is_null()) return build();
  const int rank = factory.SetProcRankVerbose(comm->getRank());
  const auto wait = [&] {
    if (!inStep) return;
    TimeMonitor timer(factory, factory.ShortClassName() + ": Build sync (level=" +
                                   std::to_string(level.GetLevelID()) + ")");
    comm->barrier();
  };
  wait();
  build();
  wait();
  factory.SetProcRankVerbose(rank);
}

}  // namespace

SingleLevelFactoryBase::SingleLevelFactoryBase() = default;
SingleLevelFactoryBase::~SingleLevelFactoryBase() = default;
void SingleLevelFactoryBase::CallDeclareInput(Level& level) const { DeclareInput(level); }
void SingleLevelFactoryBase::CallBuild(Level& level) const {
  callBuild(*this, level, timerSync_, [&] { Build(level); });
}

TwoLevelFactoryBase::TwoLevelFactoryBase() = default;
TwoLevelFactoryBase::~TwoLevelFactoryBase() = default;
void TwoLevelFactoryBase::CallDeclareInput(Level& level) const {
  if (level.GetPreviousLevel().is_null())
    throw Exceptions::DependencyError("level " + std::to_string(level.GetLevelID()) +
                                      " has none above it");
  DeclareInput(*level.GetPreviousLevel(), level);
}
void TwoLevelFactoryBase::CallBuild(Level& level) const {
  if (level.GetPreviousLevel().is_null())
    throw Exceptions::RuntimeError("level " + std::to_string(level.GetLevelID()) +
                                   " has none above it");
  callBuild(*this, level, timerSync_, [&] { Build(*level.GetPreviousLevel(), level); });
}

Level::Level() : lib_(Xpetra::NotSpecified), levelID_(-1) {}
Level::Level(RCP<FactoryManagerBase>& manager)
    : lib_(Xpetra::UseTpetra), levelID_(-1), factoryManager_(manager) {}
Level::~Level() = default;
RCP<Level>& Level::GetPreviousLevel() { return previousLevel_; }

std::string Level::GetTypeName(const std::string& name, const FactoryBase* factory) {
  const FactoryBase* from = GetFactory(name, factory);
  if (!IsKey(from, name) || !IsAvailable(name, from))
    throw Exceptions::RuntimeError("level " + std::to_string(levelID_) + " has no " + name);
  return Get(from, name)->GetTypeName();
}
void Level::Delete(const std::string& name, const FactoryBase* factory) {
  if (!IsKey(factory, name)) return;
  if (IsRequested(name, factory) || GetKeepFlag(name, factory) == 0)
    throw Exceptions::RuntimeError(name + " is in use");
  RemoveKeepFlag(name, factory, MueLu::All);
}
bool Level::IsAvailable(const std::string& name, const FactoryBase* factory) const {
  const FactoryBase* from = GetFactory(name, factory);
  return IsKey(from, name) && Get(from, name)->IsAvailable();
}
bool Level::IsRequested(const std::string& name, const FactoryBase* factory) const {
  const FactoryBase* from = GetFactory(name, factory);
  return IsKey(from, name) && IsRequested(Get(from, name));
}
bool Level::IsKey(const FactoryBase* factory, const std::string& name) const {
  const auto found = map_.find(factory);
  return found != map_.end() && found->second.count(name) > 0;
}
bool Level::IsAvailableFactory(const FactoryBase* factory) const {
  const auto found = map_.find(factory);
  if (found == map_.end()) return false;
  for (const auto& entry : found->second)
    if (entry.second->IsAvailable()) return true;
  return false;
}
bool Level::IsRequested(const Value& value) const { return value->IsRequested(); }
bool Level::IsRequestedBy(const FactoryBase* factory, const std::string& name,
                          const FactoryBase* by) const {
  return IsKey(factory, name) && IsRequestedBy(Get(factory, name), by);
}
bool Level::IsRequestedBy(const Value& value, const FactoryBase* by) const {
  return value->IsRequested(by);
}
bool Level::IsRequestedFactory(const FactoryBase* factory) const {
  const auto found = map_.find(factory);
  if (found == map_.end()) return false;
  for (const auto& entry : found->second)
    if (IsRequested(entry.second)) return true;
  return false;
}
const Level::Value& Level::Get(const FactoryBase* factory, const std::string& name) const {
  const auto found = map_.find(factory);
  if (found == map_.end() || found->second.count(name) == 0)
    throw Exceptions::RuntimeError("level " + std::to_string(levelID_) + " has no key " + name);
  return found->second.find(name)->second;
}
int Level::NumRequests(const FactoryBase* factory, const std::string& name) const {
  return Get(factory, name)->NumAllRequests();
}
int Level::CountRequestedFactory(const FactoryBase* factory) const {
  const auto found = map_.find(factory);
  int count = 0;
  if (found == map_.end()) return count;
  for (const auto& entry : found->second) count += entry.second->NumAllRequests();
  return count;
}

}  // namespace MueLu

namespace MueLuPhases {
const std::map<std::string, double>& seconds() { return MueLu::ownSeconds; }
void clear() { MueLu::ownSeconds.clear(); }
}  // namespace MueLuPhases

extern "C" {
void dgeqrf_(const int*, const int*, double*, const int*, double*, double*, const int*, int*);
void dorgqr_(const int*, const int*, const int*, double*, const int*, const double*, double*,
             const int*, int*);
void dlascl_(const char*, const int*, const int*, const double*, const double*, const int*,
             const int*, double*, const int*, int*, std::size_t);
}

namespace Teuchos {

void LAPACK<int, double>::GEQRF(const int& m, const int& n, double* A, const int& lda, double* tau,
                                double* work, const int& lwork, int* info) const {
  dgeqrf_(&m, &n, A, &lda, tau, work, &lwork, info);
}
void LAPACK<int, double>::UNGQR(const int& m, const int& n, const int& k, double* A, const int& lda,
                                const double* tau, double* work, const int& lwork,
                                int* info) const {
  dorgqr_(&m, &n, &k, A, &lda, tau, work, &lwork, info);
}
void LAPACK<int, double>::LASCL(const char& type, const int& kl, const int& ku, const double& from,
                                const double& to, const int& m, const int& n, double* A,
                                const int& lda, int* info) const {
  dlascl_(&type, &kl, &ku, &from, &to, &m, &n, A, &lda, info, 1);
}

bool TimeMonitor::stackedTimerNameIsDefault() { return true; }

}  // namespace Teuchos
