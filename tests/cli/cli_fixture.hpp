// Commands run in this process against a data folder of their own, with what they print caught.
#pragma once
#include <nightjar/cli/cli.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>
#include <vector>

namespace nightjar::cli {

// A folder that is gone when the test is.
class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "nightjar-cli-XXXXXX").string();
    if (!mkdtemp(pattern.data())) std::abort();
    path_ = pattern;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string at(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

inline std::string read_whole(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void write_whole(const std::string& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

// One of the three standard descriptors leads to a file for as long as it lives.
class Redirected {
 public:
  Redirected(int descriptor, const std::string& file, int flags)
      : descriptor_(descriptor), before_(dup(descriptor)) {
    const int opened = open(file.c_str(), flags | O_CLOEXEC, 0600);
    if (opened < 0) std::abort();
    std::fflush(nullptr);  // what was written before goes where it was meant to
    dup2(opened, descriptor_);
    close(opened);
  }
  Redirected(const Redirected&) = delete;
  Redirected& operator=(const Redirected&) = delete;
  ~Redirected() {
    std::fflush(descriptor_ == STDOUT_FILENO ? stdout : stderr);
    dup2(before_, descriptor_);
    close(before_);
  }

 private:
  int descriptor_, before_;
};

struct Answer {
  int exit = -1;
  std::string out, err;
  nlohmann::json json() const { return nlohmann::json::parse(out); }
};

class Cli : public ::testing::Test {
 protected:
  // `nightjar --data FOLDER ARGUMENTS...`, `input` on standard input.
  Answer nightjar(std::vector<std::string> arguments, const std::string& input = "") {
    arguments.insert(arguments.begin(), {"--data", data_});
    return run_with(std::move(arguments), input);
  }

  Answer run_with(std::vector<std::string> arguments, const std::string& input = "") {
    arguments.insert(arguments.begin(), "nightjar");
    std::vector<const char*> argv;
    for (const std::string& argument : arguments) argv.push_back(argument.c_str());
    write_whole(folder_.at("in"), input);
    Answer answer;
    {
      const Redirected in(STDIN_FILENO, folder_.at("in"), O_RDONLY);
      const Redirected out(STDOUT_FILENO, folder_.at("out"), O_WRONLY | O_CREAT | O_TRUNC);
      const Redirected err(STDERR_FILENO, folder_.at("err"), O_WRONLY | O_CREAT | O_TRUNC);
      answer.exit = run(static_cast<int>(argv.size()), argv.data());
    }
    answer.out = read_whole(folder_.at("out"));
    answer.err = read_whole(folder_.at("err"));
    return answer;
  }

  // A data folder with customer acme and credential acme/core.
  void set_up_acme() {
    ASSERT_EQ(nightjar({"init"}).exit, 0);
    ASSERT_EQ(nightjar({"customer", "add", "acme"}).exit, 0);
    ASSERT_EQ(
        nightjar({"credential", "add", "acme/core", "--username", "backup", "--password-stdin"}, "s3cret\n")
            .exit,
        0);
  }

  Folder folder_;
  std::string data_ = folder_.at("data");
};

}  // namespace nightjar::cli
