# ===- stored_answers.py - how far logits are from stored ones -------------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===-----------------------------------------------------------------------===#
"""What tests against the answers in test/EndToEnd/data share."""

import statistics

# Between float32 implementations that add in different orders.
TOLERANCE = 2e-3


def differences(positions, expected):
    """Between the logits at each position and those that are stored for it."""
    assert len(positions) == len(expected)
    for position, top in zip(positions, expected):
        found = dict(map(tuple, position["top"]))
        yield from (abs(found[token] - logit) for token, logit in top)


def mean_loss(positions):
    return statistics.fmean(position["nll_of_next"] for position in positions[:-1])
