#include "delivery/post_loop.hpp"

#include <new>
#include <utility>

namespace nightjar::delivery {
namespace {

// At the longest; libcurl's own deadlines and wake-ups come before.
constexpr int poll_ms = 60'000;

}  // namespace

PostLoop::PostLoop(const runtime::Clock& clock) : clock_(clock), multi_(curl_multi_init()) {
  if (!multi_) throw std::bad_alloc();
  thread_ = std::thread([this] { work(); });
}

void PostLoop::add(Delivery delivery) {
  {
    const std::lock_guard lock(mutex_);
    if (!stopping_) {
      waiting_.push_back(std::move(delivery));
      curl_multi_wakeup(multi_.get());
      return;
    }
  }
  delivery.resume(delivery.errand->dropped(courier_stops));
}

void PostLoop::stop() {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(stopping_, true)) return;
    curl_multi_wakeup(multi_.get());
  }
  thread_.join();
}

void PostLoop::work() {
  keep_out_sigpipe();
  while (take_waiting()) {
    int running = 0;
    CURLMcode code = curl_multi_perform(multi_.get(), &running);
    if (code == CURLM_OK) {
      settle_finished();
      code = curl_multi_poll(multi_.get(), nullptr, 0, poll_ms, nullptr);
    }
    if (code != CURLM_OK) drop_all(curl_multi_strerror(code));
  }
  drop_all(courier_stops);
}

bool PostLoop::take_waiting() {
  std::vector<Delivery> fresh;
  bool stopping = false;
  {
    const std::lock_guard lock(mutex_);
    fresh.swap(waiting_);
    stopping = stopping_;
  }
  for (Delivery& delivery : fresh) {
    CURL* const easy = hold(std::move(delivery));
    const CURLMcode code = stopping ? CURLM_OK : curl_multi_add_handle(multi_.get(), easy);
    if (code != CURLM_OK)
      settle(easy, [&](Delivery& d) { return d.errand->dropped(curl_multi_strerror(code)); });
  }
  return !stopping;
}

CURL* PostLoop::hold(Delivery delivery) {
  CURL* const easy = delivery.easy.get();
  under_way_.emplace(easy, std::move(delivery));
  return easy;
}

void PostLoop::settle_finished() {
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    const CURLcode code = message->data.result;
    CURL* const easy = message->easy_handle;
    settle(easy, [&](Delivery& d) { return d.errand->judge(easy, code, clock_.now()); });
  }
}

void PostLoop::drop_all(std::string_view why) {
  while (!under_way_.empty())
    settle(under_way_.begin()->first, [&](Delivery& d) { return d.errand->dropped(why); });
}

template <class Judgement>
void PostLoop::settle(CURL* easy, Judgement judgement) {
  curl_multi_remove_handle(multi_.get(), easy);
  auto node = under_way_.extract(easy);
  Answer answer = judgement(node.mapped());
  auto resume = std::move(node.mapped().resume);
  node = {};
  resume(std::move(answer));
}

}  // namespace nightjar::delivery
