#include "delivery/mail_threads.hpp"

#include <system_error>
#include <utility>

namespace nightjar::delivery {

void MailThreads::add(Delivery delivery) {
  std::string_view why_not = courier_stops;
  {
    const std::lock_guard lock(mutex_);
    for (auto run = runs_.begin(); run != runs_.end();) {
      const auto here = run++;
      if (!here->over) continue;
      here->thread.join();
      runs_.erase(here);
    }
    if (!stopping_) {
      CURL* const easy = delivery.easy.get();
      set(easy, CURLOPT_XFERINFOFUNCTION, &MailThreads::stop_if_asked);
      set(easy, CURLOPT_XFERINFODATA, static_cast<void*>(this));
      set(easy, CURLOPT_NOPROGRESS, 0L);
      Run& run = runs_.emplace_back(std::move(delivery));
      try {
        run.thread = std::thread([this, &run] { carry(run); });
        return;
      } catch (const std::system_error&) {
        why_not = "the system has no thread left for it";
        delivery = std::move(run.delivery);
        runs_.pop_back();
      }
    }
  }
  delivery.resume(delivery.errand->dropped(why_not));
}

void MailThreads::stop() {
  stopping_ = true;
  std::list<Run> last;
  {
    const std::lock_guard lock(mutex_);
    last.swap(runs_);
  }
  for (Run& run : last) run.thread.join();
}

void MailThreads::carry(Run& run) {
  keep_out_sigpipe();
  Delivery delivery = std::move(run.delivery);
  CURL* const easy = delivery.easy.get();
  const CURLcode code = curl_easy_perform(easy);
  Answer answer = code == CURLE_ABORTED_BY_CALLBACK ? delivery.errand->dropped(courier_stops)
                                                    : delivery.errand->judge(easy, code, clock_.now());
  auto resume = std::move(delivery.resume);
  delivery.easy.reset();
  delivery.errand.reset();
  resume(std::move(answer));
  run.over = true;
}

// libcurl asks at least once a second.
int MailThreads::stop_if_asked(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return static_cast<MailThreads*>(self)->stopping_ ? 1 : 0;
}

}  // namespace nightjar::delivery
