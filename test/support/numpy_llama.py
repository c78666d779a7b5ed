# ===- numpy_llama.py - a llama model in a few lines of NumPy ---------------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===-----------------------------------------------------------------------===#
"""Logits of a GGUF file of the architecture llama, in double precision and independently of the compiler: weights as
the PyPI package `gguf` decodes them, all positions at once, no cache."""

import gguf
import numpy as np


class NumpyLlama:
    def __init__(self, path):
        reader = gguf.GGUFReader(path)
        self.weights = {tensor.name.removesuffix(".weight"): gguf.dequantize(tensor.data, tensor.tensor_type).astype(np.float64)
                        for tensor in reader.tensors}
        self.field = lambda name: reader.fields["llama." + name].contents()

    def norm(self, x, name):
        epsilon = self.field("attention.layer_norm_rms_epsilon")
        return x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + epsilon) * self.weights[name]

    def heads(self, x, name, count, rotate):
        """The rows of a linear layer as heads x positions x elements, neighbours rotated by their position."""
        y = (x @ self.weights[name].T).reshape(len(x), count, -1).transpose(1, 0, 2)
        if not rotate:
            return y
        dim = y.shape[-1]
        angles = np.arange(len(x))[:, None] * self.field("rope.freq_base") ** (-2 * np.arange(dim // 2) / dim)
        turned = (y[..., 0::2] + 1j * y[..., 1::2]) * np.exp(1j * angles)
        return np.stack([turned.real, turned.imag], axis=-1).reshape(y.shape)

    def attention(self, x, block):
        heads, cache_heads = self.field("attention.head_count"), self.field("attention.head_count_kv")
        q = self.heads(x, block + "attn_q", heads, rotate=True)
        k, v = (np.repeat(self.heads(x, block + name, cache_heads, rotate), heads // cache_heads, axis=0)
                for name, rotate in [("attn_k", True), ("attn_v", False)])
        scores = q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[-1])
        scores[:, ~np.tri(len(x), dtype=bool)] = -np.inf
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        mixed = weights / weights.sum(axis=-1, keepdims=True) @ v
        return mixed.transpose(1, 0, 2).reshape(len(x), -1) @ self.weights[block + "attn_output"].T

    def feed_forward(self, x, block):
        gate, up = (x @ self.weights[block + name].T for name in ("ffn_gate", "ffn_up"))
        return (gate / (1 + np.exp(-gate)) * up) @ self.weights[block + "ffn_down"].T

    def logits(self, ids):
        """positions x vocabulary."""
        x = self.weights["token_embd"][ids]
        for layer in range(self.field("block_count")):
            block = f"blk.{layer}."
            x = x + self.attention(self.norm(x, block + "attn_norm"), block)
            x = x + self.feed_forward(self.norm(x, block + "ffn_norm"), block)
        head = self.weights.get("output", self.weights["token_embd"])
        return self.norm(x, "output_norm") @ head.T
