// `config`: the stored configurations. `show` writes the exact bytes that were stored and nothing else.
#include "cli/command.hpp"
#include "cli/names.hpp"
#include "cli/text.hpp"

#include <nightjar/revision/diff.hpp>
#include <nightjar/store/revisions.hpp>

#include <fmt/format.h>

namespace nightjar::cli {
namespace {

struct ConfigOptions {
  std::string device, revision;
  std::vector<std::string> revisions;  // of a diff: none or two
  bool redacted = false;
};

void declare_device_name(CLI::App& app, ConfigOptions& options) {
  app.add_option("DEVICE", options.device, "CUSTOMER/DEVICE")->required();
}

void declare_show(CLI::App& app, ConfigOptions& options) {
  declare_device_name(app, options);
  app.add_option("--revision", options.revision, "Not the newest but this one, see `nightjar config history`")
      ->type_name("R");
  app.add_flag("--redacted", options.redacted, "Secrets replaced by <secret>, as the driver knows them");
}

void declare_diff(CLI::App& app, ConfigOptions& options) {
  declare_device_name(app, options);
  app.add_option("REVISIONS", options.revisions, "Two revisions, older first; the last two when left out")
      ->expected(0, 2);
  app.add_flag("--redacted", options.redacted, "Secrets replaced by <secret>, as the driver knows them");
}

// One device's revisions, and how its texts are shown.
class Shelf {
 public:
  static Result<Shelf> open(Context& context, const std::string& name, bool redacted) {
    const auto db = context.database();
    if (!db) return db.error();
    auto device = find_device(**db, name);
    if (!device) return device.error();
    Shelf shelf{**db, std::move(*device)};
    if (redacted) {
      const auto drivers = context.drivers();
      if (!drivers) return drivers.error();
      const config::Driver* driver = (*drivers)->find(shelf.device_.driver);
      if (!driver)
        return usage(fmt::format("cannot redact {}: its driver \"{}\" is not known here",
                                 full_name(shelf.device_), shelf.device_.driver));
      shelf.rules_ = &driver->text;
    }
    return shelf;
  }

  std::string name() const { return full_name(device_); }
  Result<std::vector<store::RevisionRow>> history() { return revisions_.history(device_.id); }
  Result<store::RevisionRow> find(std::string_view text) {
    const auto id = parse_number(text, "revision");
    if (!id) return id.error();
    return revisions_.find(device_.id, RevisionId{*id});
  }
  Result<store::RevisionRow> newest() {
    const auto row = revisions_.newest(device_.id);
    if (!row) return row.error();
    if (!*row) return usage(fmt::format("{} has no backup yet", name()));
    return **row;
  }
  Result<std::string> text(const store::RevisionRow& row) {
    auto exact = revisions_.text(row.id);
    if (!exact || !rules_) return exact;
    return revision::redact(*exact, *rules_);
  }

 private:
  Shelf(store::Database& db, store::Device device) : device_(std::move(device)), revisions_(db) {}
  store::Device device_;
  store::Revisions revisions_;
  const revision::TextRules* rules_ = nullptr;  // none: exact bytes
};

Exit show(Context& context, const ConfigOptions& options) {
  auto shelf = Shelf::open(context, options.device, options.redacted);
  if (!shelf) return shelf.error();
  const auto row = options.revision.empty() ? shelf->newest() : shelf->find(options.revision);
  if (!row) return row.error();
  const auto text = shelf->text(*row);
  if (!text) return text.error();
  const Output& out = context.out();
  if (out.format() == Format::json)
    out.json({{"revision", row->id.value},
              {"sha256", row->sha256},
              {"bytes", row->bytes},
              {"redacted", options.redacted},
              {"text", *text}});
  else
    out.bytes(*text);
  return ExitCode::done;
}

Exit history(Context& context, const ConfigOptions& options) {
  auto shelf = Shelf::open(context, options.device, false);
  if (!shelf) return shelf.error();
  const auto rows = shelf->history();
  if (!rows) return rows.error();
  Listing listing({{"revision", "REVISION", Align::right},
                   {"first_seen_at", "FIRST SEEN (UTC)"},
                   {"last_seen_at", "LAST SEEN (UTC)"},
                   {"sha256", ""},
                   {"", "SHA-256"},
                   {"bytes", "BYTES", Align::right},
                   {"lines", "LINES", Align::right}});
  for (const store::RevisionRow& row : *rows)
    listing.add({row.id.value, row.first_seen_at, row.last_seen_at, row.sha256, row.sha256.substr(0, 12),
                 Cell(row.bytes, grouped(row.bytes)), Cell(row.lines, grouped(row.lines))});
  context.out().list(listing);
  return ExitCode::done;
}

Exit diff(Context& context, const ConfigOptions& options) {
  if (options.revisions.size() == 1) return usage("name two revisions to compare, or none for the last two");
  auto shelf = Shelf::open(context, options.device, options.redacted);
  if (!shelf) return shelf.error();
  store::RevisionRow before, after;
  if (options.revisions.empty()) {
    const auto rows = shelf->history();
    if (!rows) return rows.error();
    if (rows->size() < 2) {
      context.out().note(
          fmt::format("{} has {}: nothing to compare", shelf->name(), counted(rows->size(), "revision")));
      return ExitCode::nothing_to_do;
    }
    before = (*rows)[1];
    after = (*rows)[0];
  } else {
    const auto a = shelf->find(options.revisions[0]);
    if (!a) return a.error();
    const auto b = shelf->find(options.revisions[1]);
    if (!b) return b.error();
    before = *a;
    after = *b;
  }
  const auto old_text = shelf->text(before);
  if (!old_text) return old_text.error();
  const auto new_text = shelf->text(after);
  if (!new_text) return new_text.error();
  const auto label = [&](const store::RevisionRow& row) {
    return fmt::format("{} revision {} ({} UTC)", shelf->name(), row.id.value, table_time(row.first_seen_at));
  };
  const std::string text = revision::unified_diff(*old_text, *new_text, label(before), label(after));
  const Output& out = context.out();
  if (out.format() == Format::json)
    out.json({{"before", before.id.value}, {"after", after.id.value}, {"diff", text}});
  else
    out.bytes(text);
  if (text.empty()) out.note("the two are equal");
  return ExitCode::done;
}

}  // namespace

void declare_config(Commands& commands) {
  CLI::App& noun = commands.noun("config", "Stored configurations");
  commands
      .verb<ConfigOptions>(noun, "show", "Print a stored configuration, byte for byte", declare_show, show)
      .footer(
          "Standard output gets the exact stored bytes. With --json the text is in \"text\", and bytes that "
          "are not\n"
          "UTF-8 are replaced there.");
  commands.verb<ConfigOptions>(noun, "history", "The revisions of a device, newest first",
                               declare_device_name, history);
  commands
      .verb<ConfigOptions>(noun, "diff", "What changed between two revisions, as a unified diff",
                           declare_diff, diff)
      .footer("  nightjar config diff acme/core-01\n  nightjar config diff acme/core-01 17 42");
}

}  // namespace nightjar::cli
