#include <nightjar/lab/log.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace nightjar::lab {
namespace {

UtcTime utc_now() {
  return std::chrono::time_point_cast<Milliseconds>(std::chrono::system_clock::now());
}

// Milliseconds too: the waits between attempts are read off these.
std::string stamp(UtcTime t) {
  std::string text = to_rfc3339(t);
  text.insert(text.size() - 1, fmt::format(".{:03}", t.time_since_epoch().count() % 1000));
  return text;
}

std::int64_t since_boot_ms(MonoTime t) {
  return std::chrono::duration_cast<Milliseconds>(t.time_since_epoch()).count();
}

}  // namespace

std::string_view to_text(Ending ending) {
  switch (ending) {
    case Ending::open:
      return "open";
    case Ending::logout:
      return "logout";
    case Ending::closed:
      return "closed";
    case Ending::refused:
      return "refused";
    case Ending::rejected:
      return "rejected";
    case Ending::dropped:
      return "dropped";
    case Ending::failed:
      return "failed";
    case Ending::stopped:
      return "stopped";
  }
  return "?";
}

Result<std::unique_ptr<Log>> Log::open(const std::string& file, bool keep) {
  int fd = -1;
  if (!file.empty()) {
    fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (fd < 0)
      return failure(FailureClass::setup, Stage::none,
                     fmt::format("cannot write the lab's log {}: {}", file, std::strerror(errno)));
  }
  return std::unique_ptr<Log>(new Log(fd, keep));
}

Log::~Log() {
  if (file_ >= 0) ::close(file_);
}

std::vector<Visit> Log::copy_locked() const {
  std::vector<Visit> copy;
  copy.reserve(visits_.size());
  for (const auto& [handle, visit] : visits_) copy.push_back(visit);
  return copy;
}

std::vector<Visit> Log::visits() const {
  const std::lock_guard lock(mutex_);
  return copy_locked();
}

std::vector<Visit> Log::visits_of(std::string_view device) const {
  std::vector<Visit> all = visits();
  std::erase_if(all, [&](const Visit& v) { return v.device != device; });
  return all;
}

bool Log::wait_until(const std::function<bool(const std::vector<Visit>&)>& wanted,
                     Milliseconds at_most) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, at_most, [&] { return wanted(copy_locked()); });
}

bool Log::wait_until_all_ended(Milliseconds at_most) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, at_most, [&] { return open_ == 0; });
}

std::uint64_t Log::total() const {
  const std::lock_guard lock(mutex_);
  return last_;
}

std::uint64_t Log::open_now() const {
  const std::lock_guard lock(mutex_);
  return open_;
}

Log::Handle Log::begin(std::string_view customer, std::string_view device, int connection) {
  const std::lock_guard lock(mutex_);
  Visit visit;
  visit.customer = customer;
  visit.device = device;
  visit.connection = connection;
  visit.began = std::chrono::steady_clock::now();
  visit.began_utc = utc_now();
  const Handle handle = ++last_;
  ++open_;
  write_line(visits_.emplace(handle, std::move(visit)).first->second, "opened");
  changed_.notify_all();
  return handle;
}

void Log::change(Handle handle, const std::function<void(Visit&)>& edit) {
  const std::lock_guard lock(mutex_);
  const auto found = visits_.find(handle);
  if (found == visits_.end()) return;
  edit(found->second);
  changed_.notify_all();
}

void Log::end(Handle handle, Ending ending) {
  const std::lock_guard lock(mutex_);
  const auto found = visits_.find(handle);
  if (found == visits_.end() || found->second.ending != Ending::open) return;
  found->second.ending = ending;
  found->second.ended = std::chrono::steady_clock::now();
  found->second.ended_utc = utc_now();
  --open_;
  write_line(found->second, "closed");
  if (!keep_) visits_.erase(found);
  changed_.notify_all();
}

// One write a line: readers of a growing file never see half of one, and a killed lab loses none.
void Log::write_line(const Visit& visit, std::string_view event) const {
  if (file_ < 0) return;
  nlohmann::ordered_json line{{"event", event},
                              {"at", stamp(visit.ended_utc.value_or(visit.began_utc))},
                              {"mono_ms", since_boot_ms(visit.ended.value_or(visit.began))},
                              {"customer", visit.customer},
                              {"device", visit.device},
                              {"connection", visit.connection}};
  if (visit.ending != Ending::open) {
    line["ending"] = to_text(visit.ending);
    line["duration_ms"] = since_boot_ms(*visit.ended) - since_boot_ms(visit.began);
    line["sent_bytes"] = visit.sent;
    line["logins"] = nlohmann::ordered_json::array();
    for (const Login& login : visit.logins)
      line["logins"].push_back(
          {{"method", login.method}, {"username", login.username}, {"accepted", login.accepted}});
    line["commands"] = visit.commands;
  }
  const std::string text = line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  [[maybe_unused]] const auto written = ::write(file_, text.data(), text.size());
}

}  // namespace nightjar::lab
