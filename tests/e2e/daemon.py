"""`nightjar serve` as a process of its own, and what it logs."""
import json
import os
import queue
import signal
import sqlite3
import threading
import time
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))


class Daemon:
    def __init__(self, site, *words):
        self.process = site.start("serve", "--listen", "127.0.0.1:0", "--log", "json", *words)
        self.events = queue.Queue()
        self.log = []
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stderr:
            try:
                event = json.loads(line)
            except ValueError:
                event = {"event": "text", "message": line.decode("utf-8", "replace")}
            self.log.append(event)
            self.events.put(event)
        self.events.put(None)

    def wait_for(self, name, seconds=60, **fields):
        """The next event of this name whose fields are these."""
        deadline = time.monotonic() + seconds
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                raise AssertionError(f"no {name} {fields} within {seconds} s; last: {self.log[-5:]}")
            try:
                event = self.events.get(timeout=left)
            except queue.Empty:
                continue
            if event is None:
                raise AssertionError(f"the daemon ended before {name}: {self.log[-5:]}")
            if event["event"] == name and all(event.get(k) == v for k, v in fields.items()):
                return event

    def ready(self):
        started = self.wait_for("daemon.started")
        self.address = started["message"].split(" ")[-1]
        return self

    def get(self, path):
        try:
            with urllib.request.urlopen(f"http://{self.address}{path}", timeout=30) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def stop(self, how=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(how)
        code = self.process.wait(timeout=120)
        self.reader.join(timeout=10)
        return code


def set_back(site, seconds):
    """As if the daemon had last looked at the schedules so long ago, and all devices were older than that."""
    with sqlite3.connect(os.path.join(site.data, "nightjar.db"), timeout=30) as db:
        db.execute("UPDATE device SET created_ms = created_ms - ?", (2 * seconds * 1000,))
        db.execute("UPDATE schedule_handled SET handled_ms = handled_ms - ?", (seconds * 1000,))
    db.close()
