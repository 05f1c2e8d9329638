#include <nightjar/lab/plan.hpp>

#include <gtest/gtest.h>

namespace nightjar::lab {
namespace {

std::string reason_of(std::string_view json) {
  const auto plan = parse_plan(json, "plan.json");
  return plan ? "no failure" : plan.error().reason;
}

TEST(Plan, ReadsDevicesRangesDefaultsAndBehaviours) {
  const auto plan = parse_plan(R"({"defaults": {"customer": "kestrel", "config_bytes": 500},
    "devices": [{"name": "core-01", "kind": "ios", "behaviour": "refuse_first", "count": 2},
                {"name": "edge-{n}", "count_devices": 50, "kind": "eos", "tags": ["edge"],
                 "behaviours": ["noisy", {"behaviour": "slow", "delay_ms": 5, "think_ms": 7}]}]})",
                               "plan.json");
  ASSERT_TRUE(plan) << plan.error().reason;
  ASSERT_EQ(plan->size(), 51U);
  const Device& core = plan->front();
  EXPECT_EQ(core.customer, "kestrel");
  EXPECT_EQ(core.config_bytes, 500U);
  EXPECT_NE(core.trait(Behaviour::refuse, 2), nullptr);
  EXPECT_EQ(core.trait(Behaviour::refuse, 3), nullptr);
  const Device& edge = plan->at(7);
  EXPECT_EQ(edge.name, "edge-07");
  EXPECT_EQ(edge.kind, Kind::eos);
  ASSERT_NE(edge.trait(Behaviour::slow, 99), nullptr);
  EXPECT_EQ(edge.trait(Behaviour::slow, 99)->think, Milliseconds{7});
  EXPECT_NE(edge.trait(Behaviour::noisy, 1), nullptr);
}

TEST(Plan, NamesTheDeviceAndTheKeyThatIsWrong) {
  EXPECT_EQ(reason_of(R"({"devices": [{"name": "a", "knd": "ios"}]})"),
            "plan.json: device a: unknown key knd");
  EXPECT_EQ(reason_of(R"({"devices": [{"name": "a", "kind": "vax"}]})"),
            "plan.json: device a: unknown kind vax");
  EXPECT_EQ(reason_of(R"({"devices": [{"name": "a", "behaviour": "moody"}]})"),
            "plan.json: device a: unknown behaviour moody");
  EXPECT_EQ(reason_of(R"({"devices": [{"name": "a", "behaviour": "refuse_first"}]})"),
            "plan.json: device a: refuse_first needs a count");
  EXPECT_EQ(reason_of(R"({"devices": [{"name": "a", "count": "two"}]})"),
            "plan.json: device a: count must be a whole number from 1 to 1000000");
  EXPECT_EQ(reason_of(R"({"devices": [{"name": "a", "hostname": 7}]})"),
            "plan.json: device a: hostname has the wrong type");
  EXPECT_EQ(reason_of(R"({"devices": [{"kind": "ios"}]})"), "plan.json: device number 1: name is missing");
  EXPECT_EQ(reason_of(R"({"devices": [7]})"), "plan.json: device number 1: an object is expected");
  EXPECT_EQ(reason_of(R"({"devices": [{"name": "a"}, {"name": "a"}]})"),
            "plan.json: device a of lab is there twice");
  EXPECT_EQ(reason_of(R"({"devices": [{"name": "a", "count_devices": 3}]})"),
            "plan.json: device a: 3 devices need {n} in their name");
  EXPECT_EQ(reason_of(R"({"devices": []})"), "plan.json: devices must be a list of devices");
  EXPECT_TRUE(reason_of("{").starts_with("plan.json: not JSON: "));
  EXPECT_EQ(read_plan("/nonexistent/plan.json").error().reason,
            "cannot read the lab plan /nonexistent/plan.json");
}

TEST(Plan, KnowsEveryBehaviourAndKindByItsName) {
  for (const Kind kind : all_kinds) EXPECT_EQ(parse_kind(to_text(kind)), kind);
  for (int i = 0; i <= static_cast<int>(Behaviour::shell_login); ++i) {
    const auto behaviour = static_cast<Behaviour>(i);
    EXPECT_EQ(parse_behaviour(to_text(behaviour)), behaviour) << i;
  }
}

TEST(DemoPlan, HasADozenDevicesOfTwoCustomers) {
  const std::vector<Device> devices = demo_plan();
  EXPECT_EQ(devices.size(), 12U);
  const auto rows = credentials(devices);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].name, "alpenrail/lab");
  EXPECT_EQ(rows[1].name, "kestrel/lab");
}

TEST(Inventory, IsACsvThatQuotesWhatNeedsIt) {
  std::vector<Device> devices = fine_devices(2);
  devices[1].customer = "kestrel, north \"1\"";
  devices[1].tags = {"core", "edge"};
  EXPECT_EQ(inventory_csv(devices, "127.0.0.1", {2201, 2202}),
            "customer,name,address,port,driver,credential,tags\n"
            "bench,bench-00001,127.0.0.1,2201,ios,bench/lab,\n"
            "\"kestrel, north \"\"1\"\"\",bench-00002,127.0.0.1,2202,ios,bench/lab,core edge\n");
}

}  // namespace
}  // namespace nightjar::lab
