// A real store with some devices, a clock that is set by hand, and a desk over them. No network: what an
// attempt would bring is said by the test.
#pragma once
#include "orchestrator/desk.hpp"
#include "orchestrator/timekeeper.hpp"

#include <nightjar/orchestrator/site.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <stdlib.h>
#include <string>
#include <vector>

namespace nightjar::orchestrator {

class SetClock final : public runtime::Clock {
 public:
  UtcTime now() const override { return now_; }
  MonoTime mono() const override { return mono_; }
  void pass(Milliseconds span) {
    now_ += span;
    mono_ += span;
  }
  void set(UtcTime now) { now_ = now; }

 private:
  UtcTime now_{Seconds{1'796'000'000}};
  MonoTime mono_{std::chrono::hours{1}};
};

class DeskTest : public ::testing::Test {
 protected:
  DeskTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "nightjar-desk-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    vault::Vault::create_key_file(folder_ / "key").value();
    vault_.emplace(vault::Vault::open(folder_ / "key").value());
    drivers_.emplace(config::Drivers::load("").value());
    db_.emplace(store::Database::open(folder_ / "nightjar.db", store::Database::Access::create).value());
    store_.emplace(store::Database::open(folder_ / "idle.db", store::Database::Access::create).value());
    acme_ = store::Inventory{*db_}.add_customer({.id = {}, .name = "acme"}).value();
  }
  ~DeskTest() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  Site site() { return {*store_, *vault_, *drivers_, clock_, folder_}; }

  // Without a credential: what is tested here never comes to a connection.
  DeviceId add_device(const std::string& name) {
    store::Device device;
    device.customer = acme_;
    device.name = name;
    device.address = "192.0.2.10";
    device.driver = "ios";
    const auto id = store::Inventory{*db_}.add_device(device).value();
    return id;
  }

  void open(const std::vector<DeviceId>& devices) {
    store::SeriesBook{*db_}.open(devices, series::Trigger::manual, clock_.now(), "", {}).value();
  }

  static Ended failed(FailureClass failure_class, Stage stage = Stage::connect) {
    Ended ended;
    ended.failure = failure(failure_class, stage, "made up");
    ended.transport = "ssh";
    return ended;
  }

  SetClock clock_;
  std::filesystem::path folder_;
  std::optional<vault::Vault> vault_;
  std::optional<config::Drivers> drivers_;
  std::optional<store::Database> db_;
  std::optional<store::Worker> store_;
  CustomerId acme_;
};

}  // namespace nightjar::orchestrator
