//===- TinyModel.cpp - a language model of two layers ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "TinyModel.h"

#include "Subject.h"
#include "Values.h"

using namespace quench::numerics;
using namespace quench::reference;

namespace {

/// $NAME is replaced by a type or a word before parsing.
const char *const kBlock = R"(
func.func private @block(%x: $x, %pos: tensor<?xi32>, %kv: $cache, %layer: index,
    %an: $norm, %wq: $q, %wk: $k, %wv: $k, %wo: $q, %fn: $norm, %wg: $up, %wu: $up, %wd: $down) -> $x {
  %h = quench.rms_norm %x, %an eps(1.0e-5) : $x, $norm
  %q = quench.linear %h, %wq activations($mode) : $x, $q -> $x
  %k = quench.linear %h, %wk activations($mode) : $x, $k -> $kv
  %v = quench.linear %h, %wv activations($mode) : $x, $k -> $kv
  %qr = quench.rope adjacent %q, %pos dim(16) inv_freq([1.0, 0.5, 0.25, 0.125, 0.06, 0.03, 0.01, 0.001]) : $x, tensor<?xi32>
  %kr = quench.rope adjacent %k, %pos dim(16) inv_freq([1.0, 0.5, 0.25, 0.125, 0.06, 0.03, 0.01, 0.001]) : $kv, tensor<?xi32>
  %a = quench.attention %qr, %kr, %v, %pos cache(%kv layer %layer) scale(0.25) : $x, $kv, $kv, tensor<?xi32>, $cache -> $x
  %o = quench.linear %a, %wo activations($mode) : $x, $q -> $x
  %x1 = arith.addf %x, %o : $x
  %h2 = quench.rms_norm %x1, %fn eps(1.0e-5) : $x, $norm
  %g = quench.linear %h2, %wg activations($mode) : $x, $up -> $wide
  %u = quench.linear %h2, %wu activations($mode) : $x, $up -> $wide
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %g, %c0 : $wide
  %e = tensor.empty(%rows) : $wide
  %s = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
     ins(%g, %u : $wide, $wide) outs(%e : $wide) {
  ^bb0(%gi: f32, %ui: f32, %out: f32):
    %one = arith.constant 1.0 : f32
    %n = arith.negf %gi : f32
    %ex = math.exp %n : f32
    %den = arith.addf %ex, %one : f32
    %sig = arith.divf %gi, %den : f32
    %r = arith.mulf %sig, %ui : f32
    linalg.yield %r : f32
  } -> $wide
  %d = quench.linear %s, %wd activations($mode) : $wide, $down -> $x
  %x2 = arith.addf %x1, %d : $x
  return %x2 : $x
}
)";

const char *const kEntries = R"(
func.func @prefill(%tokens: tensor<?xi32>, %kv: $cache) attributes {quench.entry} {
  %x = func.call @trunk(%tokens, %kv) : (tensor<?xi32>, $cache) -> $x
  return
}
func.func private @head(%tokens: tensor<?xi32>, %kv: $cache) -> $vocab {
  %x = func.call @trunk(%tokens, %kv) : (tensor<?xi32>, $cache) -> $x
  %wn = quench.get_weight @norm : $norm
  %h = quench.rms_norm %x, %wn eps(1.0e-5) : $x, $norm
  %w = quench.get_weight @table : $table
  %l = quench.linear %h, %w activations($mode) : $x, $table -> $vocab
  return %l : $vocab
}
func.func @logits(%tokens: tensor<?xi32>, %kv: $cache) -> $vocab attributes {quench.entry} {
  %l = func.call @head(%tokens, %kv) : (tensor<?xi32>, $cache) -> $vocab
  return %l : $vocab
}
func.func @greedy(%tokens: tensor<?xi32>, %kv: $cache) -> (tensor<?xi32>, tensor<?xf32>) attributes {quench.entry} {
  %l = func.call @head(%tokens, %kv) : (tensor<?xi32>, $cache) -> $vocab
  %i, %v = quench.argmax %l : $vocab -> tensor<?xi32>, tensor<?xf32>
  return %i, %v : tensor<?xi32>, tensor<?xf32>
}
)";

std::string replaced(std::string text, const std::vector<std::pair<std::string, std::string>> &by) {
  for (const auto &[name, value] : by)
    for (size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += value.size())
      text.replace(at, name.size(), value);
  return text;
}

struct Part {
  const char *name, *type;
  qrt::Format format;
  int64_t rows, columns; ///< rows == 0: a vector
};
const Part kParts[] = {
    {"an", "$norm", qrt::Format::F32, 0, 64},  {"wq", "$q", qrt::Format::Q4_1, 64, 64},
    {"wk", "$k", qrt::Format::Q4_1, 32, 64},   {"wv", "$k", qrt::Format::Q4_1, 32, 64},
    {"wo", "$q", qrt::Format::Q4_1, 64, 64},   {"fn", "$norm", qrt::Format::F32, 0, 64},
    {"wg", "$up", qrt::Format::Q4_1, 96, 64},  {"wu", "$up", qrt::Format::Q4_1, 96, 64},
    {"wd", "$down", qrt::Format::Q4_1, 64, 96}};

} // namespace

TinyModel::TinyModel(Activations activations) {
  Random random(7);
  std::string declarations, trunk = R"(
func.func private @trunk(%tokens: tensor<?xi32>, %kv: $cache) -> $x {
  %pos = quench.positions %tokens, %kv : tensor<?xi32>, $cache -> tensor<?xi32>
  %len = quench.cache_length %kv : $cache
  %table = quench.get_weight @table : $table
  %x0 = quench.embedding %tokens, %table : tensor<?xi32>, $table -> $x
)";
  auto declare = [&](const std::string &name, const char *type, qrt::Format format, int64_t rows,
                     int64_t columns) {
    declarations += weightText(name, type);
    weights.weights[name] = makeWeight(random, format, std::max<int64_t>(rows, 1), columns);
  };
  declare("table", "$table", qrt::Format::Q8_0, kTokens, 64);
  declare("norm", "$norm", qrt::Format::F32, 0, 64);
  for (int layer = 0; layer < 2; ++layer) {
    std::string n = std::to_string(layer), operands, types;
    trunk += "  %l" + n + " = arith.constant " + n + " : index\n";
    for (const Part &part : kParts) {
      std::string name = part.name + n;
      declare(name, part.type, part.format, part.rows, part.columns);
      trunk += "  %" + name + " = quench.get_weight @" + name + " : " + part.type + "\n";
      operands += ", %" + name;
      types += std::string(", ") + part.type;
    }
    trunk += "  %x" + std::to_string(layer + 1) + " = func.call @block(%x" + n + ", %pos, %kv, %l" +
             n + operands + ") : ($x, tensor<?xi32>, $cache, index" + types + ") -> $x\n";
  }
  trunk += R"(
  %c0 = arith.constant 0 : index
  %n = tensor.dim %tokens, %c0 : tensor<?xi32>
  %new = arith.addi %len, %n : index
  quench.cache_commit %kv, %new : $cache
  return %x2 : $x
}
)";
  bool integers = activations == Activations::I8;
  text = "module attributes {quench.max_rows = " + std::to_string(kMaxRows) + " : i64} {\n" +
         replaced(declarations + kBlock + trunk + kEntries,
                  {{"$cache", std::string("!quench.paged_cache<layers = 2, heads = 2, dim = 16, "
                                          "element = ") +
                                  (integers ? "f16" : "f32") +
                                  ", slots = " + std::to_string(kSlots) + ">"},
                   {"$norm", weightType(qrt::Format::F32, 0, 64)},
                   {"$table", weightType(qrt::Format::Q8_0, kTokens, 64)},
                   {"$vocab", rowsType(kTokens)},
                   {"$wide", rowsType(96)},
                   {"$down", weightType(qrt::Format::Q4_1, 64, 96)},
                   {"$mode", integers ? "i8" : "f32"},
                   {"$up", weightType(qrt::Format::Q4_1, 96, 64)},
                   {"$kv", rowsType(32)},
                   {"$q", weightType(qrt::Format::Q4_1, 64, 64)},
                   {"$k", weightType(qrt::Format::Q4_1, 32, 64)},
                   {"$x", rowsType(64)}}) +
         "}\n";
}

Call TinyModel::call(const std::string &entry, const std::vector<int32_t> &tokens, int64_t before,
                     int64_t count) {
  std::vector<int32_t> part(tokens.begin() + before, tokens.begin() + before + count);
  return {entry, {{arrayOf(part, {count}), -1, 0}, {{}, 0, before + count}}};
}

std::vector<int32_t> quench::numerics::makeTokens(int64_t count, uint64_t seed) {
  Random random(seed);
  std::vector<int32_t> tokens;
  for (int64_t i = 0; i < count; ++i)
    tokens.push_back(int32_t(i > 20 && random.below(2) ? tokens[size_t(i - 13)]
                                                       : random.below(TinyModel::kTokens)));
  return tokens;
}
