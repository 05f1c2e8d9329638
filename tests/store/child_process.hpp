// A test's second process. The child runs a function and leaves without cleaning up after the test it was
// forked from.
#pragma once
#include <cstdio>
#include <exception>
#include <functional>
#include <signal.h>
#include <stdexcept>
#include <string>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

namespace nightjar::store {

class ChildProcess {
 public:
  // `work` returns the exit status; what it writes to the descriptor arrives at read_byte().
  explicit ChildProcess(const std::function<int(int to_parent)>& work) {
    int ends[2];
    if (::pipe(ends) != 0) throw std::runtime_error("no pipe");
    pid_ = ::fork();
    if (pid_ == 0) {
      ::close(ends[0]);
      int status = 99;
      try {
        status = work(ends[1]);
      } catch (const std::exception& e) {
        std::fprintf(stderr, "child: %s\n", e.what());
      }
      ::_exit(status);
    }
    ::close(ends[1]);
    from_child_ = ends[0];
    if (pid_ < 0) throw std::runtime_error("no child");
  }
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess() {
    if (pid_ > 0) kill();
    ::close(from_child_);
  }

  // False when the child has gone.
  bool read_byte() const {
    char byte = 0;
    return ::read(from_child_, &byte, 1) == 1;
  }

  void kill() {
    ::kill(pid_, SIGKILL);
    wait();
  }

  // The exit status; -1 after a signal.
  int wait() {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  ::pid_t pid_ = -1;
  int from_child_ = -1;
};

inline void tell(int to_parent) {
  const char byte = '.';
  if (::write(to_parent, &byte, 1) != 1) ::_exit(98);
}

}  // namespace nightjar::store
