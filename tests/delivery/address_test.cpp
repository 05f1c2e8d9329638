#include "delivery/guard.hpp"

#include <nightjar/delivery/address.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <cstring>
#include <netinet/in.h>

namespace nightjar::delivery {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string complaint(const std::string& typed) {
  const auto read = mail_address(typed);
  return read ? "" : read.error().reason;
}

std::string url_complaint(const std::string& typed) {
  const auto read = webhook_url(typed);
  return read ? "" : read.error().reason;
}

TEST(MailAddress, OrdinaryOnesAreTakenWithTheDomainInLowerCase) {
  EXPECT_EQ(mail_address("noc@example.org").value(), "noc@example.org");
  EXPECT_EQ(mail_address("  First.Last+tag@Example.ORG\t").value(), "First.Last+tag@example.org");
  EXPECT_EQ(mail_address("root@localhost").value(), "root@localhost");
  EXPECT_EQ(mail_address("o'hara_{x}@xn--zrich-kva.example").value(), "o'hara_{x}@xn--zrich-kva.example");
}

TEST(MailAddress, WhatIsWrongIsSaid) {
  EXPECT_EQ(complaint("a@@b"), "the mail address a@@b has two @");
  EXPECT_EQ(complaint(""), "the mail address is empty");
  EXPECT_EQ(complaint("noc"), "the mail address noc has no @");
  EXPECT_EQ(complaint("@b"), "the mail address @b has nothing before the @");
  EXPECT_EQ(complaint("a@"), "the mail address a@ has nothing after the @");
  EXPECT_EQ(complaint("a@b@c@d"), "the mail address a@b@c@d has 3 @");
  EXPECT_EQ(complaint("a..b@c"), "the mail address a..b@c has a misplaced dot before the @");
  EXPECT_EQ(complaint("a@b..c"), "the mail address a@b..c has a misplaced dot after the @");
  EXPECT_EQ(complaint("a@b."), "the mail address a@b. has a misplaced dot after the @");
  EXPECT_EQ(complaint("a b@c"), "the mail address a b@c has a blank in it");
  EXPECT_EQ(complaint("<a@b>"), "the mail address <a@b> has the character '<', which is not allowed");
  EXPECT_EQ(complaint("a@-b"),
            "the mail address a@-b has '-b' after the @, which is not part of a domain name");
  EXPECT_THAT(complaint("a@[192.0.2.1]"), HasSubstr("not part of a domain name"));
}

TEST(MailAddress, ControlCharactersAndForeignLettersAreRefusedAndNotRepeated) {
  EXPECT_EQ(complaint("a@b\r\nBcc: c@d"),
            "the mail address a@b  Bcc: c@d has characters that are not ASCII, or control characters");
  EXPECT_THAT(complaint("zürich@example.org"), HasSubstr("not ASCII"));
  EXPECT_THAT(complaint(std::string("a\0@b", 4)), HasSubstr("control characters"));
}

TEST(MailAddress, LengthsAreThoseOfSmtp) {
  const std::string label(63, 'd');
  EXPECT_EQ(complaint(std::string(64, 'a') + "@b"), "");
  EXPECT_THAT(complaint(std::string(65, 'a') + "@b"), HasSubstr("more than 64 characters before the @"));
  EXPECT_EQ(complaint("a@" + label + ".org"), "");
  EXPECT_THAT(complaint("a@" + label + "d.org"), HasSubstr("not part of a domain name"));
  EXPECT_THAT(complaint("a@" + label + "." + label + "." + label + "." + label), HasSubstr("more than 253"));
  EXPECT_THAT(complaint("abc@" + label + "." + label + "." + label + "." + std::string(59, 'd')),
              HasSubstr("is longer than 254"));
}

TEST(WebhookUrl, HttpAndHttpsAreTaken) {
  EXPECT_EQ(webhook_url(" https://hooks.example.net/services/T0/B0/x?y=1 ").value(),
            "https://hooks.example.net/services/T0/B0/x?y=1");
  EXPECT_TRUE(webhook_url("http://[2001:db8::1]:8080/"));
  EXPECT_TRUE(webhook_url("http://192.0.2.1"));
}

TEST(WebhookUrl, WhatIsWrongIsSaidWithoutTheSecretPart) {
  EXPECT_EQ(url_complaint(""), "the webhook's URL is empty");
  EXPECT_EQ(url_complaint("ftp://example.net/s3cret"),
            "the webhook's URL does not begin with http:// or https://");
  EXPECT_EQ(url_complaint("javascript:alert(1)"),
            "the webhook's URL does not begin with http:// or https://");
  EXPECT_EQ(url_complaint("https://"), "the webhook's URL has no host");
  EXPECT_EQ(url_complaint("https:///s3cret"), "the webhook's URL has no host");
  EXPECT_EQ(url_complaint("https://example.net:70000/s3cret"), "the webhook's URL has a port that is none");
  EXPECT_THAT(url_complaint("https://example.net/a b"), HasSubstr("blanks"));
  EXPECT_THAT(url_complaint("https://example.net/\r\nX: y"), HasSubstr("control characters"));
  EXPECT_THAT(url_complaint("https://example.net/" + std::string(2048, 'a')), HasSubstr("longer than 2048"));
  EXPECT_THAT(url_complaint("https://user:s3cret@example.net/"),
              AllOf(HasSubstr("example.net has a user or a password in it"), Not(HasSubstr("s3cret"))));
}

std::string kind(const std::string& text) {
  sockaddr_storage storage{};
  if (text.find(':') == std::string::npos) {
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    EXPECT_EQ(inet_pton(AF_INET, text.c_str(), &v4.sin_addr), 1) << text;
    std::memcpy(&storage, &v4, sizeof v4);
  } else {
    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    EXPECT_EQ(inet_pton(AF_INET6, text.c_str(), &v6.sin6_addr), 1) << text;
    std::memcpy(&storage, &v6, sizeof v6);
  }
  return std::string(forbidden_kind(reinterpret_cast<const sockaddr&>(storage)).value_or("anybody's"));
}

TEST(Guard, LinkLocalAndMetadataAddressesAreNamedInEachOfTheirForms) {
  for (const char* address :
       {"169.254.0.1", "169.254.255.255", "::ffff:169.254.7.7", "64:ff9b::169.254.7.7", "fe80::1", "febf::1"})
    EXPECT_EQ(kind(address), "a link-local address") << address;
  for (const char* address : {"169.254.169.254", "::ffff:169.254.169.254", "100.100.100.200",
                              "::ffff:100.100.100.200", "fd00:ec2::254"})
    EXPECT_EQ(kind(address), "an address of a cloud's metadata service") << address;
  for (const char* address : {"0.0.0.0", "0.1.2.3", "::", "::ffff:0.0.0.0"})
    EXPECT_EQ(kind(address), "an unspecified address") << address;
  for (const char* address : {"224.0.0.1", "239.255.255.255", "ff02::1"})
    EXPECT_EQ(kind(address), "a multicast address") << address;
  EXPECT_EQ(kind("255.255.255.255"), "the broadcast address");
}

TEST(Guard, PublicPrivateAndLoopbackAddressesAreAnybodys) {
  for (const char* address :
       {"192.0.2.1", "10.0.0.1", "127.0.0.1", "169.253.1.1", "169.255.1.1", "100.100.100.201",
        "223.255.255.255", "240.0.0.1", "::1", "2001:db8::1", "fd00:ec2::255", "fec0::1", "::ffff:192.0.2.1"})
    EXPECT_EQ(kind(address), "anybody's") << address;
}

}  // namespace
}  // namespace nightjar::delivery
