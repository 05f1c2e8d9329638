#include "config/recorded_device.hpp"

#include <nightjar/dialogue/terminal.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace nightjar::config {
namespace {

using nlohmann::json;

Failure setup(std::string reason) {
  return failure(FailureClass::setup, Stage::none, std::move(reason));
}

// A device ends its lines with CR LF.
std::string on_the_wire(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size() + text.size() / 32);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n' && (i == 0 || text[i - 1] != '\r')) bytes += '\r';
    bytes += text[i];
  }
  return bytes;
}

std::string_view last_line(std::string_view bytes) {
  const auto end = bytes.find_last_of("\r\n");
  return end == std::string_view::npos ? bytes : bytes.substr(end + 1);
}

struct NoLines final : dialogue::LineSink {
  void line(std::string_view) override {}
};

std::string as_seen(std::string_view line) {
  dialogue::Terminal terminal;
  NoLines none;
  terminal.feed(line, none);
  std::string text{terminal.current()};
  text.erase(std::find_if(text.rbegin(), text.rend(), [](char c) { return c != ' ' && c != '\t'; }).base(),
             text.end());
  return text;
}

std::string_view without_newline(std::string_view line) {
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
  return line;
}

}  // namespace

Result<Recording> parse_recording(std::string_view text) {
  const json file = json::parse(text, nullptr, false);
  if (file.is_discarded() || !file.is_object()) return setup("recording: not a JSON object");
  Recording recording;
  std::string wrong;
  const auto read_text = [&](const json& object, const char* key, std::string& into) {
    const auto found = object.find(key);
    if (found == object.end()) return;
    if (found->is_string())
      into = found->get<std::string>();
    else if (wrong.empty())
      wrong = fmt::format("recording: {} must be a string", key);
  };
  const auto read_flag = [&](const json& object, const char* key, bool& into) {
    const auto found = object.find(key);
    if (found == object.end()) return;
    if (found->is_boolean())
      into = found->get<bool>();
    else if (wrong.empty())
      wrong = fmt::format("recording: {} must be true or false", key);
  };

  read_text(file, "newline", recording.newline);
  read_text(file, "login", recording.login);
  read_flag(file, "closes", recording.closes_at_login);
  read_flag(file, "ordered", recording.ordered);
  if (file.contains("unknown")) read_text(file, "unknown", recording.unknown.emplace());
  const auto dialogue = file.find("dialogue");
  if (dialogue == file.end() || !dialogue->is_array()) return setup("recording: dialogue must be an array");
  for (const json& object : *dialogue) {
    if (!object.is_object() || !object.contains("send") || !object.contains("reply"))
      return setup(
          fmt::format("recording: dialogue entry {} needs send and reply", recording.entries.size() + 1));
    Recording::Entry entry;
    read_text(object, "send", entry.send);
    read_text(object, "reply", entry.reply);
    read_flag(object, "closes", entry.closes);
    if (entry.send.empty())
      return setup(fmt::format("recording: dialogue entry {} sends nothing", recording.entries.size() + 1));
    entry.is_key = entry.send.find_first_of("\r\n") == std::string::npos;
    recording.entries.push_back(std::move(entry));
  }
  if (!wrong.empty()) return setup(std::move(wrong));
  return recording;
}

RecordedDevice::RecordedDevice(const Recording& recording, const Pattern& prompt, std::string unknown_command,
                               std::string bare_prompt)
    : recording_(&recording), prompt_pattern_(&prompt), unknown_command_(std::move(unknown_command)) {
  const auto ends_with_prompt = [&](std::string_view reply) {
    return prompt.matches_all(as_seen(last_line(reply)));
  };
  bare_ = !ends_with_prompt(recording.login) &&
          std::none_of(recording.entries.begin(), recording.entries.end(),
                       [&](const Recording::Entry& entry) { return ends_with_prompt(entry.reply); });
  if (bare_) prompt_ = std::move(bare_prompt);
}

std::string RecordedDevice::greet() {
  closed_ = recording_->closes_at_login;
  learn_prompt(recording_->login);
  std::string bytes = on_the_wire(recording_->login);
  if (bare_ && !closed_) bytes += "\r\n" + prompt_;
  return bytes;
}

void RecordedDevice::learn_prompt(std::string_view reply) {
  if (bare_) return;
  const auto line = last_line(reply);
  at_prompt_ = prompt_pattern_->matches_all(as_seen(line));
  if (at_prompt_) prompt_ = line;
}

const Recording::Entry* RecordedDevice::entry_of(std::string_view line) {
  const auto& entries = recording_->entries;
  // In an ordered recording the next one of that name; a driver may well ask in another order than the
  // recorder did.
  const std::size_t from = recording_->ordered ? next_ : 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::size_t at = (from + i) % entries.size();
    if (entries[at].is_key || without_newline(entries[at].send) != line) continue;
    next_ = at + 1;
    return &entries[at];
  }
  return nullptr;
}

std::string RecordedDevice::refusal(std::string_view command) const {
  std::string text = recording_->unknown.value_or(unknown_command_);
  static constexpr std::string_view placeholder = "{command}";
  if (const auto at = text.find(placeholder); at != std::string::npos)
    text.replace(at, placeholder.size(), command);
  return text;
}

std::string RecordedDevice::sent(const Recording::Entry& entry) {
  closed_ = entry.closes;
  learn_prompt(entry.reply);
  std::string bytes;
  if (bare_) bytes = on_the_wire(fmt::format("{}\n", without_newline(entry.send)));
  bytes += on_the_wire(entry.reply);
  if (bare_ && !closed_)
    bytes += (entry.reply.empty() || entry.reply.ends_with('\n') ? "" : "\r\n") + prompt_;
  return bytes;
}

std::string RecordedDevice::answer_to_nothing() const {
  // Only an answer recorded at the prompt of now: not one from before enable, nor at a question.
  for (const auto& entry : recording_->entries)
    if (at_prompt_ && without_newline(entry.send).empty() &&
        as_seen(last_line(entry.reply)) == as_seen(prompt_))
      return on_the_wire(entry.reply);
  return "\r\n" + prompt_;
}

std::string RecordedDevice::answer(std::string_view line) {
  if (line.empty()) return answer_to_nothing();
  if (const auto* entry = entry_of(line)) return sent(*entry);
  const std::string echo =
      at_prompt_ ? std::string{line} : std::string{};  // an unrecorded password is not shown
  at_prompt_ = true;
  return on_the_wire(fmt::format("{}\n{}", echo, refusal(line))) + prompt_;
}

std::string RecordedDevice::type(std::string_view bytes) {
  typed_ += bytes;
  std::string reply;
  while (!typed_.empty() && !closed_) {
    const auto& entries = recording_->entries;
    if (next_ < entries.size() && entries[next_].is_key && typed_.starts_with(entries[next_].send)) {
      typed_.erase(0, entries[next_].send.size());
      reply += sent(entries[next_++]);
      continue;
    }
    const auto end = typed_.find_first_of("\r\n");
    if (end == std::string::npos) break;
    const std::string line = typed_.substr(0, end);
    typed_.erase(0, end + (typed_.compare(end, 2, "\r\n") == 0 ? 2 : 1));
    reply += answer(line);
  }
  return reply;
}

std::string RecordedDevice::run(std::string_view command) {
  const auto* entry = entry_of(command);
  return on_the_wire(entry ? std::string_view{entry->reply} : std::string_view{refusal(command)});
}

}  // namespace nightjar::config
