#include "lab/connection.hpp"
#include "lab/host_key.hpp"
#include "lab/unit.hpp"

#include <nightjar/lab/fleet.hpp>
#include <nightjar/runtime/asio.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <thread>
#include <unordered_map>
#include <utility>

namespace nightjar::lab {

using asio::ip::tcp;

class Fleet::Floor {
 public:
  Floor(std::vector<Device> plan, Options how) : options(std::move(how)), devices(std::move(plan)) {
    for (const Device& device : devices) units.push_back(std::make_unique<Unit>(device));
  }

  Result<void> start();
  void stop();

  const Options options;
  const std::vector<Device> devices;
  std::vector<std::unique_ptr<Unit>> units;
  std::vector<std::uint16_t> ports;
  std::unique_ptr<Log> log;

 private:
  struct Post {
    Unit& unit;
    tcp::acceptor acceptor;
    asio::steady_timer relief;  // out of descriptors: try again a little later
  };

  Result<void> give_keys();
  Result<void> listen();
  void welcome(Post&);
  void accept_all(Post&);

  std::vector<std::unique_ptr<Identity>> identities_;
  std::unique_ptr<asio::io_context> loop_;  // exists while the fleet runs
  std::vector<std::unique_ptr<Post>> posts_;
  std::unordered_map<Connection*, std::shared_ptr<Connection>> connections_;
  std::thread thread_;
};

Result<void> Fleet::Floor::give_keys() {
  const auto keep = [&](HostKey key, Identity::Algorithms algorithms) {
    return identities_.emplace_back(std::make_unique<Identity>(std::move(key), algorithms)).get();
  };
  auto fleet_key = load_or_make_key(options.host_key_file);
  if (!fleet_key) return fleet_key.error();
  const Identity* usual = keep(std::move(*fleet_key), Identity::Algorithms::modern);
  const Identity* other = nullptr;
  const Identity* legacy = nullptr;
  for (const auto& unit : units) {
    unit->usual = unit->plan.own_host_key
                      ? keep(make_key(SSH_KEYTYPE_ED25519, 0), Identity::Algorithms::modern)
                      : usual;
    for (const Trait& trait : unit->plan.traits) {
      if (trait.behaviour == Behaviour::host_key_changes && other == nullptr)
        other = keep(make_key(SSH_KEYTYPE_ED25519, 0), Identity::Algorithms::modern);
      if (trait.behaviour == Behaviour::legacy_only && legacy == nullptr)
        legacy = keep(make_key(SSH_KEYTYPE_RSA, 2048), Identity::Algorithms::legacy);
    }
    unit->other = other;
    unit->legacy = legacy;
    if (unit->plan.public_key.empty()) continue;
    const std::string& line = unit->plan.public_key;
    const std::size_t space = line.find(' ');
    const std::string base64 =
        space == std::string::npos ? "" : line.substr(space + 1, line.find(' ', space + 1) - space - 1);
    ssh_key key = nullptr;
    if (ssh_pki_import_pubkey_base64(base64.c_str(), ssh_key_type_from_name(line.substr(0, space).c_str()),
                                     &key) != SSH_OK)
      return failure(FailureClass::setup, Stage::none,
                     fmt::format("the public key of lab device {} cannot be read", unit->plan.name));
    unit->client_key.reset(key);
  }
  return {};
}

Result<void> Fleet::Floor::listen() {
  boost::system::error_code error;
  const auto address = asio::ip::make_address(options.address, error);
  if (error)
    return failure(FailureClass::setup, Stage::none,
                   fmt::format("{} is no address to listen on", options.address));
  if (options.base_port != 0 && options.base_port + units.size() > 65'536)
    return failure(FailureClass::setup, Stage::none,
                   fmt::format("{} devices do not fit above port {}", units.size(), options.base_port));
  for (std::size_t i = 0; i < units.size(); ++i) {
    const auto port = static_cast<std::uint16_t>(options.base_port == 0 ? 0 : options.base_port + i);
    auto post = std::make_unique<Post>(Post{*units[i], tcp::acceptor(*loop_), asio::steady_timer(*loop_)});
    const tcp::endpoint endpoint(address, port);
    tcp::acceptor& acceptor = post->acceptor;
    acceptor.open(endpoint.protocol(), error);
    if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor.set_option(tcp::no_delay(true), error);  // accepted sockets inherit it
    if (!error) acceptor.bind(endpoint, error);
    // A dead device keeps its port bound without listening: refused, and nobody else can get it.
    const bool dead = units[i]->plan.trait(Behaviour::dead, 1) != nullptr;
    if (!error && !dead) acceptor.listen(tcp::acceptor::max_listen_connections, error);
    if (!error) acceptor.non_blocking(true, error);
    if (error)
      return failure(FailureClass::setup, Stage::none,
                     fmt::format("cannot listen on {}:{}: {}", options.address, port, error.message()));
    ports.push_back(acceptor.local_endpoint().port());
    if (!dead) welcome(*post);
    posts_.push_back(std::move(post));
  }
  return {};
}

void Fleet::Floor::welcome(Post& post) {
  post.acceptor.async_wait(tcp::acceptor::wait_read, [this, &post](boost::system::error_code error) {
    if (!error) accept_all(post);
  });
}

void Fleet::Floor::accept_all(Post& post) {
  for (;;) {
    const int fd = ::accept4(post.acceptor.native_handle(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
      auto connection = std::make_shared<Connection>(*loop_, fd, post.unit, *log,
                                                     [this](Connection* gone) { connections_.erase(gone); });
      connections_.emplace(connection.get(), connection);
      connection->start();
      continue;
    }
    if (errno == EINTR || errno == ECONNABORTED) continue;
    if (errno == EAGAIN) return welcome(post);
    post.relief.expires_after(Milliseconds{50});
    post.relief.async_wait([this, &post](boost::system::error_code error) {
      if (!error) welcome(post);
    });
    return;
  }
}

Result<void> Fleet::Floor::start() {
  if (log) return failure(FailureClass::internal, Stage::none, "a lab fleet is started once");
  auto opened = Log::open(options.log_file, options.keep_log);
  if (!opened) return opened.error();
  log = std::move(*opened);
  loop_ = std::make_unique<asio::io_context>(1);
  Result<void> ready = give_keys();
  if (ready) ready = listen();
  if (!ready) {
    posts_.clear();
    loop_.reset();
    return ready;
  }
  thread_ = std::thread([this] {
    const auto busy = asio::make_work_guard(*loop_);
    loop_->run();
  });
  return {};
}

void Fleet::Floor::stop() {
  if (!thread_.joinable()) return;
  asio::post(*loop_, [this] {
    posts_.clear();
    while (!connections_.empty()) {
      const std::shared_ptr<Connection> one = connections_.begin()->second;
      one->stop();
    }
    loop_->stop();
  });
  thread_.join();
  loop_.reset();  // and with it the handlers of cancelled waits, which still hold their connections
}

Fleet::Fleet(std::vector<Device> devices, Options options)
    : floor_(std::make_unique<Floor>(std::move(devices), std::move(options))) {}
Fleet::~Fleet() {
  stop();
}

Result<void> Fleet::start() {
  return floor_->start();
}
void Fleet::stop() {
  floor_->stop();
}
const std::vector<Device>& Fleet::devices() const {
  return floor_->devices;
}
std::uint16_t Fleet::port(std::size_t device) const {
  return floor_->ports.at(device);
}
const Log& Fleet::log() const {
  return *floor_->log;
}
std::string Fleet::fingerprint(std::size_t device, int connection) const {
  return floor_->units.at(device)->identity(connection).fingerprint();
}
void Fleet::change_config(std::size_t device) {
  floor_->units.at(device)->change_config();
}
std::string Fleet::last_config(std::size_t device) const {
  return floor_->units.at(device)->last_config();
}

}  // namespace nightjar::lab
