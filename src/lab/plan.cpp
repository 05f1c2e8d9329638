#include <nightjar/lab/plan.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <iterator>
#include <set>
#include <utility>

namespace nightjar::lab {
namespace {

using nlohmann::json;

// Leaves the reading of a plan; carries the sentence and never leaves this file.
struct BadPlan {
  std::string reason;
};

// One JSON object read key by key. Every key must have been asked for: a misspelt one would silently do
// nothing.
class Fields {
 public:
  Fields(const json& object, std::string where) : object_(object), where_(std::move(where)) {
    if (!object_.is_object()) throw BadPlan{fmt::format("{}: an object is expected", where_)};
  }

  template <class T>
  void read(const char* key, T& into) {
    if (const json* value = find(key)) {
      try {
        into = value->get<T>();
      } catch (const json::exception&) {
        throw BadPlan{fmt::format("{}: {} has the wrong type", where_, key)};
      }
    }
  }

  int number(const char* key, int otherwise, int least, int most) {
    const json* value = find(key);
    if (value == nullptr) return otherwise;
    if (!value->is_number_integer() || value->get<std::int64_t>() < least ||
        value->get<std::int64_t>() > most)
      throw BadPlan{fmt::format("{}: {} must be a whole number from {} to {}", where_, key, least, most)};
    return value->get<int>();
  }

  const json* find(const char* key) {
    asked_.insert(key);
    const auto found = object_.find(key);
    return found == object_.end() ? nullptr : &*found;
  }

  void all_known() const {
    for (const auto& [key, value] : object_.items())
      if (!asked_.contains(key)) throw BadPlan{fmt::format("{}: unknown key {}", where_, key)};
  }

  const std::string& where() const { return where_; }

 private:
  const json& object_;
  const std::string where_;
  std::set<std::string, std::less<>> asked_;
};

constexpr int many = 1'000'000;

// The behaviour of that name, with its parameters from `fields`.
Trait trait_named(const std::string& name, Fields& fields) {
  Trait trait;
  trait.first = fields.number("count", 0, 1, many);
  trait.from = fields.number("from", trait.from, 1, many);
  trait.delay = Milliseconds{fields.number("delay_ms", static_cast<int>(trait.delay.count()), 0, many)};
  trait.think = Milliseconds{fields.number("think_ms", 0, 0, many)};
  fields.read("text", trait.text);
  const bool counted = name == "refuse_first" || name == "reset_first" || name == "down_until";
  if (counted && trait.first == 0) throw BadPlan{fmt::format("{}: {} needs a count", fields.where(), name)};
  if (counted) {
    trait.behaviour = name == "refuse_first" ? Behaviour::refuse : Behaviour::reset;
  } else if (const auto known = parse_behaviour(name)) {
    trait.behaviour = *known;
  } else {
    throw BadPlan{fmt::format("{}: unknown behaviour {}", fields.where(), name)};
  }
  return trait;
}

std::vector<Trait> read_traits(Fields& fields) {
  std::vector<Trait> traits;
  std::string single;
  fields.read("behaviour", single);
  // Asked for even without a behaviour: then these keys are known, and mean nothing.
  traits.push_back(trait_named(single.empty() ? "fine" : single, fields));
  if (const json* list = fields.find("behaviours")) {
    if (!list->is_array()) throw BadPlan{fmt::format("{}: behaviours must be a list", fields.where())};
    for (const json& one : *list) {
      const json as_object = one.is_string() ? json{{"behaviour", one}} : one;
      Fields own(as_object, fields.where() + ": behaviours");
      std::string name;
      own.read("behaviour", name);
      traits.push_back(trait_named(name, own));
      own.all_known();
    }
  }
  std::erase_if(traits, [](const Trait& t) { return t.behaviour == Behaviour::fine; });
  return traits;
}

std::string numbered(std::string text, int n, int of) {
  const std::size_t at = text.find("{n}");
  const int width = static_cast<int>(std::to_string(of).size());
  return at == std::string::npos ? text : text.replace(at, 3, fmt::format("{:0{}}", n, width));
}

void read_device(const json& object, const std::string& origin, std::size_t index,
                 std::vector<Device>& into) {
  const auto name_key = object.is_object() ? object.find("name") : object.end();
  const std::string label = object.is_object() && name_key != object.end() && name_key->is_string()
                                ? name_key->get<std::string>()
                                : fmt::format("number {}", index + 1);
  Fields fields(object, fmt::format("{}: device {}", origin, label));
  Device device;
  device.name.clear();
  fields.read("name", device.name);
  if (device.name.empty()) throw BadPlan{fmt::format("{}: name is missing", fields.where())};
  fields.read("customer", device.customer);
  std::string kind(to_text(device.kind));
  fields.read("kind", kind);
  const auto known = parse_kind(kind);
  if (!known) throw BadPlan{fmt::format("{}: unknown kind {}", fields.where(), kind)};
  device.kind = *known;
  fields.read("hostname", device.hostname);
  fields.read("username", device.username);
  fields.read("password", device.password);
  fields.read("enable_password", device.enable_password);
  fields.read("public_key", device.public_key);
  fields.read("config", device.config);
  fields.read("own_host_key", device.own_host_key);
  fields.read("credential", device.credential);
  fields.read("tags", device.tags);
  device.config_bytes = static_cast<std::size_t>(fields.number("config_bytes", 20'000, 0, 256 << 20));
  device.traits = read_traits(fields);
  const int count = fields.number("count_devices", 1, 1, 60'000);
  fields.all_known();
  if (count > 1 && device.name.find("{n}") == std::string::npos)
    throw BadPlan{fmt::format("{}: {} devices need {{n}} in their name", fields.where(), count)};
  for (int n = 1; n <= count; ++n) {
    Device one = device;
    one.name = numbered(device.name, n, count);
    one.hostname = numbered(device.hostname, n, count);
    into.push_back(std::move(one));
  }
}

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace

Result<std::vector<Device>> parse_plan(std::string_view text, std::string_view origin) {
  const std::string from(origin);
  try {
    const json plan = json::parse(text);
    Fields top(plan, from);
    json defaults = json::object();
    top.read("defaults", defaults);
    if (!defaults.is_object()) throw BadPlan{from + ": defaults must be an object"};
    const json* list = top.find("devices");
    top.all_known();
    if (list == nullptr || !list->is_array() || list->empty())
      throw BadPlan{from + ": devices must be a list of devices"};
    std::vector<Device> devices;
    for (std::size_t i = 0; i < list->size(); ++i) {
      json merged = defaults;
      if ((*list)[i].is_object()) merged.update((*list)[i]);
      read_device((*list)[i].is_object() ? merged : (*list)[i], from, i, devices);
    }
    std::set<std::pair<std::string, std::string>> seen;
    for (const Device& d : devices)
      if (!seen.emplace(d.customer, d.name).second)
        throw BadPlan{fmt::format("{}: device {} of {} is there twice", from, d.name, d.customer)};
    return devices;
  } catch (const BadPlan& bad) {
    return failure(FailureClass::setup, Stage::none, bad.reason);
  } catch (const json::exception& bad) {
    return failure(FailureClass::setup, Stage::none, fmt::format("{}: not JSON: {}", from, bad.what()));
  }
}

Result<std::vector<Device>> read_plan(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return failure(FailureClass::setup, Stage::none, fmt::format("cannot read the lab plan {}", file));
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  return parse_plan(text, file);
}

std::vector<Device> demo_plan() {
  // Passwords of made-up devices on loopback; `lab serve` prints them.
  static constexpr std::string_view plan = R"({"devices": [
    {"customer": "alpenrail", "name": "core-01", "kind": "ios", "tags": ["core"]},
    {"customer": "alpenrail", "name": "core-02", "kind": "nxos", "behaviour": "noisy", "tags": ["core"]},
    {"customer": "alpenrail", "name": "dist-01", "kind": "eos", "behaviour": "refuse_first", "count": 2},
    {"customer": "alpenrail", "name": "dist-02", "kind": "ios", "behaviour": "vty_full", "count": 1},
    {"customer": "alpenrail", "name": "edge-01", "kind": "junos", "behaviour": "changes", "tags": ["edge"]},
    {"customer": "alpenrail", "name": "edge-02", "kind": "ios", "behaviours": ["banner", "pager_always"], "tags": ["edge"]},
    {"customer": "alpenrail", "name": "depot-01", "kind": "ios", "behaviour": "dead"},
    {"customer": "kestrel", "name": "fw-01", "kind": "fortios", "tags": ["firewall"]},
    {"customer": "kestrel", "name": "fw-02", "kind": "fortios", "behaviour": "wrong_password", "tags": ["firewall"]},
    {"customer": "kestrel", "name": "rr-01", "kind": "frr", "behaviour": "slow", "delay_ms": 1, "think_ms": 500},
    {"customer": "kestrel", "name": "access-01", "kind": "ios", "behaviour": "drop_mid_config", "count": 1},
    {"customer": "kestrel", "name": "access-02", "kind": "ios", "behaviour": "truncated"}
  ]})";
  std::vector<Device> devices = *parse_plan(plan, "the demo plan");
  for (Device& device : devices) device.credential = device.customer + "/lab";
  return devices;
}

std::vector<Device> fine_devices(int count, Kind kind) {
  std::vector<Device> devices;
  devices.reserve(static_cast<std::size_t>(count));
  for (int n = 1; n <= count; ++n) {
    Device device;
    device.customer = "bench";
    device.name = fmt::format("bench-{:05}", n);
    device.kind = kind;
    device.credential = "bench/lab";
    devices.push_back(std::move(device));
  }
  return devices;
}

std::string inventory_csv(const std::vector<Device>& devices, std::string_view address,
                          const std::vector<std::uint16_t>& ports) {
  std::string text = "customer,name,address,port,driver,credential,tags\n";
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const Device& d = devices[i];
    text += fmt::format("{},{},{},{},{},{},{}\n", csv_cell(d.customer), csv_cell(d.name), address,
                        ports.at(i), to_text(d.kind), csv_cell(d.credential),
                        csv_cell(fmt::format("{}", fmt::join(d.tags, " "))));
  }
  return text;
}

std::vector<PlanCredential> credentials(const std::vector<Device>& devices) {
  std::vector<PlanCredential> rows;
  std::set<std::string> seen;
  for (const Device& d : devices)
    if (seen.insert(d.credential).second)
      rows.push_back({d.credential, d.username, d.password, d.enable_password});
  return rows;
}

}  // namespace nightjar::lab
