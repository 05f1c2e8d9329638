"""FRRouting's zebra and staticd with a configuration of their own, away from any that the machine runs."""
import os
import shutil
import subprocess
import tempfile
import time

DAEMONS = "/usr/lib/frr"
CONFIG = """hostname edge-01
interface lo
 description ## TRUNK TO HQ 2 #
!
interface dummy7
 description edge-01# is not a prompt here
!
ip route 198.51.100.0/24 Null0
ipv6 route 2001:db8:7::/48 Null0
"""


class Frr:
    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="nightjar-frr-")
        os.chmod(self.folder, 0o755)
        for name in ("run", "sock", "etc"):
            os.makedirs(self._path(name))
            os.chmod(self._path(name), 0o755)
        for name in ("zebra.conf", "staticd.conf"):
            with open(self._path("etc", name), "w") as f:
                f.write(CONFIG)
        open(self._path("etc", "vtysh.conf"), "w").close()
        for name in ("run", "sock", "etc"):
            shutil.chown(self._path(name), "frr", "frr")
        self.processes = [self._start("zebra"), self._start("staticd")]
        self._wait()

    def _path(self, *names):
        return os.path.join(self.folder, *names)

    def _start(self, name):
        return subprocess.Popen(
            [f"{DAEMONS}/{name}", "-f", self._path("etc", f"{name}.conf"), "-i", self._path("run", f"{name}.pid"),
             "-z", self._path("run", "zserv.api"), "--vty_socket", self._path("sock"), "-P", "0"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def _wait(self):
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            if b"Null0" in self.vtysh("show running-config") and b"TRUNK" in self.vtysh("show running-config"):
                return
            time.sleep(0.1)
        raise RuntimeError("FRRouting did not start")

    @property
    def shell(self):
        return f"/usr/bin/vtysh --vty_socket {self._path('sock')} --config_dir {self._path('etc')}"

    def vtysh(self, command):
        return subprocess.run([*self.shell.split(), "-c", command], capture_output=True).stdout

    def stop(self):
        for process in self.processes:
            process.terminate()
            process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
