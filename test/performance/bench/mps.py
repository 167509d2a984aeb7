# SPDX-License-Identifier: BSD-3-Clause
"""CUDA's multi-process service: processes that share a GPU then compute at the same time, else in turns."""
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading

CONTROL = "nvidia-cuda-mps-control"
# What ends a server: an error that CUDA calls sticky, in any of its processes. All of them may be told of it, in the
# same words, and who comes later is told that the server is not ready.
FAULT = re.compile(r"^.*(?:\bMPS\b|cudaErrorMps|terminated by the server|illegal (?:memory access|instruction|address)|"
                   r"launch failure|misaligned address|device-side assert|busy or unavailable|initialization error|"
                   r"no CUDA-capable device).*$", re.MULTILINE)


class Mps:
    """A server, from here until stop(). `environment` leads a process to it; it is empty where none runs."""

    def __init__(self, wanted=True):
        self.folder, self.environment = None, {}
        if not wanted or not shutil.which(CONTROL):
            return
        self.folder = tempfile.mkdtemp(prefix="trident-mps-")
        self.environment = {"CUDA_MPS_PIPE_DIRECTORY": self.folder, "CUDA_MPS_LOG_DIRECTORY": self.folder}
        if not self.control(["-d"]):
            self.stop()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    @property
    def runs(self):
        return self.folder is not None

    def control(self, words=(), said=None):
        """Whether the control program did as it was told. It leaves a daemon, which must not hold a pipe of ours."""
        try:
            return subprocess.run([CONTROL, *words], env={**os.environ, **self.environment}, text=True, timeout=20,
                                  check=False, input=said, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                  **({} if said else {"stdin": subprocess.DEVNULL})).returncode == 0
        except (OSError, subprocess.TimeoutExpired):
            return False

    def stop(self):
        if self.folder and not self.control(said="quit -t 5\n"):
            try:  # a daemon that does not answer: by the number that it left in its folder
                with open(os.path.join(self.folder, CONTROL + ".pid"), encoding="utf-8") as file:
                    os.kill(int(file.read()), signal.SIGKILL)
            except (OSError, ValueError):
                pass
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)
        self.folder, self.environment = None, {}


class SharedMps:
    """The server that many processes share. One that died is followed by another; all end at the end."""

    def __init__(self):
        self.lock = threading.Lock()
        self.all = [Mps()]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for server in self.all:
            server.stop()

    @property
    def now(self):
        return self.all[-1]

    def is_dead(self, server, output):
        """Whether a server has died, by what one of its processes said that has failed. Who comes later gets another.
        """
        with self.lock:
            if server is self.now and server.runs and FAULT.search(output):
                self.all.append(Mps())
            return server is not self.now
