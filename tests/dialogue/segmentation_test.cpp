// However the bytes are cut up, the same is read and typed; wherever the device pauses, no wrong text is
// read.
#include "dialogue/recordings.hpp"

#include <gtest/gtest.h>

#include <random>

namespace nightjar::dialogue::test {
namespace {

using namespace std::chrono_literals;

class Recorded : public testing::TestWithParam<Recording> {
 protected:
  // Empty when the talk ended in a failure or with the whole texts.
  static std::string wrong(const Talk& t) {
    if (t.failure) {
      // A pause is no reason to give a device up for good.
      if (!is_retried_by_default(t.failure->failure_class)) return "not retried: " + t.failure->reason;
      return t.sections.size() < GetParam().texts.size() ? "" : "failed with all sections";
    }
    for (std::size_t i = 0; i < GetParam().texts.size(); ++i)
      if (i >= t.sections.size() || t.sections[i].text != GetParam().texts[i])
        return "section " + std::to_string(i) + " reads:\n" +
               (i < t.sections.size() ? t.sections[i].text : "-");
    return t.done ? "" : "neither done nor failed";
  }
};

TEST_P(Recorded, IsReadWhole) {
  const Talk t = talk(GetParam().script, GetParam().device);
  ASSERT_FALSE(t.failure) << t.failure->reason << "\n" << t.transcript;
  EXPECT_EQ(wrong(t), "") << t.transcript;
}

TEST_P(Recorded, ReadsAndTypesTheSameInAnySegmentation) {
  const Talk whole = talk(GetParam().script, GetParam().device);
  for (unsigned seed = 0; seed < 1500; ++seed) {
    std::mt19937 random{seed};
    const std::size_t longest = seed % 40 + 1;
    const Talk t = talk(GetParam().script, GetParam().device, {}, [&] { return random() % longest + 1; });
    ASSERT_FALSE(t.failure) << seed << ": " << t.failure->reason;
    ASSERT_EQ(wrong(t), "") << seed;
    ASSERT_EQ(t.typed, whole.typed) << seed;
  }
}

TEST_P(Recorded, APauseAnywhereGivesTheWholeTextOrAFailure) {
  const std::size_t printed = talk(GetParam().script, GetParam().device).printed;
  std::size_t failed = 0;
  for (const bool echo_at_once : {false, true}) {
    for (const bool discards : {false, true}) {
      Device device = GetParam().device;
      device.echo_at_once = echo_at_once;
      device.discards_typeahead = discards;
      for (const Milliseconds length : {Milliseconds{30}, Milliseconds{400}, Milliseconds{5000}}) {
        for (std::size_t at = 0; at <= printed; ++at) {
          const Talk t = talk(GetParam().script, device, {{at, length}});
          ASSERT_EQ(wrong(t), "") << at << " " << length.count() << " ms, echo at once " << echo_at_once
                                  << ", discards " << discards << "\n"
                                  << t.transcript;
          failed += t.failure ? 1 : 0;
        }
      }
    }
  }
  RecordProperty("failed", static_cast<int>(failed));
  // A failure is honest, but it has to stay the exception.
  EXPECT_LT(failed, 12 * printed / 20) << "of " << 12 * printed;
}

TEST_P(Recorded, ThreePausesGiveTheWholeTextOrAFailure) {
  const std::size_t printed = talk(GetParam().script, GetParam().device).printed;
  for (unsigned seed = 0; seed < 2000; ++seed) {
    std::mt19937 random{seed};
    Device device = GetParam().device;
    device.echo_at_once = random() % 2 == 0;
    const std::vector<Pause> pauses{{random() % printed, Milliseconds{random() % 700}},
                                    {random() % printed, Milliseconds{random() % 700}},
                                    {random() % printed, Milliseconds{random() % 7000}}};
    const Talk t = talk(GetParam().script, device, pauses);
    ASSERT_EQ(wrong(t), "") << seed << "\n" << t.transcript;
  }
}

TEST_P(Recorded, AConnectionLostAnywhereIsAFailure) {
  const std::size_t printed = talk(GetParam().script, GetParam().device).printed;
  for (std::size_t at = 0; at + 1 < printed; ++at) {
    const Talk t = talk(GetParam().script, GetParam().device, {}, {},
                        {"backup", Secret{"s3cret!"}, Secret{"en4ble!"}}, at);
    if (!t.done) {
      ASSERT_TRUE(t.failure) << at;
      ASSERT_EQ(t.failure->failure_class, FailureClass::dropped) << at << t.failure->reason;
    }
    ASSERT_EQ(wrong(t), "") << at;
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, Recorded, testing::ValuesIn(recordings()), [](const auto& recorded) {
  std::string name;
  for (const char c : recorded.param.name) name.push_back(c == ' ' ? '_' : c);
  return name;
});

}  // namespace
}  // namespace nightjar::dialogue::test
