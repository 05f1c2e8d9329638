// Mails: each on a thread of its own for as long as it takes. In a shared loop libcurl would wait for the
// answer to a whole mail, and to QUIT, inside one call: a server that never gives it would hold up
// everybody's messages.
#pragma once
#include "delivery/delivery.hpp"

#include <nightjar/runtime/clock.hpp>

#include <atomic>
#include <list>
#include <mutex>
#include <thread>

namespace nightjar::delivery {

class MailThreads {
 public:
  explicit MailThreads(const runtime::Clock& clock) : clock_(clock) {}
  MailThreads(const MailThreads&) = delete;
  MailThreads& operator=(const MailThreads&) = delete;
  ~MailThreads() { stop(); }

  // From any thread.
  void add(Delivery delivery);
  void stop();

 private:
  struct Run {
    Delivery delivery;
    std::atomic<bool> over = false;
    std::thread thread{};
  };

  void carry(Run& run);
  static int stop_if_asked(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t);

  const runtime::Clock& clock_;
  std::atomic<bool> stopping_ = false;
  std::mutex mutex_;
  std::list<Run> runs_;
};

}  // namespace nightjar::delivery
