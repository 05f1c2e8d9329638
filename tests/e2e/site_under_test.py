"""A data folder and the program that works on it."""
import json
import os
import shutil
import signal
import subprocess
import tempfile
import unittest

BIN = os.environ.get("NIGHTJAR_BIN", "nightjar")


class Answer:
    """What one command said."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    @property
    def text(self):
        return self.out.decode("utf-8", "replace")

    @property
    def json(self):
        return json.loads(self.out)

    @property
    def lines(self):
        return [json.loads(line) for line in self.out.splitlines() if line.strip()]


class Site:
    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="nightjar-e2e-")
        self.data = os.path.join(self.folder, "data")
        self.environment = dict(os.environ, NIGHTJAR_DATA=self.data, NO_COLOR="1")
        self.environment.pop("NIGHTJAR_CONFIG", None)

    def remove(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self, *words, **options):
        return subprocess.Popen([BIN, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.environment,
                                **options)

    def run(self, *words, typed=None, code=0):
        done = subprocess.run([BIN, *words], input=typed, capture_output=True, env=self.environment, timeout=120)
        if code is not None and done.returncode != code:
            raise AssertionError(f"{' '.join(words)}: exit {done.returncode}, expected {code}\n"
                                 f"{done.stdout.decode(errors='replace')}\n{done.stderr.decode(errors='replace')}")
        return Answer(done.returncode, done.stdout, done.stderr.decode("utf-8", "replace"))


class SiteTest(unittest.TestCase):
    """Each test has a site of its own, with `init` done."""

    def setUp(self):
        self.site = Site()
        self.addCleanup(self.site.remove)
        self.site.run("init")

    def run_site(self, *words, **options):
        return self.site.run(*words, **options)

    def background(self, *words, **options):
        process = self.site.start(*words, **options)

        def end():
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
            process.communicate()

        self.addCleanup(end)
        return process


def summary(answer):
    last = answer.lines[-1]
    assert last["event"] == "summary", last
    return last
