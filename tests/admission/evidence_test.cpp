#include <nightjar/admission/evidence.hpp>

#include <gtest/gtest.h>

namespace nightjar::admission {
namespace {

std::optional<Failure> failed(FailureClass c, Stage s) {
  return failure(c, s, "as told");
}

TEST(Contact, IsReachedByABackup) {
  EXPECT_EQ(contact_of(std::nullopt), Contact::reached);
}

TEST(Contact, IsReachedByAnyAnswerThatWeDoNotLike) {
  EXPECT_EQ(contact_of(failed(FailureClass::auth, Stage::auth)), Contact::reached);
  EXPECT_EQ(contact_of(failed(FailureClass::busy, Stage::login)), Contact::reached);
  EXPECT_EQ(contact_of(failed(FailureClass::host_key, Stage::host_key)), Contact::reached);
  EXPECT_EQ(contact_of(failed(FailureClass::negotiation, Stage::handshake)), Contact::reached);
  EXPECT_EQ(contact_of(failed(FailureClass::incomplete, Stage::verify)), Contact::reached);
}

TEST(Contact, IsLostWhenTheDeviceFellSilentInTheMiddle) {
  EXPECT_EQ(contact_of(failed(FailureClass::dropped, Stage::handshake)), Contact::lost);
  EXPECT_EQ(contact_of(failed(FailureClass::timeout, Stage::command)), Contact::lost);
  EXPECT_EQ(contact_of(failed(FailureClass::local, Stage::store)), Contact::lost);
}

TEST(Contact, IsUnreachableWhateverDeadlineEndedTheConnecting) {
  EXPECT_EQ(contact_of(failed(FailureClass::unreachable, Stage::resolve)), Contact::unreachable);
  EXPECT_EQ(contact_of(failed(FailureClass::unreachable, Stage::connect)), Contact::unreachable);
  EXPECT_EQ(contact_of(failed(FailureClass::timeout, Stage::connect)), Contact::unreachable);
}

TEST(Contact, IsNoneWhereTheDeviceWasNotTouched) {
  EXPECT_EQ(contact_of(failed(FailureClass::setup, Stage::none)), Contact::none);
  EXPECT_EQ(contact_of(failed(FailureClass::setup, Stage::resolve)), Contact::none);
  EXPECT_EQ(contact_of(failed(FailureClass::local, Stage::connect)), Contact::none);
  EXPECT_EQ(contact_of(failed(FailureClass::auth, Stage::none)), Contact::none) << "refused by the breaker";
}

TEST(Login, IsAcceptedOnceACommandCouldBeTyped) {
  EXPECT_EQ(login_of(std::nullopt), Login::accepted);
  EXPECT_EQ(login_of(failed(FailureClass::unsupported, Stage::command)), Login::accepted);
  EXPECT_EQ(login_of(failed(FailureClass::incomplete, Stage::verify)), Login::accepted);
  EXPECT_EQ(login_of(failed(FailureClass::local, Stage::store)), Login::accepted);
}

TEST(Login, IsRejectedByPasswordAndByEnableAlike) {
  EXPECT_EQ(login_of(failed(FailureClass::auth, Stage::auth)), Login::rejected);
  EXPECT_EQ(login_of(failed(FailureClass::auth, Stage::login)), Login::rejected);
  EXPECT_EQ(login_of(failed(FailureClass::auth, Stage::command)), Login::rejected);
}

TEST(Login, IsNoneWhereItNeverCameToThat) {
  EXPECT_EQ(login_of(failed(FailureClass::unreachable, Stage::connect)), Login::none);
  EXPECT_EQ(login_of(failed(FailureClass::dropped, Stage::auth)), Login::none);
  EXPECT_EQ(login_of(failed(FailureClass::timeout, Stage::login)), Login::none);
  EXPECT_EQ(login_of(failed(FailureClass::auth, Stage::none)), Login::none) << "refused by the breaker";
}

}  // namespace
}  // namespace nightjar::admission
