// What `rule`, `schedule` and `limits` have in common: looking at the settings in force at a level, or as
// they would be with other values, and setting or clearing fields there. What they mean is said by each noun.
#pragma once
#include "cli/exit_code.hpp"
#include "cli/names.hpp"
#include "cli/output.hpp"
#include "cli/settings_json.hpp"

#include <nightjar/store/settings.hpp>

#include <CLI/App.hpp>

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nightjar::cli {

struct CascadeOptions {
  ScopeOptions scope;
  std::vector<std::string> assignments;
};
void declare_look(CLI::App& app, CascadeOptions& options);
void declare_edit(CLI::App& app, CascadeOptions& options);

// For the foot of a help page: each field with what may be written into it.
std::string fields_text(std::initializer_list<std::pair<std::string_view, std::string_view>> fields);

// FIELD=VALUE, in two.
Result<std::pair<std::string_view, std::string_view>> parse_assignment(std::string_view text);

template <template <template <class> class> class S>
struct SettingsAt {
  NamedScope at;
  S<std::optional> own;  // what this level sets
  store::InForce<S> in_force;
  bool same = false;  // the assignments change nothing
};

// All of them or none.
template <template <template <class> class> class S>
Result<S<std::optional>> assigned(S<std::optional> layer, const std::vector<std::string>& assignments) {
  for (const std::string& text : assignments) {
    const auto pair = parse_assignment(text);
    if (!pair) return pair.error();
    if (const auto done = rules::assign<S>(layer, pair->first, pair->second); !done) return done.error();
  }
  return layer;
}

// What is in force at the scope with its own layer replaced.
template <template <template <class> class> class S>
Result<store::InForce<S>> in_force_with(store::Database& db, const NamedScope& at,
                                        const S<std::optional>& own) {
  store::Settings settings{db};
  const auto platform = settings.layer<S>({});
  if (!platform) return platform.error();
  Result<S<std::optional>> customer = S<std::optional>{};
  if (at.customer) customer = settings.layer<S>({rules::Level::customer, at.customer, {}});
  if (!customer) return customer.error();
  const rules::Level level = at.scope.level;
  const rules::Layers<S> layers{
      .platform = level == rules::Level::platform ? &own : &*platform,
      .customer = level == rules::Level::customer ? &own : &*customer,
      .device = level == rules::Level::device ? &own : nullptr,
  };
  return store::InForce<S>{.rule = rules::resolve<S>(rules::Describe<S>::built_in(), layers),
                           .customer_name = at.customer_name,
                           .device_name = at.device_name};
}

// The settings in force, or as they would be with the assignments; nothing is stored.
template <template <template <class> class> class S>
Result<SettingsAt<S>> look(store::Database& db, const CascadeOptions& options) {
  const auto at = find_scope(db, options.scope);
  if (!at) return at.error();
  const auto own = store::Settings{db}.layer<S>(at->scope);
  if (!own) return own.error();
  auto changed = assigned<S>(*own, options.assignments);
  if (!changed) return changed.error();
  auto in_force = in_force_with<S>(db, *at, *changed);
  if (!in_force) return in_force.error();
  const bool same = *changed == *own;
  return SettingsAt<S>{*at, std::move(*changed), std::move(*in_force), same};
}

// Stores the assignments, and what `afterwards` writes, in one transaction.
template <template <template <class> class> class S>
Result<SettingsAt<S>> edit(
    store::Database& db, const CascadeOptions& options,
    const std::function<Result<void>()>& afterwards = [] { return Result<void>{}; }) {
  SettingsAt<S> edited;
  const auto done = db.atomically([&]() -> Result<void> {
    auto seen = look<S>(db, options);
    if (!seen) return seen.error();
    edited = std::move(*seen);
    if (edited.same) return {};
    if (auto set = store::Settings{db}.set_layer<S>(edited.at.scope, edited.own); !set) return set;
    return afterwards();
  });
  if (!done) return done.error();
  return edited;
}

template <template <template <class> class> class S>
void print(const Output& out, const store::InForce<S>& in_force) {
  if (out.format() == Format::json) return out.json(to_json(in_force));
  out.list(settings_listing(in_force));
}

}  // namespace nightjar::cli
