// `doctor`: is everything there that a night needs? Every check is made, whatever the others say.
#include "cli/command.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <sys/resource.h>
#include <sys/stat.h>

namespace nightjar::cli {
namespace {

struct Finding {
  std::string check;
  bool ok = true;
  std::string detail;
};

Finding mode_of(std::string check, const std::filesystem::path& path, mode_t forbidden) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0)
    return {std::move(check), false, fmt::format("{}: {}", path.string(), std::strerror(errno))};
  const auto mode = static_cast<unsigned>(status.st_mode & 07777u);
  if ((status.st_mode & forbidden) != 0)
    return {
        std::move(check), false,
        fmt::format("{} is open to others (mode {:04o}): chmod go= {}", path.string(), mode, path.string())};
  return {std::move(check), true, fmt::format("{}, mode {:04o}", path.string(), mode)};
}

Finding database(Context& context) {
  const auto db = context.database();
  if (!db) return {"database", false, db.error().reason};
  if (const auto sound = (*db)->check(); !sound) return {"database", false, sound.error().reason};
  return {"database", true, fmt::format("sound, version {}", (*db)->version())};
}

Finding drivers(Context& context) {
  const auto loaded = context.drivers();
  if (!loaded) return {"drivers", false, loaded.error().reason};
  return {"drivers", true, fmt::format("{} loaded", (*loaded)->all().size())};
}

// Two descriptors a session (ours and libssh's), and a margin for everything else.
Finding descriptors(Context& context) {
  const auto settings = context.settings();
  if (!settings) return {"configuration", false, settings.error().reason};
  constexpr rlim_t margin = 64;
  const auto needed = static_cast<rlim_t>((*settings)->limits.sessions) * 2 + margin;
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  return {"open files", limit.rlim_max >= needed,
          fmt::format("limit {}, {} sessions at once need {}", limit.rlim_max, (*settings)->limits.sessions,
                      needed)};
}

Exit doctor(Context& context, const NoOptions&) {
  const auto folder = context.data_folder();
  if (!folder) return folder.error();
  std::vector<Finding> findings;
  findings.push_back(mode_of("data folder", *folder, S_IRWXG | S_IRWXO));
  findings.push_back(mode_of("key file", *folder / key_name, S_IRWXG | S_IRWXO));
  const auto vault = context.vault();
  findings.push_back({"key", vault.has_value(), vault ? "usable" : vault.error().reason});
  findings.push_back(database(context));
  findings.push_back(drivers(context));
  findings.push_back(descriptors(context));
  bool ok = true;
  Listing all({{"check", "CHECK"}, {"ok", "OK"}, {"detail", "DETAIL"}});
  for (const Finding& finding : findings) {
    ok = ok && finding.ok;
    all.add({finding.check, Cell(finding.ok).toned(finding.ok ? Tone::normal : Tone::bad), finding.detail});
  }
  context.out().list(all);
  return ok ? ExitCode::done : ExitCode::setup;
}

}  // namespace

void declare_doctor(Commands& commands) {
  commands
      .verb<NoOptions>("doctor", "Check data folder, key, database, drivers and limits", declare_nothing,
                       doctor)
      .footer("Exits with 0 when all is well and with 3 when something is not.");
}

}  // namespace nightjar::cli
