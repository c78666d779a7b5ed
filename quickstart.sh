#!/usr/bin/env bash
#===- quickstart.sh - from a bare Debian 12 to generated text --------------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#===------------------------------------------------------------------------===#
#
# usage: ./quickstart.sh [PROMPT]
#
# Installs what is missing, builds, fetches SmolLM2-135M-Instruct, compiles it,
# and generates the answer twice: plainly, and by draft and verify. The texts are
# the same; the last line says what the drafts were worth.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
source cmake/setup.sh

# Drafts come from the text so far, so they help where the answer repeats some of it.
question=${1:-"Correct the one spelling mistake in this text, and repeat the rest as it is:

A compiler reads a program and translates it into instructions that a machine can run. \
It does not run the program itself. It looks at the program as a whole, finds out which parts \
belong together, and choses an order of instructions that gives the same result in less time."}
prompt="<|im_start|>user
$question<|im_end|>
<|im_start|>assistant
"

setUpPackages
configureBuild
say "Building (the first time takes some minutes)"
ninja -C "$build" --quiet tools/all
model=$(fetchModel)

run=$build/bin/quench-run
package=$cache/quickstart/$(basename "$model" .gguf)
# In a folder of its own: what is in packages/ is quench-run's, to be removed when space is short.
# A package made by an older compiler would still run; this shows the current one's code.
if [[ ! -e $package || $run -nt $package ]]; then
  say "Compiling $(basename "$model")"
  mkdir -p "$cache/quickstart"
  rm -rf "$package"
  "$run" compile "$model" -o "$package"
fi

say "Generating plainly, then by draft and verify"
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
for source in off lookup; do
  "$run" generate "$package" -p "$prompt" -n 128 --temp 0 --speculate "$source" --json > "$results/$source.json"
done
"$venv/bin/python" - "$results" <<'END'
import json, pathlib, sys
plain, drafted = (json.loads((pathlib.Path(sys.argv[1]) / f"{name}.json").read_text()) for name in ("off", "lookup"))
if plain["token_ids"] != drafted["token_ids"]:
    sys.exit("error: the text with drafts differs from plain decoding's")
speed, baseline = drafted["tokens_per_second"], plain["tokens_per_second"]
print(drafted["text"].strip(), end="\n\n")
print(f"{speed:.1f} tokens per second, {drafted['drafted']} drafted, {drafted['accepted']} accepted, "
      f"{speed / baseline:.2f} times plain decoding ({baseline:.1f} tokens per second)")
END
