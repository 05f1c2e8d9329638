#include "cli/settings.hpp"

#include "cli/exit_code.hpp"
#include "cli/file.hpp"
#include "cli/text.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

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
      } else {
        return unknown(key, "", {"drivers", "limits"});
      }
    }
    return settings;
  }

 private:
  Result<void> read_limits(const toml::table& table, orchestrator::Limits& limits) {
    const std::array<std::pair<std::string, int*>, 3> known{
        {{"sessions", &limits.sessions},
         {"sessions_per_customer", &limits.sessions_per_customer},
         {"connections_per_second", &limits.connections_per_second}}};
    for (const auto& [key, node] : table) {
      int* into = nullptr;
      for (const auto& [name, value] : known)
        if (key.str() == name) into = value;
      if (!into) return unknown(key, "limits.", {known[0].first, known[1].first, known[2].first});
      const auto number = node.is_integer() ? node.value<std::int64_t>() : std::nullopt;
      if (!number || *number < 1 || *number > most_sessions)
        return bad(node, fmt::format("limits.{}", key.str()),
                   fmt::format("a whole number from 1 to {} is wanted", most_sessions));
      *into = static_cast<int>(*number);
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
