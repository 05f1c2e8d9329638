"""A certificate authority for one test, and certificates of its servers."""
import os
import shutil
import subprocess
import tempfile


class Authority:
    """`trust_file` is what a client that trusts it is given."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="nightjar-ca-")
        self.trust_file = os.path.join(self.folder, "ca.pem")
        self._key = os.path.join(self.folder, "ca.key")
        self._new(self._key, self.trust_file, "/CN=Test authority", "-addext", "keyUsage=critical,keyCertSign")

    def certificate(self, name="localhost", alternative="DNS:localhost,IP:127.0.0.1"):
        """(certificate file, key file) for a server of these names."""
        stem = os.path.join(self.folder, f"{len(os.listdir(self.folder))}-{name}")
        self._new(stem + ".key", stem + ".pem", f"/CN={name}", "-CA", self.trust_file, "-CAkey", self._key, "-addext",
                  f"subjectAltName={alternative}", "-addext", "basicConstraints=critical,CA:FALSE")
        return stem + ".pem", stem + ".key"

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    @staticmethod
    def _new(key, certificate, subject, *more):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-batch",
                        "-keyout", key, "-out", certificate, "-subj", subject, "-days", "2", *more], check=True,
                       capture_output=True)
