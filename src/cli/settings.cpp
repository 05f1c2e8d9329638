#include "cli/settings.hpp"

#include "cli/exit_code.hpp"
#include "cli/file.hpp"
#include "cli/text.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace nightjar::cli {
namespace {

class Reader {
 public:
  explicit Reader(std::string_view name) : name_(name) {}

  Result<Settings> read(const toml::table& root) {
    Settings settings;
    for (const auto& [key, node] : root) {
      if (key.str() == "drivers") {
        const auto text = node.value<std::string>();
        if (!text || text->empty()) return bad(node, "drivers", "a folder's path is wanted");
        settings.drivers = *text;
      } else if (key.str() == "limits") {
        const toml::table* limits = node.as_table();
        if (!limits) return bad(node, "limits", "a table is wanted");
        if (auto done = read_limits(*limits, settings.limits); !done) return done.error();
      } else if (key.str() == "serve") {
        const toml::table* serve = node.as_table();
        if (!serve) return bad(node, "serve", "a table is wanted");
        if (auto done = read_serve(*serve, settings); !done) return done.error();
      } else {
        return unknown(key, "", {"drivers", "limits", "serve"});
      }
    }
    return settings;
  }

 private:
  Result<void> read_limits(const toml::table& table, orchestrator::Limits& limits) {
    struct Number {
      std::string name;
      int* into;
      int least, most;
    };
    const std::array known{Number{"sessions", &limits.sessions, 1, most_sessions},
                           Number{"sessions_per_customer", &limits.sessions_per_customer, 1, most_sessions},
                           Number{"connections_per_second", &limits.connections_per_second, 1, most_sessions},
                           Number{"retry_percent", &limits.retries.percent, 0, 10'000},
                           Number{"retries_per_second", &limits.retries.per_second, 1, 100'000}};
    for (const auto& [key, node] : table) {
      const auto found = std::ranges::find(known, key.str(), &Number::name);
      if (found == known.end()) {
        std::vector<std::string> names;
        for (const Number& number : known) names.push_back(number.name);
        return unknown(key, "limits.", names);
      }
      const auto number = node.is_integer() ? node.value<std::int64_t>() : std::nullopt;
      if (!number || *number < found->least || *number > found->most)
        return bad(node, fmt::format("limits.{}", key.str()),
                   fmt::format("a whole number from {} to {} is wanted", found->least, found->most));
      *found->into = static_cast<int>(*number);
    }
    return {};
  }

  Result<void> read_serve(const toml::table& table, Settings& settings) {
    constexpr int longest_grace = 3600;
    for (const auto& [key, node] : table) {
      if (key.str() == "listen") {
        const auto text = node.value<std::string>();
        if (!text || text->empty()) return bad(node, "serve.listen", "ADDRESS:PORT or none is wanted");
        settings.listen = *text;
      } else if (key.str() == "grace_seconds") {
        const auto number = node.is_integer() ? node.value<std::int64_t>() : std::nullopt;
        if (!number || *number < 0 || *number > longest_grace)
          return bad(node, "serve.grace_seconds",
                     fmt::format("a whole number from 0 to {} is wanted", longest_grace));
        settings.grace_seconds = static_cast<int>(*number);
      } else {
        return unknown(key, "serve.", {"listen", "grace_seconds"});
      }
    }
    return {};
  }

  Failure bad(const toml::node& node, std::string_view key, std::string_view what) const {
    return usage(fmt::format("{}:{}: {}: {}", name_, node.source().begin.line, key, what));
  }

  Failure unknown(const toml::key& key, std::string_view table, const std::vector<std::string>& known) const {
    return usage(fmt::format("{}:{}: {}{}: unknown key{}", name_, key.source().begin.line, table, key.str(),
                             did_you_mean(key.str(), known)));
  }

  std::string_view name_;
};

}  // namespace

Result<Settings> parse_settings(std::string_view text, std::string_view name) {
  try {
    return Reader{name}.read(toml::parse(text, name));
  } catch (const toml::parse_error& error) {
    return usage(fmt::format("{}:{}: {}", name, error.source().begin.line, error.description()));
  }
}

Result<Settings> read_settings(const std::filesystem::path& file) {
  constexpr std::size_t most_bytes = 1u << 20;
  const auto text = read_file(file.string(), most_bytes);
  if (!text) return text.error();
  return parse_settings(*text, file.string());
}

}  // namespace nightjar::cli
