"""`nightjar lab serve` as a process of its own, and its log: the devices' side of the truth."""
import json
import os
import signal
import time


class Lab:
    def __init__(self, site, devices, defaults=None):
        self.site = site
        self.plan = self._path("plan.json")
        with open(self.plan, "w") as f:
            json.dump({"defaults": {"customer": "acme", "credential": "acme/backup", **(defaults or {})}, "devices": devices}, f)
        self.log_file, self.inventory, ready = self._path("lab.log"), self._path("inventory.csv"), self._path("ready")
        self.process = site.start("lab", "serve", "--plan", self.plan, "--inventory", self.inventory, "--log", self.log_file,
                                  "--ready-file", ready)
        deadline = time.monotonic() + 60
        while not os.path.exists(ready):
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"the lab did not start: {self.process.communicate()}")
            time.sleep(0.02)

    def _path(self, name):
        return os.path.join(self.site.folder, name)

    def enrol(self):
        """Makes the customer, the credential and the devices of the plan known to the site."""
        self.site.run("customer", "add", "acme")
        self.site.run("credential", "add", "acme/backup", "--username", "nightjar", "--password-stdin", "--enable-stdin",
                      typed=b"lab-password\nlab-enable\n")
        self.site.run("device", "import", self.inventory)

    def visits(self, device):
        """The ended connections of a device, oldest first."""
        with open(self.log_file) as f:
            entries = [json.loads(line) for line in f if line.endswith("\n")]
        return [e for e in entries if e["event"] == "closed" and e["device"] == device]

    def opened(self, device):
        with open(self.log_file) as f:
            entries = [json.loads(line) for line in f if line.endswith("\n")]
        return [e for e in entries if e["event"] == "opened" and e["device"] == device]

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=60)
