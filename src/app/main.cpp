// The process around the commands: nothing of it may end in a core file (it holds secrets), and it may open
// as many sessions as the system lets it.
#include <nightjar/cli/cli.hpp>

#include <csignal>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>

namespace {

void keep_secrets_out_of_core_files() {
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
}

void allow_many_sessions() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

int main(int argc, char** argv) {
  keep_secrets_out_of_core_files();
  allow_many_sessions();
  umask(0077);                    // whatever is written may hold configurations
  std::signal(SIGPIPE, SIG_IGN);  // a peer that goes away is an error code, not the end
  std::signal(SIGXFSZ, SIG_IGN);  // so is a file that may not grow: the store says so, as for a full disk
  return nightjar::cli::run(argc, argv);
}
