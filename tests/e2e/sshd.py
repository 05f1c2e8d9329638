"""A real OpenSSH server on a free loopback port, for one test."""
import os
import shutil
import socket
import subprocess
import tempfile
import time

SSHD = shutil.which("sshd", path=os.environ.get("PATH", "") + ":/usr/sbin")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_until_it_listens(port, process):
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        if process.poll() is not None:
            return False
        with socket.socket() as s:
            if s.connect_ex(("127.0.0.1", port)) == 0:
                return True
        time.sleep(0.05)
    return False


class OpenSsh:
    """Lets the user who runs the test in with one key; `forced` is what runs instead of the login shell."""

    def __init__(self, forced=None):
        self.folder = tempfile.mkdtemp(prefix="nightjar-sshd-")
        os.chmod(self.folder, 0o755)
        self.key = self._key("client")
        self.host_key = self._key("host")
        with open(self.key + ".pub", "rb") as source, open(self._path("authorized_keys"), "wb") as target:
            target.write(source.read())
        os.makedirs("/run/sshd", exist_ok=True)
        for _ in range(5):
            self.port = free_port()
            self._write_config(forced)
            self.process = self._start()
            if wait_until_it_listens(self.port, self.process):
                return
            self.process.kill()
            self.process.wait()
        raise RuntimeError("sshd did not start: " + self.log())

    def _path(self, name):
        return os.path.join(self.folder, name)

    def _start(self):
        with open(self._path("log"), "ab") as log:
            return subprocess.Popen([SSHD, "-D", "-e", "-f", self._path("sshd_config")], stdout=subprocess.DEVNULL,
                                    stderr=log)

    def _key(self, name):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self._path(name)], check=True)
        return self._path(name)

    def _write_config(self, forced):
        lines = [f"Port {self.port}", "ListenAddress 127.0.0.1", f"HostKey {self.host_key}", "StrictModes no", "UsePAM no",
                 "PermitRootLogin prohibit-password", "PasswordAuthentication no", "PidFile none",
                 f"AuthorizedKeysFile {self._path('authorized_keys')}", "PrintLastLog no", "MaxStartups 500"]
        if forced:
            lines.append(f"ForceCommand {forced}")
        with open(self._path("sshd_config"), "w") as f:
            f.write("\n".join(lines) + "\n")

    def new_host_key(self):
        """The same port answers with another host key from now on."""
        self.process.terminate()
        self.process.wait()
        os.remove(self.host_key)
        os.remove(self.host_key + ".pub")
        self._key("host")
        self.process = self._start()
        assert wait_until_it_listens(self.port, self.process)

    def log(self):
        with open(self._path("log"), errors="replace") as f:
            return f.read()

    def stop(self):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
