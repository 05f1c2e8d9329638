#include "ssh/machine.hpp"

#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <pwd.h>
#include <spawn.h>
#include <sstream>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace nightjar::ssh::testing {
namespace {

// Runs a server on this socket and waits for its end.
void run_on(int socket, std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, socket, 0);
  posix_spawn_file_actions_adddup2(&files, socket, 1);
  posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
  pid_t pid = -1;
  if (::posix_spawn(&pid, arguments[0], &files, nullptr, arguments.data(), environ) == 0) {
    int status = 0;
    ::waitpid(pid, &status, 0);
  }
  posix_spawn_file_actions_destroy(&files);
}

void shell(const std::string& command) {
  if (std::system(command.c_str()) != 0) throw std::runtime_error("failed: " + command);
}

}  // namespace

Folder::Folder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "nightjar-ssh-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = pattern;
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void Folder::write(std::string_view name, std::string_view text) const {
  std::ofstream(path_ / name) << text;
}

std::string Folder::read(std::string_view name) const {
  std::ostringstream text;
  text << std::ifstream(path_ / name).rdbuf();
  return text.str();
}

void make_key(const Folder& folder, std::string_view name, std::string_view type, std::string_view passphrase,
              std::string_view more) {
  std::ostringstream command;
  command << "ssh-keygen -q -t " << type << " -N '" << passphrase << "' " << more << " -f "
          << folder.file(name) << " </dev/null >/dev/null";
  shell(command.str());
}

PrivateKey load_key(const Folder& folder, std::string_view name, std::string_view passphrase) {
  return PrivateKey::parse(Secret(folder.read(name)), Secret(passphrase), name).value();
}

std::string own_name() {
  const passwd* entry = ::getpwuid(::getuid());
  return entry != nullptr ? entry->pw_name : "root";
}

Peer::Serve openssh(const Folder& folder, std::string_view host_key, std::string_view authorized,
                    std::string_view more) {
  std::error_code ignored;
  std::filesystem::create_directories("/run/sshd",
                                      ignored);  // sshd's empty root; Debian makes it with the service
  std::string config = "sshd_config_" + std::string(host_key);
  std::ostringstream lines;
  lines << "HostKey " << folder.file(host_key) << "\nAuthorizedKeysFile " << folder.file(authorized)
        << "\nStrictModes no\nUsePAM no\nPasswordAuthentication no\nKbdInteractiveAuthentication no\n"
           "PermitRootLogin yes\nUseDNS no\nPrintMotd no\nPrintLastLog no\nPidFile none\n"
        << more << "\n";
  folder.write(config, lines.str());
  std::vector<std::string> words{"/usr/sbin/sshd",    "-i", "-f",
                                 folder.file(config), "-E", folder.file("sshd.log")};
  return [words](int socket) { run_on(socket, words); };
}

Peer::Serve dropbear(const Folder& folder, std::string_view key_type) {
  std::string key = folder.file("dropbear_" + std::string(key_type));
  shell("dropbearkey -t " + std::string(key_type) + " -f " + key + " >/dev/null 2>&1");
  std::vector<std::string> words{"/usr/sbin/dropbear", "-i", "-r", key};
  return [words](int socket) { run_on(socket, words); };
}

}  // namespace nightjar::ssh::testing
