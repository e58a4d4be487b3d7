"""How fast sluiced starts, and how much memory it holds when idle and for each key. Prints a table.

Method: the release binary is started with a configuration of one rule on the embedded store; a client tries to connect without
pause and sends one CHECK. The time is from before the process is created to the answer. Memory is the resident set a moment
after that answer, as the kernel accounts it. Medians of several runs, with the extremes. Memory per leased key is measured by
lease_memory.cc on the lease table itself.
"""

import argparse
import pathlib
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUNS = 15
START_TARGET_MS = 50
IDLE_TARGET_MB = 10
KEY_TARGET_BYTES = 160
CHECK = b"*2\r\n$5\r\nCHECK\r\n$6\r\nuser=1\r\n"


def first_answer(path, deadline):
    """Connects as soon as that is possible, and returns the first bytes of the answer."""
    while time.monotonic() < deadline:
        client = socket.socket(socket.AF_UNIX)
        try:
            client.connect(path)
            client.sendall(CHECK)
            return client.recv(256)
        except (FileNotFoundError, ConnectionRefusedError):
            time.sleep(0.0002)
        finally:
            client.close()
    raise TimeoutError("sluiced did not answer within 5 s")


def resident_mb(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) / 1024


def measure(binary):
    """Milliseconds to the first answer, and megabytes resident after it."""
    with tempfile.TemporaryDirectory(prefix="sluice-bench.") as directory:
        path = f"{directory}/s.sock"
        config = pathlib.Path(directory, "sluice.toml")
        config.write_text(f'[server]\nsocket = "{path}"\n[log]\nlevel = "warn"\n'
                          '[[rule]]\nname = "r"\nmatch = {user = "*"}\nlimit = "100/minute"\n')
        started = time.monotonic()
        daemon = subprocess.Popen([binary, "--config", str(config)])
        try:
            answer = first_answer(path, started + 5)
            took = (time.monotonic() - started) * 1000
            assert answer.startswith(b"*6\r\n:1\r\n"), answer
            return took, resident_mb(daemon.pid)
        finally:
            daemon.terminate()
            daemon.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="exit 1 where a target is missed")
    arguments = parser.parse_args()
    results = [measure(str(ROOT / "build" / "sluiced")) for _ in range(RUNS)]
    per_key = float(subprocess.run([ROOT / "build" / "bench_lease_memory"], check=True, capture_output=True).stdout)
    missed = False
    print(f"{'what':34} {'median':>8} {'min':>8} {'max':>8} {'target':>8}")
    for name, unit, values, target in (
            ("start to first answer", "ms", [took for took, _ in results], START_TARGET_MS),
            ("resident memory, idle", "MB", [memory for _, memory in results], IDLE_TARGET_MB),
            ("per key leased, at 1 M keys", "bytes", [per_key], KEY_TARGET_BYTES)):
        median = statistics.median(values)
        missed = missed or median > target
        print(f"{name + ', ' + unit:34} {median:8.1f} {min(values):8.1f} {max(values):8.1f} {'≤ ' + str(target):>8}")
    return 1 if missed and arguments.check else 0


if __name__ == "__main__":
    sys.exit(main())
