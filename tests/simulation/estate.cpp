#include "simulation/estate.hpp"

#include <fmt/format.h>

namespace nightjar::simulation {
namespace {

Visit failed(Random& random, FailureClass failure_class, Stage stage, std::string reason, Milliseconds least,
             Milliseconds most) {
  Visit visit;
  visit.end.failure = failure(failure_class, stage, std::move(reason));
  visit.end.transport = "ssh";
  visit.takes = random.between(least, most);
  return visit;
}

Visit let_in(Visit visit) {
  visit.let_in_after = std::min(visit.takes, Milliseconds{800});
  return visit;
}

Visit worked(Unit& unit, Random& random) {
  if (random.chance(10)) ++unit.edition;
  Visit visit;
  visit.end.outcome = series::Outcome::success;
  visit.end.transport = "ssh";
  store::NewBackup& backup = visit.end.backup.emplace();
  backup.text = fmt::format("hostname {}\nsnmp-server location rack {}\nend\n", unit.name, unit.edition);
  backup.comparable = revision::fingerprint(backup.text);
  visit.takes = random.between(Milliseconds{1500}, Milliseconds{20'000});
  return let_in(std::move(visit));
}

}  // namespace

Visit Estate::visit(DeviceId id, Milliseconds timeout, Random& random) {
  using namespace std::chrono_literals;
  const auto found = devices.find(id);
  if (found == devices.end() || cut_off.contains(found->second.customer))
    return failed(random, FailureClass::unreachable, Stage::connect, "no route to 192.0.2.10:22", 20ms,
                  std::min<Milliseconds>(timeout, 30s));
  Unit& unit = found->second;
  if (unit.manner == Manner::dead)
    return failed(random, FailureClass::unreachable, Stage::connect, "connection refused by 192.0.2.10:22",
                  5ms, 2s);
  if (changed_on_site.contains(unit.credential) || unit.manner == Manner::wrong_password)
    return failed(random, FailureClass::auth, Stage::auth, "password rejected", 500ms, 2s);
  switch (unit.manner) {
    case Manner::fine:
    case Manner::dead:
    case Manner::wrong_password:
      break;
    case Manner::flaky:
      if (++unit.failed <= unit.fails)
        return random.chance(50)
                   ? failed(random, FailureClass::busy, Stage::auth, "no free vty", 200ms, 900ms)
                   : failed(random, FailureClass::unreachable, Stage::connect, "connect timed out", 5s, 10s);
      unit.failed = 0;
      break;
    case Manner::hangs: {
      auto visit = random.chance(80)
                       ? let_in(failed(random, FailureClass::timeout, Stage::command, "no prompt", timeout,
                                       timeout + 10s))
                       : failed(random, FailureClass::timeout, Stage::connect, "no answer", timeout, timeout);
      return visit;
    }
    case Manner::lies: {
      auto visit = let_in(
          failed(random, FailureClass::incomplete, Stage::verify, "end mark \"end\" missing", 2s, 20s));
      visit.end.evidence = "hostname half\n";
      return visit;
    }
    case Manner::drops:
      return let_in(failed(random, FailureClass::dropped, Stage::command, "reset by peer", 1s, 9s));
    case Manner::other_host_key:
      return failed(random, FailureClass::host_key, Stage::host_key, "host key is not the pinned one", 300ms,
                    900ms);
  }
  return worked(unit, random);
}

}  // namespace nightjar::simulation
