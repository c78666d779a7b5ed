#!/usr/bin/env bash
#===- check.sh - set up, build, and run every test -------------------------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#===------------------------------------------------------------------------===#
#
# Ends with `N passed, N failed, N skipped`; the exit status is 0 if something
# passed and nothing failed. Logs and results of the steps are in build/check.
# docs/Testing.md says what each step covers and how to run one test.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
source cmake/setup.sh

results=$build/check
jobs=$(nproc)

# Whatever happens, the last line is a count.
finish() {
  local status=$?
  trap - EXIT
  if [[ -s $results/steps.tsv && -x $venv/bin/python ]]; then
    "$venv/bin/python" test/support/summarize.py "$results" || exit 1
    exit "$status"
  fi
  echo "0 passed, 1 failed, 0 skipped"
  exit 1
}

# step NAME KIND COMMAND...: runs the command with its output in a log file, and
# notes its exit status for summarize.py, which describes the kinds. Returns that
# status, so that `step … || …` can leave out what would make no sense after it.
step() {
  local name=$1 kind=$2 log=$results/$1.log status=0 start=$SECONDS
  shift 2
  printf '%-16s ' "$name"
  "$@" > "$log" 2>&1 < /dev/null || status=$?
  printf '%s\t%s\t%s\n' "$name" "$kind" "$status" >> "$results/steps.tsv"
  if [[ $status -eq 0 ]]; then
    printf 'ok      %4d s\n' $((SECONDS - start))
  else
    printf 'FAILED  %4d s; the end of %s:\n' $((SECONDS - start)) "${log#"$root/"}"
    tail -n 60 "$log" | sed 's/^/    /'
  fi
  return "$status"
}

# The C and C++ files that git knows or would add; without git, all of them.
checkFormat() {
  local files found
  mapfile -t files < <(
    git ls-files --cached --others --exclude-standard -- '*.c' '*.cpp' '*.h' 2>/dev/null ||
      find include lib tools runtime test -name '*.c' -o -name '*.cpp' -o -name '*.h')
  [[ ${#files[@]} -gt 0 ]] || { echo "no source file found"; return 1; }
  if found=$(clang-format-22 --dry-run -Werror "${files[@]}" 2>&1); then
    echo "${#files[@]} files"
  else
    # The places by file, without the text around them.
    echo "clang-format-22 -i would change:"
    grep -oE '^[^ :]+:[0-9]+' <<< "$found" | cut -d: -f1 | sort | uniq -c || echo "$found"
    return 1
  fi
}

buildAll() {
  configureBuild && ninja -C "$build"
}

# buildRuntime SANITIZERS TREE [TARGET...]: runtime/ by itself; with the address
# sanitizer also the fuzz targets.
buildRuntime() {
  local sanitizers=$1 tree=$2 fuzz=OFF
  shift 2
  [[ $sanitizers != *address* ]] || fuzz=ON
  configureTree "$root/runtime" "$tree" -DQUENCH_SANITIZE="$sanitizers" -DQUENCH_FUZZ="$fuzz" \
    -DQUENCH_TEST_PYTHON="$venv/bin/python" &&
    ninja -C "$tree" "$@"
}

# runCTest NAME TREE [OPTION...]
runCTest() {
  local name=$1 tree=$2
  shift 2
  ctest --test-dir "$tree" -j "$jobs" --no-tests=error --output-on-failure \
    --output-junit "$results/$name.xml" "$@"
}

runLit() {
  /usr/lib/llvm-22/bin/lit -j "$jobs" -v --xunit-xml-output="$results/lit.xml" "$build/test"
}

# The code that the compiler emits, under the sanitizers of the runtime's two builds.
runSanitized() {
  "$venv/bin/python" test/Sanitize/run_sanitized.py --tools "$build/bin" \
    --asan-runner "$asan/bin/run-step" --tsan-runner "$tsan/bin/run-step" \
    --junit "$results/sanitize.xml"
}

# Each parser on its kept inputs, then on made-up ones for $QUENCH_FUZZ_SECONDS.
runFuzzers() {
  "$venv/bin/python" test/Fuzz/run_fuzzers.py --jobs "$jobs" --findings "$results" \
    --junit "$results/fuzz.xml" "$asan"/bin/fuzz-* "$build"/bin/fuzz-*
}

runPytest() {
  "$venv/bin/python" -m pytest -c test/pytest.ini --junitxml="$results/pytest.xml" test
}

export ASAN_SYMBOLIZER_PATH=/usr/lib/llvm-22/bin/llvm-symbolizer
export TSAN_SYMBOLIZER_PATH=$ASAN_SYMBOLIZER_PATH UBSAN_OPTIONS=print_stacktrace=1

trap finish EXIT
rm -rf "$results"
mkdir -p "$results"
setUpPackages

step format check checkFormat || true

# The runtime alone: no LLVM or MLIR, address and undefined behaviour sanitizers,
# and the thread sanitizer for what several threads use.
asan=$build/runtime-asan
if step runtime-build build buildRuntime address,undefined "$asan"; then
  step runtime-headers check "$venv/bin/python" test/support/check_runtime_headers.py "$asan" || true
  step runtime-asan suite runCTest runtime-asan "$asan" || true
fi
tsan=$build/runtime-tsan
threaded=(KVCache Device Program Decode CApi)
programs=("${threaded[@]/#/Qrt}")
if step tsan-build build buildRuntime thread "$tsan" "${programs[@]/%/Tests}" run-step; then
  step runtime-tsan suite runCTest runtime-tsan "$tsan" -R "^($(IFS='|'; echo "${threaded[*]}"))/" || true
fi

# Everything.
if step build build buildAll; then
  step unit suite runCTest unit "$build" || true
  step lit suite runLit || true
  step sanitize suite runSanitized || true
  step fuzz suite runFuzzers || true
  step model build fetchModel || true
  step gemma3 build fetchModel gemma3 || true
  step eval-text build "$venv/bin/python" test/support/handbook_text.py "$cache/text" || true
  step pytest suite runPytest || true
  step tidy check "$venv/bin/python" test/support/run_clang_tidy.py "$build" "$cache/tidy" runtime/lib lib tools || true
fi
