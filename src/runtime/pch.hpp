// The precompiled header of every module that speaks Asio: what is expensive to parse and never changes.
#pragma once
#include <nightjar/base/result.hpp>
#include <nightjar/runtime/asio.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
