#include "delivery/text.hpp"

#include <nightjar/delivery/payload.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace nightjar::delivery {
namespace {

// Keys stay in the order in which people read them.
using Json = nlohmann::ordered_json;

constexpr std::size_t slack_section = 3000;  // characters of a section's text
constexpr std::size_t slack_summary = 300;   // of the notification's; no limit of Slack's is near
constexpr std::size_t slack_line = 400;      // so that several lines fit
constexpr std::size_t slack_link = 1000;
constexpr std::size_t teams_bytes = 28 * 1024;  // of the whole message
constexpr std::size_t teams_frame = 8 * 1024;   // kept for all that is not a line
constexpr std::size_t teams_headline = 300;
constexpr std::size_t teams_line = 400;
constexpr std::size_t longest_link = 2048;

std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool is_link(const std::string& link) {
  return (link.starts_with("https://") || link.starts_with("http://")) && link.size() <= longest_link &&
         std::all_of(link.begin(), link.end(), [](char c) { return c > 0x20 && c < 0x7F; });
}

// Slack counts UTF-16 units, as JavaScript does.
std::size_t utf16_units(std::string_view text) {
  std::size_t units = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0) != 0x80) units += byte >= 0xF0 ? 2 : 1;
  }
  return units;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else
      out += c;
  }
  return out;
}

std::string and_more(std::size_t count) {
  return fmt::format("and {} more", count);
}

// verbatim: names and addresses in the text become neither links nor mentions.
Json mrkdwn(std::string text) {
  return {{"type", "mrkdwn"}, {"text", std::move(text)}, {"verbatim", true}};
}

// As many lines as a section holds, and a count of the rest.
std::string slack_lines(const std::vector<std::string>& lines) {
  constexpr std::size_t room_for_rest = 40;
  std::string out;
  std::size_t units = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string line = escaped(cut(one_line(lines[i]), slack_line));
    const std::size_t more = utf16_units(line) + 1;
    if (units + more > slack_section - room_for_rest) return out + and_more(lines.size() - i);
    out += line + '\n';
    units += more;
  }
  if (!out.empty()) out.pop_back();
  return out;
}

// Between < and |, where nothing is escaped but what would end the link.
std::string slack_url(const std::string& link) {
  std::string out;
  for (const char c : link) {
    if (c == '|')
      out += "%7C";
    else if (c == '<')
      out += "%3C";
    else if (c == '>')
      out += "%3E";
    else
      out += c;
  }
  return escaped(out);
}

// A text run is shown as it stands; a text block would read it as Markdown.
Json rich_text(std::string text, bool headline) {
  Json run{{"type", "TextRun"}, {"text", std::move(text)}};
  if (headline) run.update({{"size", "Large"}, {"weight", "Bolder"}});
  return {{"type", "RichTextBlock"},
          {"spacing", headline ? "Default" : "Small"},
          {"inlines", Json::array({run})}};
}

}  // namespace

std::string generic(const Notice& notice) {
  Json data = notice.data;
  if (data.is_null()) {
    data = {{"customer", notice.customer}, {"headline", notice.headline}, {"lines", notice.lines}};
    data["link"] = notice.link.empty() ? Json(nullptr) : Json(notice.link);
  }
  return dumped({{"type", notice.type},
                 {"schema_version", schema_version},
                 {"id", notice.id},
                 {"timestamp", to_rfc3339(notice.at)},
                 {"data", std::move(data)}});
}

std::string slack(const Notice& notice) {
  const std::string headline = escaped(cut(one_line(notice.headline), slack_summary));
  Json blocks = Json::array();
  blocks.push_back({{"type", "section"}, {"text", mrkdwn("*" + headline + "*")}});
  if (std::string lines = slack_lines(notice.lines); !lines.empty())
    blocks.push_back({{"type", "section"}, {"text", mrkdwn(std::move(lines))}});
  std::string context =
      fmt::format("{}  {}", escaped(cut(one_line(notice.customer), slack_line)), to_rfc3339(notice.at));
  if (is_link(notice.link) && notice.link.size() <= slack_link)
    context += fmt::format("  <{}|Open in Nightjar>", slack_url(notice.link));
  blocks.push_back({{"type", "context"}, {"elements", Json::array({mrkdwn(std::move(context))})}});
  return dumped({{"text", headline}, {"blocks", std::move(blocks)}});
}

std::string teams(const Notice& notice) {
  Json body = Json::array();
  body.push_back(rich_text(cut(one_line(notice.headline), teams_headline), true));
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < notice.lines.size(); ++i) {
    Json block = rich_text(cut(one_line(notice.lines[i]), teams_line), false);
    bytes += dumped(block).size() + 1;
    if (bytes > teams_bytes - teams_frame) {
      body.push_back(rich_text(and_more(notice.lines.size() - i), false));
      break;
    }
    body.push_back(std::move(block));
  }
  body.push_back(rich_text(
      fmt::format("{}  {}", cut(one_line(notice.customer), teams_line), to_rfc3339(notice.at)), false));
  Json card{{"$schema", "http://adaptivecards.io/schemas/adaptive-card.json"},
            {"type", "AdaptiveCard"},
            {"version", "1.4"},
            {"msteams", {{"width", "Full"}}},
            {"body", std::move(body)}};
  if (is_link(notice.link))
    card["actions"] =
        Json::array({{{"type", "Action.OpenUrl"}, {"title", "Open in Nightjar"}, {"url", notice.link}}});
  const Json attachment{{"contentType", "application/vnd.microsoft.card.adaptive"},
                        {"contentUrl", nullptr},
                        {"content", std::move(card)}};
  return dumped({{"type", "message"}, {"attachments", Json::array({attachment})}});
}

}  // namespace nightjar::delivery
