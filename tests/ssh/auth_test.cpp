#include "ssh/auth.hpp"

#include "ssh/doorman.hpp"
#include "ssh/visit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nightjar::ssh::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Rounds = std::vector<std::vector<House::Prompt>>;

House asking(Rounds rounds) {
  House house;
  house.offers_password = false;
  house.offers_questions = true;
  house.rounds = std::move(rounds);
  return house;
}

Failure outcome_at(const Doorman& doorman, std::string_view password = "right") {
  Visit visit(doorman.port());
  visit.credential.password = Secret(password);
  return run(visit.outcome());
}

TEST(Login, ADeviceThatAsksNothingIsEnteredWithoutAPassword) {
  House house;
  house.none_is_enough = true;
  Doorman doorman(house);
  EXPECT_EQ(outcome_at(doorman).reason, "none");
  EXPECT_THAT(doorman.passwords(), IsEmpty());
}

TEST(Login, ARightPasswordIsSentOnce) {
  Doorman doorman;
  EXPECT_EQ(outcome_at(doorman).reason, "none");
  EXPECT_THAT(doorman.passwords(), ElementsAre("right"));
}

TEST(Login, AWrongPasswordIsOneTryAndNamesUserAndCredential) {
  Doorman doorman;
  Failure got = outcome_at(doorman, "wrong");
  EXPECT_EQ(got.failure_class, FailureClass::auth);
  EXPECT_EQ(got.stage, Stage::auth);
  EXPECT_EQ(got.reason, "password rejected for backup (credential core/backup)");
  EXPECT_THAT(doorman.passwords(), ElementsAre("wrong"));
}

TEST(Login, AWrongPasswordIsNotTriedAgainByQuestions) {
  House house;
  house.offers_questions = true;
  house.rounds = {{{"Password: ", false, "right"}}};
  Doorman doorman(house);
  EXPECT_EQ(outcome_at(doorman, "wrong").failure_class, FailureClass::auth);
  EXPECT_THAT(doorman.passwords(), ElementsAre("wrong"));
}

TEST(Login, QuestionsAreAnsweredByTheEchoFlagAndEmptyRoundsAreAccepted) {
  Doorman doorman(asking({{{"Login: ", true, "backup"}}, {}, {{"TACACS Password: ", false, "right"}}, {}}));
  EXPECT_EQ(outcome_at(doorman).reason, "none");
  EXPECT_THAT(doorman.passwords(), ElementsAre("right"));
}

TEST(Login, ANameAndAPasswordMayBeAskedInOneRound) {
  Doorman doorman(asking({{{"User Name:", true, "backup"}, {"secret word?", false, "right"}}}));
  EXPECT_EQ(outcome_at(doorman).reason, "none");
}

TEST(Login, AWrongAnswerIsARejectedPassword) {
  Doorman doorman(asking({{{"Password: ", false, "right"}}}));
  EXPECT_EQ(outcome_at(doorman, "wrong").reason, "password rejected for backup (credential core/backup)");
  EXPECT_THAT(doorman.passwords(), ElementsAre("wrong"));
}

TEST(Login, ASecondPasswordRequestIsARejectionAndNotAnswered) {
  Doorman doorman(asking({{{"Password: ", false, "wrong"}}, {{"Password: ", false, "right"}}}));
  EXPECT_EQ(outcome_at(doorman, "wrong").reason, "password rejected for backup (credential core/backup)");
  EXPECT_THAT(doorman.passwords(), ElementsAre("wrong"));
}

TEST(Login, AQuestionForASecondFactorDoesNotGetThePassword) {
  Doorman doorman(asking({{{"Verification code: ", false, "123456"}}}));
  Failure got = outcome_at(doorman);
  EXPECT_EQ(got.failure_class, FailureClass::auth);
  EXPECT_THAT(got.reason, HasSubstr("mfa_required"));
  EXPECT_THAT(doorman.passwords(), IsEmpty());
}

TEST(Login, AQuestionAfterAnAcceptedPasswordIsASecondFactor) {
  House house;
  house.password_is_half = true;
  house.rounds = {{{"Response: ", false, "123456"}}};
  Doorman doorman(house);
  EXPECT_THAT(outcome_at(doorman).reason, HasSubstr("mfa_required"));
  EXPECT_THAT(doorman.passwords(), ElementsAre("right"));
}

TEST(Login, ADemandForANewPasswordIsNotAnswered) {
  Doorman doorman(asking({{{"Password: ", false, "right"}}, {{"New password: ", false, "next"}}}));
  Failure got = outcome_at(doorman);
  EXPECT_EQ(got.failure_class, FailureClass::auth);
  EXPECT_THAT(got.reason, HasSubstr("password change required"));
  EXPECT_THAT(doorman.passwords(), ElementsAre("right"));
}

TEST(Login, ACredentialWithoutAPasswordNamesWhatTheDeviceOffers) {
  Doorman doorman;
  Failure got = outcome_at(doorman, "");
  EXPECT_EQ(got.failure_class, FailureClass::auth);
  EXPECT_THAT(got.reason, HasSubstr("offers password, the credential holds nothing"));
}

TEST(Login, QuestionsWithoutEndAreCutOff) {
  Doorman doorman(asking(Rounds(40, std::vector<House::Prompt>{})));
  Failure got = outcome_at(doorman);
  EXPECT_EQ(got.failure_class, FailureClass::auth);
  EXPECT_THAT(got.reason, HasSubstr("more than 16 rounds"));
}

TEST(Questions, AreToldApartByEchoFirstAndWordsSecond) {
  EXPECT_EQ(classify("Password: ", false), Question::password);
  EXPECT_EQ(classify("backup@192.0.2.10's secret: ", false), Question::password);
  EXPECT_EQ(classify("Username: ", true), Question::username);
  EXPECT_EQ(classify("login as: ", true), Question::username);
  EXPECT_EQ(classify("Password: ", true), Question::password);
  EXPECT_EQ(classify("Continue?", true), Question::unknown);
  EXPECT_EQ(classify("Enter PASSCODE: ", false), Question::second_factor);
  EXPECT_EQ(classify("One-time password (OATH): ", true), Question::second_factor);
  EXPECT_EQ(classify("Enter your new password: ", false), Question::new_password);
}

}  // namespace
}  // namespace nightjar::ssh::testing
