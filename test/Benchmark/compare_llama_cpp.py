#!/usr/bin/env python3
"""Decoding and prompt speed side by side with llama.cpp, as ratios.

    python test/Benchmark/compare_llama_cpp.py MODEL.gguf [--threads 2] [--repeat 5] [--json]

Both read the same file and run in turns, so that whatever else the machine does meets both. The peer is
`llama-bench`, built natively from the source package of `llama-cpp-python` (PyPI) in the cache folder on first use,
or given with --peer. Reported are medians; ratios above 1 are in our favour. This is a benchmark, not a test: nothing
passes or fails.
"""
import argparse
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tarfile

PEER_PACKAGE = "llama-cpp-python==0.3.36"
ROOT = pathlib.Path(__file__).resolve().parents[2]


def cache_folder() -> pathlib.Path:
    if "QUENCH_CACHE" in os.environ:
        return pathlib.Path(os.environ["QUENCH_CACHE"])
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(base) / "quench"


def build_peer() -> pathlib.Path:
    """Builds llama-bench for this machine once; returns its path."""
    folder = cache_folder() / "peers" / PEER_PACKAGE.replace("==", "-")
    program = folder / "build" / "bin" / "llama-bench"
    if program.exists():
        return program
    print(f"Building llama-bench from {PEER_PACKAGE} (some minutes, once)", file=sys.stderr)
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-build-isolation",
                    "--no-binary", ":all:", "--dest", str(folder), PEER_PACKAGE], check=True)
    with tarfile.open(next(folder.glob("*.tar.gz"))) as archive:
        archive.extractall(folder, filter="data")
    source = next(folder.glob("llama_cpp_python-*/vendor/llama.cpp"))
    subprocess.run(["cmake", "-G", "Ninja", "-S", str(source), "-B", str(folder / "build"), "-DCMAKE_BUILD_TYPE=Release",
                    "-DGGML_NATIVE=ON", "-DLLAMA_CURL=OFF", "-DLLAMA_BUILD_SERVER=OFF"], check=True, stdout=sys.stderr)
    subprocess.run(["cmake", "--build", str(folder / "build"), "--target", "llama-bench"], check=True, stdout=sys.stderr)
    return program


def run_peer(program, model, arguments) -> dict:
    out = subprocess.run([program, "-m", model, "-t", str(arguments.threads), "-p", str(arguments.prompt_tokens),
                          "-n", str(arguments.gen_tokens), "-r", "1", "-o", "json"],
                         check=True, capture_output=True, text=True).stdout
    rows = json.loads(out)
    return {"prompt": next(row["avg_ts"] for row in rows if row["n_prompt"]),
            "decode": next(row["avg_ts"] for row in rows if row["n_gen"])}


def run_ours(program, model, arguments) -> dict:
    out = subprocess.run([program, "bench", model, "--threads", str(arguments.threads), "--prompt-tokens",
                          str(arguments.prompt_tokens), "--gen-tokens", str(arguments.gen_tokens), "--widths", "1",
                          "--repeat", "1", "--json"], check=True, capture_output=True, text=True).stdout
    result = json.loads(out)
    return {"prompt": result["prompt_tokens_per_second"], "decode": result["decode_tokens_per_second"]}


def host() -> str:
    name = platform.machine()
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            name = line.split(":", 1)[1].strip()
            break
    return f"{name}, {os.cpu_count()} cores, {platform.system()} {platform.release()}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="GGUF file that both read")
    parser.add_argument("--peer", help="a llama-bench of your own (default: built from PyPI)")
    parser.add_argument("--quench-run", default=str(ROOT / "build" / "bin" / "quench-run"))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--prompt-tokens", type=int, default=512)
    parser.add_argument("--gen-tokens", type=int, default=128)
    parser.add_argument("--repeat", type=int, default=5, help="turns; at least 5 for a figure that is quoted")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    peer = arguments.peer or str(build_peer())

    run_ours(arguments.quench_run, arguments.model, arguments)  # compiles on first use
    runs = {"quench": [], "llama.cpp": []}
    load = os.getloadavg()[0]
    for turn in range(arguments.repeat):
        runs["quench"].append(run_ours(arguments.quench_run, arguments.model, arguments))
        runs["llama.cpp"].append(run_peer(peer, arguments.model, arguments))
        print(f"turn {turn + 1} of {arguments.repeat}", file=sys.stderr)
    medians = {name: {key: statistics.median(run[key] for run in list_) for key in ("prompt", "decode")}
               for name, list_ in runs.items()}
    ratios = {key: medians["quench"][key] / medians["llama.cpp"][key] for key in ("prompt", "decode")}
    if arguments.json:
        print(json.dumps({"host": host(), "threads": arguments.threads, "load_before": load, "runs": runs,
                          "medians": medians, "ratios": ratios}))
        return
    print(f"{host()}; {arguments.threads} threads, medians of {arguments.repeat} turns, load {load:.1f} before")
    print(f"{'':24}{'quench':>10}{'llama.cpp':>12}{'ratio':>8}")
    for key, name in (("prompt", f"prompt of {arguments.prompt_tokens}"), ("decode", f"decoding {arguments.gen_tokens}")):
        print(f"{name:24}{medians['quench'][key]:10.1f}{medians['llama.cpp'][key]:12.1f}{ratios[key]:8.2f}")


if __name__ == "__main__":
    main()
