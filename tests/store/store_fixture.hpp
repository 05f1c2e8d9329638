// A real database in a folder of its own, with a customer and a device to begin with.
#pragma once
#include "store/connection.hpp"

#include <nightjar/store/breakers.hpp>
#include <nightjar/store/database.hpp>
#include <nightjar/store/inventory.hpp>
#include <nightjar/store/revisions.hpp>
#include <nightjar/store/runs.hpp>
#include <nightjar/store/series_book.hpp>
#include <nightjar/store/settings.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdlib.h>
#include <string>
#include <vector>

namespace nightjar::store {

inline UtcTime at(std::int64_t seconds) {
  return UtcTime{Seconds{1'796'000'000 + seconds}};
}

inline constexpr UtcTime far_lease{Seconds{1'900'000'000}};

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "nightjar-store-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

inline std::string content_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline Database open_database(const std::filesystem::path& file) {
  auto db = Database::open(file, Database::Access::create);
  if (!db) throw std::runtime_error(db.error().reason);
  return std::move(*db);
}

inline Device device_named(CustomerId customer, std::string name) {
  Device device;
  device.customer = customer;
  device.name = std::move(name);
  device.address = "192.0.2.10";
  device.driver = "ios";
  return device;
}

inline RuleInForce built_in_rule() {
  RuleInForce in_force;
  in_force.rule = rules::resolve<rules::RetryFields>(rules::Describe<rules::RetryFields>::built_in(), {});
  return in_force;
}

// A text and its digests, with nothing in it that counts as noise.
inline NewBackup backup_of(std::string text) {
  NewBackup backup;
  backup.comparable = revision::fingerprint(text);
  backup.text = std::move(text);
  return backup;
}

// The machine of a series whose next attempt has begun.
inline series::Series running(series::Series machine) {
  machine.state = series::State::running;
  machine.due.reset();
  ++machine.attempts;
  return machine;
}

inline AttemptBegin beginning_of(SeriesId series, series::Series machine, UtcTime when) {
  AttemptBegin begin;
  begin.series = series;
  begin.after = running(std::move(machine));
  begin.started_at = when;
  return begin;
}

inline AttemptEnd success_of(SeriesId series, AttemptId attempt, series::Series machine, NewBackup backup,
                             UtcTime when) {
  AttemptEnd end;
  end.series = series;
  end.attempt = attempt;
  end.ended_at = when;
  end.outcome = series::Outcome::success;
  end.transport = "ssh";
  end.after = machine;
  end.after.state = series::State::succeeded;
  end.decision.decision.action = series::Action::end;
  end.decision.rule = built_in_rule();
  end.backup = std::move(backup);
  return end;
}

// A failure that is tried again at `next`.
inline AttemptEnd retry_of(SeriesId series, AttemptId attempt, series::Series machine, Failure failure,
                           UtcTime when, UtcTime next) {
  AttemptEnd end;
  end.series = series;
  end.attempt = attempt;
  end.ended_at = when;
  end.failure = std::move(failure);
  end.transport = "ssh";
  end.after = machine;
  end.after.state = series::State::retry_wait;
  ++end.after.counted;
  end.after.due = next;
  end.after.previous_wait = next - when;
  end.decision.decision.action = series::Action::retry;
  end.decision.decision.wait = next - when;
  end.decision.decision.next_attempt_at = next;
  end.decision.rule = built_in_rule();
  return end;
}

class StoreTest : public ::testing::Test {
 protected:
  StoreTest()
      : db_(open_database(file())),
        customer_(inventory_.add_customer({{}, "acme", "Europe/Paris"}).value()),
        device_(inventory_.add_device(device_named(customer_, "sw-1")).value()) {}

  std::filesystem::path file() const { return folder_ / "nightjar.db"; }

  // SQLite's locks do not survive a fork: a test that forks closes its database first.
  void close() { const Database closing = std::move(db_); }
  void reopen() { db_ = open_database(file()); }

  DeviceId add_device(const std::string& name) {
    return inventory_.add_device(device_named(customer_, name)).value();
  }

  SeriesId open_series(DeviceId device, UtcTime now, std::string_view owner = "me") {
    return book_.open({device}, series::Trigger::manual, now, owner, far_lease).value().at(0).series;
  }

  struct Begun {
    SeriesId series;
    AttemptId attempt;
    series::Series machine;
  };
  Begun begin(SeriesId series, UtcTime when, std::string_view owner = "me") {
    const auto beginning = beginning_of(series, book_.find(series).value().machine, when);
    return {series, book_.begin_attempt(beginning, owner).value(), beginning.after};
  }

  // A whole series of one successful attempt.
  BackupRow back_up(DeviceId device, NewBackup backup, UtcTime when) {
    const Begun begun = begin(open_series(device, when), when);
    return book_.end_attempt(success_of(begun.series, begun.attempt, begun.machine, std::move(backup), when))
        .value()
        .value();
  }

  TemporaryFolder folder_;
  Database db_;
  Inventory inventory_{db_};
  SeriesBook book_{db_};
  Revisions revisions_{db_};
  Settings settings_{db_};
  RunBook runs_{db_};
  BreakerBook breakers_{db_};
  CustomerId customer_;
  DeviceId device_;
};

}  // namespace nightjar::store
