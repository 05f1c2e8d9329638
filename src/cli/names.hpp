// How things are named on the command line: CUSTOMER/DEVICE, selectors and scopes.
#pragma once
#include <nightjar/store/inventory.hpp>

#include <CLI/App.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nightjar::cli {

using DeviceName = std::pair<std::string, std::string>;  // customer, device

// Anything but two names around one slash is class setup.
Result<DeviceName> parse_device_name(std::string_view text);
Result<store::Device> find_device(store::Database& db, std::string_view text);

// A positional number, e.g. a series id.
Result<std::int64_t> parse_number(std::string_view text, std::string_view what);

struct SelectorOptions {
  bool all = false;
  std::vector<std::string> customers, devices, tags;
  bool empty() const { return !all && customers.empty() && devices.empty() && tags.empty(); }
};
void declare_selector(CLI::App& app, SelectorOptions& options);
// Nothing said selects all.
Result<store::Selector> to_selector(const SelectorOptions& options);

struct ScopeOptions {
  bool platform = false;
  std::string customer, device;
};
void declare_scope(CLI::App& app, ScopeOptions& options);

struct NamedScope {
  store::Scope scope;
  CustomerId customer;  // also of a device's scope
  std::string name;     // "the platform", "customer acme", "device acme/core-01"
  std::string customer_name, device_name;
};
// None or several of the three is class setup.
Result<NamedScope> find_scope(store::Database& db, const ScopeOptions& options);

}  // namespace nightjar::cli
