// `device import`: many devices from one file, all of them or none. Every bad line is named before anything
// is written.
#include "cli/csv.hpp"
#include "cli/device.hpp"
#include "cli/file.hpp"
#include "cli/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <set>

namespace nightjar::cli {
namespace {

constexpr std::size_t most_bytes = 256u << 20;
constexpr std::size_t most_named = 20;  // bad lines told one by one

const std::vector<std::string> known_columns{"customer", "name",       "address", "port",
                                             "driver",   "credential", "tags"};
constexpr std::array needed_columns{"customer", "name", "address", "driver"};

struct ImportOptions {
  std::string file, format = "csv";
  bool dry_run = false;
};

void declare(CLI::App& app, ImportOptions& options) {
  app.add_option("FILE", options.file, "The file, - for standard input")->required();
  app.add_option("--format", options.format, "What the file is: csv")
      ->type_name("FORMAT")
      ->capture_default_str();
  app.add_flag("--dry-run", options.dry_run, "Look at every line, write nothing");
}

std::vector<std::string> split_tags(std::string_view text) {
  std::vector<std::string> tags;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(";, "), text.size());
    if (end > 0) tags.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return tags;
}

// Which field of a row is which column.
class Header {
 public:
  static Result<Header> read(const CsvRow& row, std::string_view file) {
    Header header;
    for (std::size_t i = 0; i < row.fields.size(); ++i) {
      const std::string& name = row.fields[i];
      if (std::ranges::find(known_columns, name) == known_columns.end())
        return usage(
            fmt::format("{}:{}: unknown column \"{}\"{}; the header row names "
                        "customer,name,address,port,driver,credential,tags",
                        file, row.line, name, did_you_mean(name, known_columns)));
      if (!header.at_.emplace(name, i).second)
        return usage(fmt::format("{}:{}: column \"{}\" twice", file, row.line, name));
    }
    for (const std::string_view name : needed_columns)
      if (!header.at_.contains(name))
        return usage(fmt::format("{}:{}: column \"{}\" is missing", file, row.line, name));
    return header;
  }
  std::size_t size() const { return at_.size(); }
  std::string_view field(const CsvRow& row, std::string_view column) const {
    const auto found = at_.find(column);
    return found == at_.end() ? std::string_view{} : std::string_view{row.fields[found->second]};
  }

 private:
  std::map<std::string, std::size_t, std::less<>> at_;
};

class Import {
 public:
  Import(store::Inventory inventory, const config::Drivers& drivers)
      : inventory_(inventory), drivers_(drivers) {}

  Result<store::Device> device(const Header& header, const CsvRow& row) {
    if (row.fields.size() != header.size())
      return usage(fmt::format("{} instead of {}", counted(row.fields.size(), "field"), header.size()));
    store::Device device;
    const auto customer = this->customer(header.field(row, "customer"));
    if (!customer) return customer.error();
    device.customer = customer->id;
    device.customer_name = customer->name;
    device.name = header.field(row, "name");
    device.address = header.field(row, "address");
    device.driver = header.field(row, "driver");
    if (device.name.empty()) return usage("the name is empty");
    if (device.address.empty()) return usage("the address is empty");
    if (device.driver.empty()) return usage("the driver is empty");
    if (const auto known = check_driver(drivers_, device.driver); !known) return known.error();
    if (const auto port = header.field(row, "port"); !port.empty()) {
      const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), device.port);
      if (error != std::errc{} || end != port.data() + port.size() || device.port == 0)
        return usage(fmt::format("\"{}\" is not a TCP port", port));
    }
    if (const std::string name{header.field(row, "credential")}; !name.empty()) {
      const auto credential = this->credential(name, device);
      if (!credential) return credential.error();
      set_credential(device, *credential);
    }
    set_tags(device, split_tags(header.field(row, "tags")));
    if (const auto is_new = remember(device, row.line); !is_new) return is_new.error();
    return device;
  }

 private:
  Result<store::Customer> customer(std::string_view name) {
    if (const auto known = customers_.find(name); known != customers_.end()) return known->second;
    auto found = inventory_.customer(name);
    if (!found) return found.error();
    store::Selector selector;
    selector.customers.emplace_back(name);
    const auto devices = inventory_.devices(selector);
    if (!devices) return devices.error();
    for (const store::DeviceSummary& summary : *devices) stored_.insert(full_name(summary.device));
    customers_.emplace(name, *found);
    return found;
  }

  Result<store::Credential> credential(const std::string& name, const store::Device& device) {
    const auto key = std::pair{name, device.customer.value};
    if (const auto known = credentials_.find(key); known != credentials_.end()) return known->second;
    auto found = usable_credential(inventory_, name, device.customer, device.customer_name);
    if (found) credentials_.emplace(key, *found);
    return found;
  }

  Result<void> remember(const store::Device& device, std::size_t line) {
    const std::string name = full_name(device);
    if (stored_.contains(name)) return usage(fmt::format("device {} exists already", name));
    const auto [earlier, is_new] = lines_.emplace(name, line);
    if (!is_new) return usage(fmt::format("device {} is on line {} already", name, earlier->second));
    return {};
  }

  store::Inventory inventory_;
  const config::Drivers& drivers_;
  std::map<std::string, store::Customer, std::less<>> customers_;
  std::map<std::pair<std::string, std::int64_t>, store::Credential> credentials_;
  std::set<std::string> stored_;
  std::map<std::string, std::size_t> lines_;  // of this file
};

// The store names a row by its place in the list ("row 17: ..."); people know it by its line.
std::string with_line(const std::string& reason, const std::vector<std::size_t>& lines,
                      std::string_view file) {
  std::size_t index = 0;
  if (!reason.starts_with("row ")) return reason;
  const auto [end, error] = std::from_chars(reason.data() + 4, reason.data() + reason.size(), index);
  if (error != std::errc{} || index >= lines.size()) return reason;
  return fmt::format("{}:{}{}", file, lines[index], std::string_view{end, reason.data() + reason.size()});
}

Exit import(Context& context, const ImportOptions& options) {
  if (options.format != "csv")
    return usage(fmt::format("unknown format \"{}\": csv is what can be read", options.format));
  const std::string file = options.file == "-" ? "standard input" : options.file;
  const auto text = read_file(options.file, most_bytes);
  if (!text) return text.error();
  const auto rows = read_csv(*text, file);
  if (!rows) return rows.error();
  if (rows->empty())
    return usage(fmt::format(
        "{}:1: the header row customer,name,address,port,driver,credential,tags is missing", file));
  const auto header = Header::read(rows->front(), file);
  if (!header) return header.error();
  const auto drivers = context.drivers();
  if (!drivers) return drivers.error();
  const auto db = context.database();
  if (!db) return db.error();

  store::Inventory inventory{**db};
  Import import{inventory, **drivers};
  std::vector<store::Device> devices;
  std::vector<std::size_t> lines;
  std::size_t bad = 0;
  for (std::size_t i = 1; i < rows->size(); ++i) {
    const CsvRow& row = (*rows)[i];
    auto device = import.device(*header, row);
    if (device) {
      devices.push_back(std::move(*device));
      lines.push_back(row.line);
    } else if (++bad <= most_named) {
      context.out().warn(fmt::format("nightjar: {}:{}: {}", file, row.line, device.error().reason));
    }
  }
  if (bad > 0)
    return usage(fmt::format(
        "{}: nothing imported: {} of {} cannot be read{}", file, counted(bad, "line"), rows->size() - 1,
        bad > most_named ? fmt::format(" (the first {} are named above)", most_named) : ""));
  if (!options.dry_run && !devices.empty())
    if (const auto added = inventory.add_devices(devices); !added) {
      Failure refused = added.error();
      refused.reason = "nothing imported: " + with_line(refused.reason, lines, file);
      return refused;
    }
  context.out().done(fmt::format("{} {} from {}", options.dry_run ? "would import" : "imported",
                                 counted(devices.size(), "device"), file),
                     {{"imported", options.dry_run ? 0 : devices.size()},
                      {"devices", devices.size()},
                      {"dry_run", options.dry_run}});
  return devices.empty() ? ExitCode::nothing_to_do : ExitCode::done;
}

}  // namespace

void declare_device_import(Commands& commands, CLI::App& noun) {
  commands.verb<ImportOptions>(noun, "import", "Add many devices from a file, all or none", declare, import)
      .footer(
          "CSV as RFC 4180 has it, UTF-8, with a header row of column names in any order:\n"
          "  customer,name,address,port,driver,credential,tags\n"
          "customer, name, address and driver are needed; port is 22 and the rest empty when left out. "
          "Customers and\n"
          "credentials must exist. Tags are separated by ; or blanks. Every bad line is reported with its "
          "number and\n"
          "then nothing is imported.");
}

}  // namespace nightjar::cli
