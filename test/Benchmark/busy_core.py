#!/usr/bin/env python3
"""Decoding while another program uses one core: with all threads against one thread less.

    python test/Benchmark/busy_core.py MODEL [--threads N] [--tokens 256] [--repeat 5] [--json]

N (default: one for each core) and N - 1 threads decode in turns, beside a process that does nothing but use the last
processor, and without it. With the process, N threads should be no slower than N - 1. Medians; a benchmark, not a test.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Busy:
    """A process that uses one processor."""

    def __init__(self, cpu):
        self.cpu = cpu

    def __enter__(self):
        self.process = subprocess.Popen([sys.executable, "-c", "while True: pass"],
                                        preexec_fn=lambda: os.sched_setaffinity(0, {self.cpu}))
        time.sleep(0.3)

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def decode(arguments, threads):
    """Tokens per second of one run."""
    done = subprocess.run([arguments.quench_run, "generate", arguments.model, "-p", "Once upon a time", "-n",
                           str(arguments.tokens), "--ignore-end", "--speculate", "off", "--threads", str(threads), "--json"],
                          check=True, capture_output=True, text=True)
    return json.loads(done.stdout)["tokens_per_second"]


def main():
    cpus = sorted(os.sched_getaffinity(0))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--quench-run", default=str(ROOT / "build" / "bin" / "quench-run"))
    parser.add_argument("--threads", type=int, default=len(cpus))
    parser.add_argument("--tokens", type=int, default=256)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    if arguments.threads < 2:
        parser.error("--threads: needs at least 2, since it is compared with one less")

    decode(arguments, 1)  # compiles on first use
    counts = [arguments.threads, arguments.threads - 1]
    runs = {(busy, threads): [] for busy in (False, True) for threads in counts}
    for _ in range(arguments.repeat):
        for threads in counts:
            runs[False, threads].append(decode(arguments, threads))
        with Busy(cpus[-1]):
            for threads in counts:
                runs[True, threads].append(decode(arguments, threads))
    medians = {key: statistics.median(values) for key, values in runs.items()}
    if arguments.json:
        print(json.dumps([{"busy": busy, "threads": threads, "tokens_per_second": medians[busy, threads], "runs": values}
                          for (busy, threads), values in runs.items()]))
        return
    print(f"tokens per second, medians of {arguments.repeat}; load {os.getloadavg()[0]:.1f}")
    for busy, name in (False, "alone"), (True, "one core used by another program"):
        first, second = (medians[busy, threads] for threads in counts)
        print(f"{name:34}{counts[0]} threads {first:7.1f}   {counts[1]} threads {second:7.1f}   ratio {first / second:.2f}")


if __name__ == "__main__":
    main()
