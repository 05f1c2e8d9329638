#include "delivery/mail_threads.hpp"
#include "delivery/post_loop.hpp"

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/prefer.hpp>

#include <csignal>
#include <stdexcept>

namespace nightjar::delivery {
namespace {

void start_curl() {
  static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (started != CURLE_OK) throw std::runtime_error("libcurl does not start");
}

Answer as_answer(const Failure& failure) {
  return {.verdict = Verdict::refused, .detail = failure.reason};
}

// Resumes with the answer to the errand, which `ways` (posts or mails) carries.
template <class Ways>
Task<Answer> carry(Ways& ways, std::unique_ptr<Errand> errand) {
  auto start = [&ways, errand = std::move(errand)](auto handler) mutable {
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
    ways.add({std::move(errand), std::move(easy), std::move(resume)});
  };
  auto answer = co_await asio::async_initiate<const asio::use_awaitable_t<>, void(Answer)>(
      std::move(start), asio::use_awaitable);
  co_return answer;
}

}  // namespace

void keep_out_sigpipe() {
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
}

struct Courier::Impl {
  explicit Impl(const runtime::Clock& clock) : posts(clock), mails(clock) {}
  PostLoop posts;
  MailThreads mails;
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
  impl_->mails.stop();
  impl_->posts.stop();
}

Task<Answer> Courier::send(MailServer server, Mail mail) {
  auto errand = mail_errand(std::move(server), std::move(mail));
  if (!errand) co_return as_answer(errand.error());
  auto going = std::move(*errand);
  auto answer = co_await carry(impl_->mails, std::move(going));
  co_return answer;
}

Task<Answer> Courier::post(Post post) {
  auto errand = post_errand(std::move(post));
  if (!errand) co_return as_answer(errand.error());
  auto going = std::move(*errand);
  auto answer = co_await carry(impl_->posts, std::move(going));
  co_return answer;
}

}  // namespace nightjar::delivery
