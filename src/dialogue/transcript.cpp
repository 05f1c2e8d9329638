#include <nightjar/dialogue/transcript.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace nightjar::dialogue {
namespace {

constexpr std::string_view mask = "*****";

std::string visible(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char byte = bytes[i];
    const auto value = static_cast<unsigned char>(byte);
    if (byte == '\n' || byte == '\t' || (value >= 0x20 && value != 0x7f)) {
      out.push_back(byte);
    } else if (byte == '\r') {
      // CR before a line feed is part of the line end.
      const std::size_t next = bytes.find_first_not_of('\r', i);
      if (next == std::string_view::npos || bytes[next] != '\n') out.append("\\r");
    } else if (byte == '\x1b') {
      out.append("\\e");
    } else if (byte == '\0') {
      out.append("\\0");
    } else {
      out.append(fmt::format("\\x{:02x}", value));
    }
  }
  return out;
}

}  // namespace

Transcript::Transcript(std::vector<Secret> secrets, std::size_t limit)
    : secrets_(std::move(secrets)), limit_(limit) {
  std::erase_if(secrets_, [](const Secret& s) { return s.reveal().size() < 2; });
  std::sort(secrets_.begin(), secrets_.end(),
            [](const Secret& a, const Secret& b) { return a.reveal().size() > b.reveal().size(); });
  for (const auto& secret : secrets_) begins_[static_cast<unsigned char>(secret.reveal().front())] = true;
}

std::size_t Transcript::secret_at(std::string_view bytes, bool& open) const {
  std::size_t found = 0;
  for (const auto& secret : secrets_) {
    const std::string& text = secret.reveal();
    if (bytes.size() < text.size())
      open = open || text.starts_with(bytes);
    else if (found == 0 && bytes.starts_with(text))
      found = text.size();
  }
  return found;
}

void Transcript::received(std::string_view bytes) {
  std::string joined;
  if (!held_.empty()) {
    joined = std::exchange(held_, {});
    joined.append(bytes);
    bytes = joined;
  }
  std::size_t plain = 0;  // bytes from here on are no secret and not kept yet
  std::size_t i = 0;
  while (i < bytes.size()) {
    if (!begins_[static_cast<unsigned char>(bytes[i])]) {
      ++i;
      continue;
    }
    bool open = false;
    const std::size_t length = secret_at(bytes.substr(i), open);
    if (open) {
      keep(bytes.substr(plain, i - plain));
      held_.assign(bytes.substr(i));
      wipe(joined);
      return;
    }
    if (length == 0) {
      ++i;
      continue;
    }
    keep(bytes.substr(plain, i - plain));
    keep(mask);
    i += length;
    plain = i;
  }
  keep(bytes.substr(plain));
  wipe(joined);
}

void Transcript::typed(std::string_view bytes) {
  std::string line{bytes};
  while (line.size() > 1 && (line.back() == '\n' || line.back() == '\r')) line.pop_back();
  line = visible(masked(line));
  if (line == "\n") line = "\\n";
  release_held();
  keep(fmt::format("[typed: {}]", line));
}

void Transcript::typed_secret() {
  release_held();
  keep(fmt::format("[typed: {}]", mask));
}

// One or two bytes are any bytes; more of them, or a whole one, are masked.
std::string_view Transcript::held() const {
  bool open = false;
  return held_.size() > 2 || secret_at(held_, open) > 0 ? mask : std::string_view{held_};
}

void Transcript::release_held() {
  keep(held());
  wipe(held_);
}

void Transcript::keep(std::string_view masked) {
  kept_.append(masked.substr(masked.size() - std::min(masked.size(), limit_)));
  if (kept_.size() > 2 * limit_ + mask.size()) kept_.erase(0, kept_.size() - limit_);
}

std::string Transcript::text() const {
  std::string bytes = kept_.substr(kept_.size() - std::min(kept_.size(), limit_));
  bytes.append(held());
  return visible(bytes);
}

std::string Transcript::masked(std::string_view text) const {
  std::string out;
  while (!text.empty()) {
    bool open = false;
    if (const std::size_t length = secret_at(text, open)) {
      out.append(mask);
      text.remove_prefix(length);
    } else {
      out.push_back(text.front());
      text.remove_prefix(1);
    }
  }
  return out;
}

std::string Transcript::tail(std::size_t bytes) const {
  std::string all = text();
  if (all.size() > bytes) all.erase(0, all.size() - bytes);
  return all;
}

}  // namespace nightjar::dialogue
