// Posts: all of them on one thread, in one libcurl loop that waits for none in particular.
#pragma once
#include "delivery/delivery.hpp"

#include <nightjar/runtime/clock.hpp>

#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace nightjar::delivery {

class PostLoop {
 public:
  explicit PostLoop(const runtime::Clock& clock);
  PostLoop(const PostLoop&) = delete;
  PostLoop& operator=(const PostLoop&) = delete;
  ~PostLoop() { stop(); }

  // From any thread.
  void add(Delivery delivery);
  void stop();

 private:
  void work();
  bool take_waiting();  // false when it is time to stop
  CURL* hold(Delivery delivery);
  void settle_finished();
  void drop_all(std::string_view why);
  template <class Judgement>
  void settle(CURL* easy, Judgement judgement);

  struct CloseMulti {
    void operator()(CURLM* multi) const noexcept { curl_multi_cleanup(multi); }
  };

  const runtime::Clock& clock_;
  std::unique_ptr<CURLM, CloseMulti> multi_;
  std::unordered_map<CURL*, Delivery> under_way_;  // the thread's own
  std::mutex mutex_;
  std::vector<Delivery> waiting_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace nightjar::delivery
