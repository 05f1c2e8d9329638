#include "delivery/errand.hpp"

#include <nightjar/delivery/courier.hpp>

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/prefer.hpp>
#include <fmt/format.h>

#include <csignal>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <unordered_map>

namespace nightjar::delivery {
namespace {

// At the longest; libcurl's own deadlines and wake-ups come before.
constexpr int poll_ms = 60'000;
constexpr std::string_view stops = "the courier stops";

struct CloseMulti {
  void operator()(CURLM* multi) const noexcept { curl_multi_cleanup(multi); }
};

// The order matters: the handle goes first, its callbacks are the errand's.
struct Delivery {
  std::unique_ptr<Errand> errand;
  Easy easy;
  std::function<void(Answer)> resume;
};

void start_curl() {
  static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (started != CURLE_OK) throw std::runtime_error("libcurl does not start");
}

// TLS writes to a socket that the server has closed: the answer is an error, not a signal.
void keep_out_sigpipe() {
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
}

Answer as_answer(const Failure& failure) {
  return {.verdict = failure.failure_class == FailureClass::setup ? Verdict::refused : Verdict::deferred,
          .detail = failure.reason};
}

}  // namespace

class Courier::Impl {
 public:
  explicit Impl(const runtime::Clock& clock) : clock_(clock), multi_(curl_multi_init()) {
    if (!multi_) throw std::bad_alloc();
    thread_ = std::thread([this] { work(); });
  }
  ~Impl() { stop(); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void add(Delivery delivery) {
    {
      const std::lock_guard lock(mutex_);
      if (!stopping_) {
        waiting_.push_back(std::move(delivery));
        curl_multi_wakeup(multi_.get());
        return;
      }
    }
    delivery.resume(delivery.errand->dropped(stops));
  }

  void stop() {
    {
      const std::lock_guard lock(mutex_);
      if (std::exchange(stopping_, true)) return;
      curl_multi_wakeup(multi_.get());
    }
    thread_.join();
  }

 private:
  void work() {
    keep_out_sigpipe();
    while (take_waiting()) {
      int running = 0;
      CURLMcode code = curl_multi_perform(multi_.get(), &running);
      if (code == CURLM_OK) {
        settle_finished();
        code = curl_multi_poll(multi_.get(), nullptr, 0, poll_ms, nullptr);
      }
      if (code != CURLM_OK) drop_all(fmt::format("libcurl: {}", curl_multi_strerror(code)));
    }
    drop_all(std::string(stops));
  }

  // False when it is time to stop.
  bool take_waiting() {
    std::vector<Delivery> fresh;
    {
      const std::lock_guard lock(mutex_);
      fresh.swap(waiting_);
      if (stopping_) {
        for (Delivery& delivery : fresh) hold(std::move(delivery));
        return false;
      }
    }
    for (Delivery& delivery : fresh) {
      CURL* const easy = hold(std::move(delivery));
      const CURLMcode code = curl_multi_add_handle(multi_.get(), easy);
      if (code != CURLM_OK)
        settle(easy, [&](Delivery& d) { return d.errand->dropped(curl_multi_strerror(code)); });
    }
    return true;
  }

  CURL* hold(Delivery delivery) {
    CURL* const easy = delivery.easy.get();
    under_way_.emplace(easy, std::move(delivery));
    return easy;
  }

  void settle_finished() {
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      const CURLcode code = message->data.result;
      CURL* const easy = message->easy_handle;
      settle(easy, [&](Delivery& d) { return d.errand->judge(easy, code, clock_.now()); });
    }
  }

  void drop_all(const std::string& why) {
    while (!under_way_.empty())
      settle(under_way_.begin()->first, [&](Delivery& d) { return d.errand->dropped(why); });
  }

  template <class Judgement>
  void settle(CURL* easy, Judgement judgement) {
    curl_multi_remove_handle(multi_.get(), easy);
    auto node = under_way_.extract(easy);
    Answer answer = judgement(node.mapped());
    auto resume = std::move(node.mapped().resume);
    node = {};
    resume(std::move(answer));
  }

  const runtime::Clock& clock_;
  std::unique_ptr<CURLM, CloseMulti> multi_;
  std::unordered_map<CURL*, Delivery> under_way_;  // the thread's own
  std::mutex mutex_;
  std::vector<Delivery> waiting_;
  bool stopping_ = false;
  std::thread thread_;
};

std::string_view to_text(Verdict verdict) {
  switch (verdict) {
    case Verdict::delivered:
      return "delivered";
    case Verdict::deferred:
      return "deferred";
    case Verdict::refused:
      return "refused";
    case Verdict::gone:
      return "gone";
  }
  return "deferred";
}

Courier::Courier(const runtime::Clock& clock) {
  start_curl();
  impl_ = std::make_unique<Impl>(clock);
}

Courier::~Courier() = default;

void Courier::stop() {
  impl_->stop();
}

Task<Answer> Courier::send(MailServer server, Mail mail) {
  auto errand = mail_errand(std::move(server), std::move(mail));
  if (!errand) co_return as_answer(errand.error());
  auto going = std::move(*errand);
  auto answer = co_await carry(std::move(going));
  co_return answer;
}

Task<Answer> Courier::post(Post post) {
  auto errand = post_errand(std::move(post));
  if (!errand) co_return as_answer(errand.error());
  auto going = std::move(*errand);
  auto answer = co_await carry(std::move(going));
  co_return answer;
}

Task<Answer> Courier::carry(std::unique_ptr<Errand> errand) {
  auto start = [impl = impl_.get(), errand = std::move(errand)](auto handler) mutable {
    // tracked: the io_context counts the delivery as its own work until the handler is posted there.
    auto executor =
        asio::prefer(asio::get_associated_executor(handler), asio::execution::outstanding_work.tracked);
    // std::function wants copies, handlers move alone.
    auto shared = std::make_shared<decltype(handler)>(std::move(handler));
    auto resume = [executor = std::move(executor), shared = std::move(shared)](Answer answer) mutable {
      auto call = [handler = std::move(*shared), answer = std::move(answer)]() mutable {
        handler(std::move(answer));
      };
      asio::post(executor, std::move(call));
    };
    Easy easy = errand->equip();
    impl->add({std::move(errand), std::move(easy), std::move(resume)});
  };
  auto answer = co_await asio::async_initiate<const asio::use_awaitable_t<>, void(Answer)>(
      std::move(start), asio::use_awaitable);
  co_return answer;
}

}  // namespace nightjar::delivery
