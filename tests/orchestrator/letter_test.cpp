// From a destination and a content to what a courier carries.
#include "orchestrator/desk_fixture.hpp"

#include <nightjar/orchestrator/letter.hpp>

namespace nightjar::orchestrator {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class LetterTest : public DeskTest {
 protected:
  LetterTest() {
    content_.subject = "3 backups failed";
    content_.text = "text";
    content_.html = "<p>html</p>";
    content_.body = R"({"type":"series.failed"})";
    content_.in_reply_to = "msg_12";
    server_.host = "smtp.example.net";
    server_.port = 465;
    server_.security = "tls";
    server_.sender = "nightjar@example.net";
  }
  store::Destination hook() {
    store::Destination destination;
    destination.id = DestinationId{7};
    destination.kind = store::DestinationKind::webhook;
    destination.address = "https://hooks.example.net/T0";
    return destination;
  }
  store::Destination mailbox() {
    store::Destination destination;
    destination.id = DestinationId{8};
    destination.address = "noc@example.org,lead@example.org";
    return destination;
  }
  std::string sealed(std::string_view secret, std::string_view part) {
    return vault_->seal(Secret{secret}, store::destination_record(DestinationId{7}, part));
  }
  Result<Letter> made(const store::Destination& destination) {
    return letter(destination, content_, "msg_17", server_, *vault_, clock_.now());
  }

  store::Content content_;
  store::MailServerRow server_;
};

TEST_F(LetterTest, AMailIsNamedAfterItsEventAndTheSendersDomain) {
  server_.username = "nightjar";
  server_.sealed_password = vault_->seal(Secret{"correct horse"}, store::mail_password_record);
  const Letter sent = made(mailbox()).value();
  const auto& mail = std::get<delivery::Mail>(sent.form);
  EXPECT_EQ(mail.from, "nightjar@example.net");
  EXPECT_THAT(mail.to, ElementsAre("noc@example.org", "lead@example.org"));
  EXPECT_EQ(mail.message_id, "msg_17@example.net");
  EXPECT_EQ(mail.in_reply_to, "msg_12@example.net");
  EXPECT_EQ(mail.html, "<p>html</p>");
  EXPECT_EQ(mail.date, clock_.now());
  ASSERT_TRUE(sent.server);
  EXPECT_EQ(sent.server->security, delivery::Security::tls);
  EXPECT_EQ(sent.server->password.reveal(), "correct horse");
}

TEST_F(LetterTest, AMailThatFollowsNoneSaysSo) {
  content_.in_reply_to.clear();
  const Letter sent = made(mailbox()).value();
  EXPECT_EQ(std::get<delivery::Mail>(sent.form).in_reply_to, "");
}

TEST_F(LetterTest, WithoutAMailServerThereIsNoMailButAPost) {
  const auto mail = letter(mailbox(), content_, "msg_17", std::nullopt, *vault_, clock_.now());
  ASSERT_FALSE(mail);
  EXPECT_EQ(mail.error().failure_class, FailureClass::setup);
  EXPECT_THAT(mail.error().reason, HasSubstr("no mail server is set"));
  EXPECT_TRUE(letter(hook(), content_, "msg_17", std::nullopt, *vault_, clock_.now()));
}

TEST_F(LetterTest, BothSecretsSignWhileAReceiverChangesOver) {
  const std::array secrets{delivery::new_signing_secret(), delivery::new_signing_secret()};
  auto destination = hook();
  destination.sealed_secret = sealed(secrets[0].reveal(), secret_part);
  destination.sealed_previous_secret = sealed(secrets[1].reveal(), previous_secret_part);
  const Letter sent = made(destination).value();
  const auto& post = std::get<delivery::Post>(sent.form);
  EXPECT_EQ(post.url, "https://hooks.example.net/T0");
  EXPECT_EQ(post.body, content_.body);
  EXPECT_EQ(post.headers, delivery::webhook_headers("msg_17", clock_.now(), content_.body, secrets).value());
}

TEST_F(LetterTest, ASecretOfAnotherDestinationIsNotUnsealed) {
  auto destination = hook();
  destination.sealed_secret = sealed(delivery::new_signing_secret().reveal(), secret_part);
  destination.id = DestinationId{9};
  const auto sent = made(destination);
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().failure_class, FailureClass::setup);
  EXPECT_THAT(sent.error().reason, HasSubstr("destination/9/secret"));
}

}  // namespace
}  // namespace nightjar::orchestrator
