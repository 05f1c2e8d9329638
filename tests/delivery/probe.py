"""Drives courier_probe: deliveries are started, and their answers come in the order in which they are done."""
import json
import os
import subprocess
import threading

# A proxy that nobody answers for: what goes by it fails, so each delivery shows that the environment is left alone.
NO_PROXY = {name: "http://127.0.0.1:9" for name in ("http_proxy", "https_proxy", "all_proxy", "HTTPS_PROXY", "ALL_PROXY")}


class Probe:
    def __init__(self):
        self._process = subprocess.Popen([os.environ["NIGHTJAR_COURIER_PROBE"]], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         text=True, env={**os.environ, **NO_PROXY})
        self._count = 0
        self._answers = {}
        self._changed = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def start(self, **request):
        self._count += 1
        self._write({"n": self._count, **request})
        return self._count

    def answer(self, number, timeout=45):
        with self._changed:
            came = self._changed.wait_for(lambda: number in self._answers or self._process.poll() is not None, timeout)
            assert came and number in self._answers, f"no answer came; the program ended with {self._process.poll()}"
            return self._answers[number]

    def is_done(self, number):
        with self._changed:
            return number in self._answers

    def send(self, server, **mail):
        return self.answer(self.start(send=server, mail=mail))

    def post(self, url, **post):
        return self.answer(self.start(post={"url": url, **post}))

    def stop_courier(self):
        self._write({"stop": True})

    def close(self):
        """Ends the program and returns its exit code: not 0 when a sanitizer has complained."""
        self._process.stdin.close()
        self._reader.join()
        self._process.stdout.close()
        return self._process.wait()

    def _write(self, line):
        self._process.stdin.write(json.dumps(line) + "\n")
        self._process.stdin.flush()

    def _read(self):
        for line in self._process.stdout:
            answer = json.loads(line)
            with self._changed:
                self._answers[answer["n"]] = answer
                self._changed.notify_all()
        self._process.wait()
        with self._changed:
            self._changed.notify_all()
