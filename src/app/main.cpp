// The process around the commands: nothing of it may end in a core file (it holds secrets), and it may open
// as many sessions as the system lets it.
#include <nightjar/cli/cli.hpp>

#include <csignal>
#include <malloc.h>
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

// The loop and the database's thread share one heap that does not give every freed page back at once: with
// the C library's usual ways each backup would pay for getting them again.
void keep_freed_memory() {
  constexpr int kept_bytes = 8 << 20;
  constexpr int own_mapping_bytes = 4 << 20;
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_TRIM_THRESHOLD, kept_bytes);
  mallopt(M_MMAP_THRESHOLD, own_mapping_bytes);
}

}  // namespace

int main(int argc, char** argv) {
  keep_secrets_out_of_core_files();
  allow_many_sessions();
  keep_freed_memory();
  umask(0077);                    // whatever is written may hold configurations
  std::signal(SIGPIPE, SIG_IGN);  // a peer that goes away is an error code, not the end
  std::signal(SIGXFSZ, SIG_IGN);  // so is a file that may not grow: the store says so, as for a full disk
  return nightjar::cli::run(argc, argv);
}
