#include <nightjar/runtime/notify.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace nightjar::runtime {
namespace {

namespace fs = std::filesystem;
using ::testing::StartsWith;

// The manager's end: a datagram socket, in a folder of its own unless the name begins with NUL.
class Manager {
 public:
  explicit Manager(std::string abstract_name = {}) {
    std::string shape = (fs::temp_directory_path() / "nightjar-notify-XXXXXX").string();
    folder_ = ::mkdtemp(shape.data());
    path_ = abstract_name.empty() ? (folder_ / "notify").string() : std::move(abstract_name);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path_.data(), path_.size());
    socket_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path_.size());
    if (::bind(socket_, reinterpret_cast<const sockaddr*>(&address), length) != 0) std::abort();
  }
  ~Manager() {
    ::close(socket_);
    fs::remove_all(folder_);
  }
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;

  // What NOTIFY_SOCKET says.
  std::string name() const { return path_.front() == '\0' ? "@" + path_.substr(1) : path_; }

  // The next message; a datagram that was sent is there at once. "" when there is none.
  std::string heard() const {
    std::array<char, 4096> buffer{};
    const auto bytes = ::recv(socket_, buffer.data(), buffer.size(), 0);
    return bytes > 0 ? std::string(buffer.data(), static_cast<std::size_t>(bytes)) : std::string();
  }

 private:
  fs::path folder_;
  std::string path_;
  int socket_ = -1;
};

ServiceManager told_by(const Manager& manager) {
  return ServiceManager({.notify_socket = manager.name()});
}

TEST(ServiceManager, EachStepOfALifeIsOneDatagram) {
  const Manager manager;
  ServiceManager service = told_by(manager);
  service.ready();
  service.watchdog();
  service.stopping();
  EXPECT_EQ(manager.heard(), "READY=1");
  EXPECT_EQ(manager.heard(), "WATCHDOG=1");
  EXPECT_EQ(manager.heard(), "STOPPING=1");
  EXPECT_EQ(manager.heard(), "");
}

TEST(ServiceManager, AnAbstractSocketIsReachedByItsNameAfterTheAt) {
  const Manager manager(std::string(1, '\0') + "nightjar-notify-test-" + std::to_string(::getpid()));
  told_by(manager).ready();
  EXPECT_EQ(manager.heard(), "READY=1");
}

TEST(ServiceManager, AReloadCarriesTheMonotonicTimeTheManagerComparesWith) {
  const auto now = [] {
    timespec time{};
    ::clock_gettime(CLOCK_MONOTONIC, &time);
    return std::int64_t{time.tv_sec} * 1'000'000 + time.tv_nsec / 1000;
  };
  const Manager manager;
  const auto before = now();
  told_by(manager).reloading();
  const auto after = now();
  const std::string said = manager.heard();
  constexpr std::string_view head = "RELOADING=1\nMONOTONIC_USEC=";
  ASSERT_THAT(said, StartsWith(std::string(head)));
  const std::int64_t told = std::stoll(said.substr(head.size()));
  EXPECT_LE(before, told);
  EXPECT_GE(after, told);
}

TEST(ServiceManager, AStatusCannotSmuggleInAnotherAssignment) {
  const Manager manager;
  told_by(manager).status("waits\nREADY=1\r\x7f!");
  EXPECT_EQ(manager.heard(), "STATUS=waits READY=1  !");
}

TEST(ServiceManager, ALongStatusIsCutBetweenCharacters) {
  const Manager manager;
  told_by(manager).status(std::string(999, 'x') + "\u00e9\u00e9");
  EXPECT_EQ(manager.heard(), "STATUS=" + std::string(999, 'x'));
}

TEST(ServiceManager, WithoutASocketNothingListensAndNothingHappens) {
  ServiceManager service(ServiceManager::Environment{});
  service.ready();
  service.reloading();
  service.status("idle");
  EXPECT_FALSE(service.listens());
}

TEST(ServiceManager, ASocketNameThatIsNoneIsNoSocket) {
  EXPECT_FALSE(ServiceManager({.notify_socket = ""}).listens());
  EXPECT_FALSE(ServiceManager({.notify_socket = "relative"}).listens());
  EXPECT_FALSE(ServiceManager({.notify_socket = "/" + std::string(200, 'x')}).listens());
}

TEST(ServiceManager, AManagerThatIsGoneIsNotNoticed) {
  std::string name;
  {
    const Manager manager;
    name = manager.name();
  }
  ServiceManager service({.notify_socket = name});
  service.ready();
  EXPECT_TRUE(service.listens());
}

TEST(ServiceManager, AManagerThatDoesNotReadDoesNotMakeTheServiceWait) {
  const Manager manager;
  ServiceManager service = told_by(manager);
  for (int i = 0; i < 10'000; ++i) service.watchdog();
  EXPECT_EQ(manager.heard(), "WATCHDOG=1");
}

TEST(Watchdog, IsDueTwiceAsOftenAsTheManagerAsks) {
  const Manager manager;
  const auto interval = [&](const char* usec) {
    return ServiceManager({.notify_socket = manager.name(), .watchdog_usec = usec}).watchdog_interval();
  };
  EXPECT_EQ(interval("30000000"), Milliseconds{15'000});
  EXPECT_EQ(interval("1"), Milliseconds{1});
  EXPECT_EQ(interval("0"), std::nullopt);
  EXPECT_EQ(interval("-5"), std::nullopt);
  EXPECT_EQ(interval("30s"), std::nullopt);
  EXPECT_EQ(interval("99999999999999999999"), std::nullopt);
}

TEST(Watchdog, OfAnotherProcessIsNotOurs) {
  const Manager manager;
  ServiceManager::Environment environment{.notify_socket = manager.name(), .watchdog_usec = "30000000"};
  environment.watchdog_pid = std::to_string(::getpid());
  EXPECT_EQ(ServiceManager(environment).watchdog_interval(), Milliseconds{15'000});
  environment.watchdog_pid = std::to_string(::getppid());
  EXPECT_EQ(ServiceManager(environment).watchdog_interval(), std::nullopt);
  environment.watchdog_pid = "";
  EXPECT_EQ(ServiceManager(environment).watchdog_interval(), std::nullopt);
}

TEST(Watchdog, IsNotAskedForWithoutASocketToTell) {
  EXPECT_EQ(ServiceManager({.watchdog_usec = "30000000"}).watchdog_interval(), std::nullopt);
}

TEST(ServiceManager, TakesItsVariablesOutOfTheEnvironmentOfChildren) {
  const Manager manager;
  ::setenv("NOTIFY_SOCKET", manager.name().c_str(), 1);
  ::setenv("WATCHDOG_USEC", "2000000", 1);
  ::setenv("WATCHDOG_PID", std::to_string(::getpid()).c_str(), 1);
  ServiceManager service = ServiceManager::from_environment();
  service.ready();
  EXPECT_EQ(manager.heard(), "READY=1");
  EXPECT_EQ(service.watchdog_interval(), Milliseconds{1000});
  EXPECT_EQ(std::getenv("NOTIFY_SOCKET"), nullptr);
  EXPECT_EQ(std::getenv("WATCHDOG_USEC"), nullptr);
  EXPECT_EQ(std::getenv("WATCHDOG_PID"), nullptr);
}

TEST(ServiceManager, OneThatWasMovedFromIsSilent) {
  const Manager manager;
  ServiceManager first = told_by(manager);
  ServiceManager second = std::move(first);
  second.ready();
  EXPECT_FALSE(first.listens());  // NOLINT(bugprone-use-after-move): what is left behind is the point
  EXPECT_EQ(manager.heard(), "READY=1");
}

}  // namespace
}  // namespace nightjar::runtime
