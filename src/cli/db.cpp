// `db`: care of the database file.
#include "cli/command.hpp"

#include <fmt/format.h>

namespace nightjar::cli {
namespace {

struct CopyOptions {
  std::string file;
};

void declare_file(CLI::App& app, CopyOptions& options) {
  app.add_option("FILE", options.file, "Where the copy goes; it must not exist")->required();
}

Exit check(Context& context, const NoOptions&) {
  const auto db = context.database();
  if (!db) return db.error();
  if (const auto sound = (*db)->check(); !sound) return sound.error();
  context.out().done(fmt::format("the database is sound (version {})", (*db)->version()),
                     {{"ok", true}, {"version", (*db)->version()}});
  return ExitCode::done;
}

Exit copy(Context& context, const CopyOptions& options) {
  const auto db = context.database();
  if (!db) return db.error();
  if (const auto copied = (*db)->copy_to(options.file); !copied) return copied.error();
  context.out().done(
      fmt::format("copied the database to {}; the key file {} is not in it", options.file, key_name),
      {{"file", options.file}});
  return ExitCode::done;
}

// Opening is migrating: what is left to do is to say so.
Exit migrate(Context& context, const NoOptions&) {
  const auto db = context.database();
  if (!db) return db.error();
  context.out().done(
      fmt::format("the database is at version {}, the newest this program knows", (*db)->version()),
      {{"version", (*db)->version()}, {"newest", store::Database::newest_version()}});
  return ExitCode::done;
}

}  // namespace

void declare_db(Commands& commands) {
  CLI::App& noun = commands.noun("db", "The database file");
  commands.verb<NoOptions>(noun, "check", "Check the database for damage", declare_nothing, check);
  commands.verb<CopyOptions>(noun, "backup", "Copy the database while it is in use", declare_file, copy);
  commands
      .verb<NoOptions>(noun, "migrate", "Bring the database to this program's version", declare_nothing,
                       migrate)
      .footer(
          "Every command that opens the database does so; a copy is made beside it before the first step.");
}

}  // namespace nightjar::cli
