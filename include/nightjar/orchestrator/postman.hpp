// Delivers what the outbox holds: completes messages whose time has come, sends each to its destination, one
// at a time to each, and writes what became of it. Several processes may do so on one database: a message is
// taken before it is sent. One that dies while it sends may have been heard: it is sent again under the same
// id.
#pragma once
#include <nightjar/delivery/courier.hpp>
#include <nightjar/orchestrator/site.hpp>
#include <nightjar/runtime/asio.hpp>
#include <nightjar/store/outbox.hpp>

#include <functional>
#include <memory>
#include <string>

namespace nightjar::orchestrator {

struct Delivered {  // a try that is over, after it was committed
  store::Message message;
  delivery::Answer answer;
  std::optional<UtcTime> next_try;
};

class Postman {
 public:
  struct Listeners {
    std::function<void(const Delivered&)> tried;
    std::function<void(const Failure&)> trouble;  // the store refuses; it is asked again
  };
  // `owner` is the name of an OwnerLock that the caller holds. The courier outlives the postman.
  Postman(Site site, std::string owner, delivery::Courier& courier, Listeners listeners);
  ~Postman();

  // Until it is stopped; what is under way then is waited for by nobody and tried again by the next process.
  Task<void> run();
  void stop();

  // Completes what is gathered now, tries all that is due once, and returns when that is over or `most` has
  // passed.
  Task<void> flush(Milliseconds most);

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace nightjar::orchestrator
