// Where a command's words go: results on stdout, all else on stderr. One object a run; it knows the format
// asked for, and whether a person is looking.
#pragma once
#include "cli/listing.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace nightjar::cli {

enum class Format : std::uint8_t { table, json, csv };

class Output {
 public:
  struct Manner {
    Format format = Format::table;
    bool quiet = false;
    bool verbose = false;
    bool progress = true;
  };
  explicit Output(Manner manner);

  Format format() const { return manner_.format; }
  bool quiet() const { return manner_.quiet; }
  bool verbose() const { return manner_.verbose; }
  bool shows_progress() const;  // stderr is a terminal and nobody said no
  bool colours() const { return colour_; }

  void list(const Listing& listing) const;
  void record(const Listing& one_row) const;
  void json(const Json& value) const;
  void json_line(const Json& value) const;  // on its own line, at once
  void line(std::string_view text) const;   // for people, on stdout, at once
  void bytes(std::string_view exact) const;
  // What a command has done: a sentence on stderr for people, the object on stdout for scripts.
  void done(std::string_view sentence, const Json& object) const;
  void note(std::string_view sentence) const;  // stderr, silenced by --quiet
  void warn(std::string_view sentence) const;  // stderr, never silenced

  // 0, or the errno of the first write that stdout did not take (full disk, closed pipe).
  int flush() const;

 private:
  void put(std::string_view text) const;
  void written(bool whole) const;

  Manner manner_;
  bool colour_ = false;
  mutable int first_error_ = 0;  // of stdout
};

}  // namespace nightjar::cli
