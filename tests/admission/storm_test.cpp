// The breakers under random events, held against what must be true at every step and against whole outages.
#include <nightjar/admission/credential_breaker.hpp>
#include <nightjar/admission/customer_breaker.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <vector>

namespace nightjar::admission {
namespace {

using namespace std::chrono_literals;
using Verdict = Gate::Verdict;

constexpr UtcTime night{std::chrono::sys_days{std::chrono::year{2026} / 11 / 30} + 2h};
constexpr int steps = 100'000;

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t below(std::uint64_t n) { return engine_() % n; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }

 private:
  std::mt19937_64 engine_;
};

// One customer whose attempts start as the gate says and end as they please, under a clock that jumps, a rule
// that is edited and a process that dies.
class Outage {
 public:
  explicit Outage(std::uint64_t seed) : random_(seed) {}

  void step() {
    advance();
    if (random_.one_in(400)) restart();
    if (random_.one_in(300)) edit_rule();
    if (random_.one_in(500)) network_is_up_ = !network_is_up_;
    if (random_.one_in(2)) start();
    if (random_.one_in(2)) end();
    check();
  }

  int probes = 0, openings = 0, closings = 0, outlived = 0;

 private:
  void advance() {
    const Milliseconds passed{random_.below(5'000)};
    now_ += passed;
    held_ += passed;
    if (!random_.one_in(300)) return;
    const Seconds jump{random_.below(2 * 86'400)};
    now_ += random_.one_in(2) ? jump : -jump;
    held_ = 0s;
  }

  void edit_rule() {
    const bool eager = random_.one_in(2);
    rule_.failures = static_cast<int>(1 + random_.below(eager ? 3 : 20));
    rule_.cooldown = Seconds{1 + random_.below(eager ? 10 : 120)};
  }

  void restart() {
    under_way_.clear();
    probe_ = {};
    breaker_ = recovered(breaker_);
    held_ = 0s;
  }

  void start() {
    if (under_way_.size() >= 50) return;
    const Gate g = gate(breaker_, rule_, now_);
    if (g.verdict == Verdict::hold) return;
    const SeriesId series{++series_};
    under_way_.push_back(series);
    if (g.verdict == Verdict::go) return;
    ASSERT_FALSE(probe_) << "two probes at once";
    breaker_ = begin_probe(breaker_, series);
    probe_ = series;
    ++probes;
  }

  Contact any_contact() {
    if (random_.one_in(10)) return Contact::none;
    if (random_.one_in(20)) return Contact::lost;
    return network_is_up_ && !random_.one_in(4) ? Contact::reached : Contact::unreachable;
  }

  void end() {
    if (under_way_.empty()) return;
    std::swap(under_way_[random_.below(under_way_.size())], under_way_.back());
    const SeriesId series = under_way_.back();
    if (probe_ == series && !random_.one_in(4))
      return;  // probes take long, so that some outlive their opening
    under_way_.pop_back();
    const bool was_probe = probe_ == series;
    const bool was_open = is_open(breaker_);
    const Contact contact = any_contact();
    if (!was_probe && was_open && begun_as_probe_.contains(series)) ++outlived;
    breaker_ = observe(breaker_, series, contact, rule_, now_);

    if (contact == Contact::unreachable) ++in_a_row_;
    if (contact == Contact::reached || (contact == Contact::lost && (was_probe || !was_open))) {
      in_a_row_ = 0;
      ASSERT_EQ(breaker_, CustomerBreaker{}) << "a device was reached";
    }
    if (was_probe) held_ = 0s;
    if (was_probe || !is_open(breaker_)) probe_ = {};
    if (!was_open && is_open(breaker_)) {
      ++openings;
      held_ = 0s;
      ASSERT_GE(in_a_row_, rule_.failures);
    }
    closings += was_open && !is_open(breaker_) ? 1 : 0;
  }

  void check() {
    if (probe_) begun_as_probe_.insert(probe_);
    const Gate g = gate(breaker_, rule_, now_);
    ASSERT_EQ(breaker_.unreachable, in_a_row_);
    ASSERT_EQ(breaker_.probe, probe_);
    ASSERT_EQ(is_open(breaker_), g.verdict != Verdict::go);
    ASSERT_EQ(is_open(breaker_), breaker_.probe_at.has_value());
    if (g.verdict == Verdict::hold) {
      ASSERT_LE(g.until - now_, rule_.cooldown);
      ASSERT_GT(g.until, now_);
      if (!probe_) {
        ASSERT_EQ(gate(breaker_, rule_, g.until).verdict, Verdict::probe);
        // Of time that really passed; a cooldown that was longer when the wait began is cut to the new one.
        ASSERT_LT(held_, 120s) << "no probe within the longest cooldown";
      }
    }
  }

  Random random_;
  BreakerRule rule_;
  CustomerBreaker breaker_;
  UtcTime now_ = night;
  Milliseconds held_{0};  // since the last opening, end of a probe, restart or jump of the clock
  bool network_is_up_ = true;
  std::int64_t series_ = 0;
  std::vector<SeriesId> under_way_;
  std::set<SeriesId> begun_as_probe_;
  SeriesId probe_;
  int in_a_row_ = 0;
};

TEST(AnyOutage, HasOneProbeAtATimeWithinACooldownAndEndsWithTheFirstAnswer) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Outage outage{seed};
    for (int i = 0; i < steps; ++i) {
      outage.step();
      if (testing::Test::HasFatalFailure()) FAIL() << "step " << i;
    }
    EXPECT_GT(outage.probes, 100);
    EXPECT_GT(outage.openings, 20);
    EXPECT_GT(outage.closings, 20);
    EXPECT_GT(outage.outlived, 0) << "probes that ended under a later opening";
  }
}

// The rule by its letter: the answers of one edition by the time they were given, whenever they were told.
class History {
 public:
  void add(const Answer& a) {
    if (a.login != Login::none) answers_.push_back(a);
  }

  bool is_tripped() const {
    auto by_time = answers_;
    std::ranges::stable_sort(by_time, {}, &Answer::at);
    std::set<DeviceId> in_a_row;
    for (const Answer& a : by_time)
      if (a.login == Login::accepted)
        in_a_row.clear();
      else
        in_a_row.insert(a.device);
    return in_a_row.size() >= devices_to_trip;
  }

 private:
  std::vector<Answer> answers_;
};

TEST(AnyAnswers, TripTheCredentialExactlyWhenThreeDevicesInARowRejectedIt) {
  Random random{7};
  CredentialBreaker breaker;
  History history;
  UtcTime now = night;
  int trips = 0;
  for (int i = 0; i < steps; ++i) {
    now += Milliseconds{1 + random.below(1'000)};
    if (random.one_in(60)) {
      breaker = reset(breaker);
      history = {};
      ASSERT_FALSE(is_tripped(breaker));
    }
    const bool old = random.one_in(10);
    const Login login =
        std::array{Login::accepted, Login::rejected, Login::rejected, Login::none}[random.below(4)];
    // A rejection ends its attempt and is told at once, an acceptance when the backup is over.
    const Milliseconds ago{login == Login::accepted ? 1 + random.below(5'000) : 0};
    const Answer answer{.device = {1 + static_cast<std::int64_t>(random.below(6))},
                        .login = login,
                        .edition = breaker.edition - (old ? 1 : 0),
                        .at = now - ago};
    const bool was_tripped = is_tripped(breaker);
    breaker = observe(breaker, answer, now);
    if (!old) history.add(answer);
    ASSERT_EQ(is_tripped(breaker), history.is_tripped()) << "step " << i;
    trips += !was_tripped && is_tripped(breaker) ? 1 : 0;
    if (is_tripped(breaker) && random.one_in(2)) breaker = count_refusal(breaker);
    ASSERT_TRUE(is_tripped(breaker) || breaker.refused == 0) << "step " << i;
  }
  EXPECT_GT(trips, 1'000);
}

// A night of `devices` attempts with one credential, `at_once` of them under way. Login takes a second, a
// backup up to two minutes more; answers are told when an attempt ends, with the time of the login.
struct NightOfOneCredential {
  int rejections = 0;
  int backups = 0;
  std::int64_t refused = 0;

  template <class IsGood>
  NightOfOneCredential(int devices, std::size_t at_once, IsGood is_good, std::uint64_t seed) {
    struct UnderWay {
      Answer answer;
      UtcTime ends;
    };
    Random random{seed};
    CredentialBreaker breaker;
    std::vector<UnderWay> under_way;
    UtcTime now = night;
    int next = 1;
    while (next <= devices || !under_way.empty()) {
      for (; next <= devices && under_way.size() < at_once; ++next) {
        const Admission admission = admit(breaker, under_way.size());
        if (admission == Admission::hold) break;
        if (admission == Admission::refuse) {
          breaker = count_refusal(breaker);
          continue;
        }
        const UtcTime login = now + 500ms + Milliseconds{random.below(1'000)};
        const bool good = is_good(next, login);
        under_way.push_back({{.device = {next},
                              .login = good ? Login::accepted : Login::rejected,
                              .edition = breaker.edition,
                              .at = login},
                             good ? login + 5s + Milliseconds{random.below(120'000)} : login});
      }
      if (under_way.empty()) break;
      const auto first = std::ranges::min_element(under_way, {}, &UnderWay::ends);
      now = first->ends;
      (first->answer.login == Login::accepted ? backups : rejections)++;
      breaker = observe(breaker, first->answer, now);
      under_way.erase(first);
    }
    refused = breaker.refused;
  }
};

TEST(AChangedPassword, CostsNoMoreRejectionsThanSessionsUnderWayAndThree) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const UtcTime changed = night + 5min;
    const NightOfOneCredential night_of{10'000, 50, [changed](int, UtcTime login) { return login < changed; },
                                        seed};
    EXPECT_GT(night_of.backups, 100);
    EXPECT_GE(night_of.rejections, 3);
    EXPECT_LE(night_of.rejections, 53) << "seed " << seed;
    EXPECT_EQ(night_of.backups + night_of.rejections + night_of.refused, 10'000);
  }
}

TEST(AFewWrongDevices, DoNotCostAThousandOthersTheirBackup) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto is_good = [](int device, UtcTime) { return device % 10 != 0 || device > 50; };  // 5 of 1,000
    const NightOfOneCredential night_of{1'000, 50, is_good, seed};
    EXPECT_EQ(night_of.rejections, 5);
    EXPECT_EQ(night_of.backups, 995) << "seed " << seed << ", refused " << night_of.refused;
  }
}

}  // namespace
}  // namespace nightjar::admission
