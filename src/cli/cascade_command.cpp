#include "cli/cascade_command.hpp"

#include <fmt/format.h>

namespace nightjar::cli {

void declare_look(CLI::App& app, CascadeOptions& options) {
  declare_scope(app, options.scope);
  app.add_option("FIELD=VALUE", options.assignments,
                 "Show it as it would be with these values; nothing is stored");
}

void declare_edit(CLI::App& app, CascadeOptions& options) {
  declare_scope(app, options.scope);
  app.add_option("FIELD=VALUE", options.assignments,
                 "Fields to set at this level; FIELD= clears one (inherit)")
      ->required();
}

std::string fields_text(std::initializer_list<std::pair<std::string_view, std::string_view>> fields) {
  std::string text = "Fields, each inherited from the level above where it is not set:\n";
  for (const auto& [name, words] : fields) text += fmt::format("  {:<24} {}\n", name, words);
  return text;
}

Result<std::pair<std::string_view, std::string_view>> parse_assignment(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos)
    return usage(fmt::format("\"{}\" sets nothing: write FIELD=VALUE, or FIELD= to inherit", text));
  return std::pair{text.substr(0, equals), text.substr(equals + 1)};
}

}  // namespace nightjar::cli
