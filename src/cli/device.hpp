// What the verbs of `device` share.
#pragma once
#include "cli/command.hpp"
#include "cli/listing.hpp"

#include <nightjar/config/driver.hpp>
#include <nightjar/store/inventory.hpp>

#include <CLI/App.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace nightjar::cli {

Listing device_listing();
void add_row(Listing& into, const store::DeviceSummary& summary);
Json to_json(const store::Device& device);

// Known, or class setup with the nearest name; with no name at all the drivers are listed.
Result<void> check_driver(const config::Drivers& drivers, std::string_view name);
// A credential that devices of this customer may use: its own or the platform's. Another customer's is class
// setup.
Result<store::Credential> usable_credential(store::Inventory& inventory, std::string_view full_name,
                                            CustomerId customer, std::string_view customer_name);
void set_credential(store::Device& device, const store::Credential& credential);
void set_tags(store::Device& device,
              std::vector<std::string> tags);  // sorted, each once, empty ones left out

// The other verbs, a file each.
void declare_device_import(Commands& commands, CLI::App& noun);
void declare_device_test(Commands& commands, CLI::App& noun);

}  // namespace nightjar::cli
