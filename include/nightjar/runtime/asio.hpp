// The one door to Asio: what every coroutine file includes, and what the shared precompiled header holds.
#pragma once
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace nightjar {

namespace asio = boost::asio;

template <class T>
using Task = asio::awaitable<T>;

// co_await x.async_f(..., as_result): a tuple whose first element is the error code; nothing is thrown.
inline constexpr auto as_result = asio::as_tuple(asio::use_awaitable);

}  // namespace nightjar
