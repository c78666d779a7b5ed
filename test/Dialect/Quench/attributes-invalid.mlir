// RUN: quench-opt %s --split-input-file --verify-diagnostics

// Attributes of the dialect on ops of any dialect: where they belong and what they hold.

// expected-error @+1 {{'builtin.module' op has attribute quench.entry, which belongs on a function}}
module attributes {quench.entry} {}

// -----

// expected-error @+1 {{'func.func' op attribute quench.entry: expected no value, got 1 : i64}}
func.func @entry() attributes {quench.entry = 1} { return }

// -----

// expected-error @+1 {{'builtin.module' op attribute quench.max_rows: expected a positive i64, got 0 : i64}}
module attributes {quench.max_rows = 0} {}

// -----

// expected-error @+1 {{'builtin.module' op attribute quench.max_rows: expected a positive i64, got "a"}}
module attributes {quench.max_rows = "a"} {}

// -----

// expected-error @+1 {{'builtin.module' op attribute quench.context: expected a positive i64, got 8 : i32}}
module attributes {quench.context = 8 : i32} {}

// -----

// expected-error @+1 {{'builtin.module' op attribute quench.name: expected a string, got 1 : i64}}
module attributes {quench.name = 1} {}

// -----

// expected-error @+1 {{'func.func' op has attribute quench.workspace_bytes, which belongs on the module}}
func.func @workspace() attributes {quench.workspace_bytes = 8} { return }

// -----

// expected-error @+1 {{'builtin.module' op attribute quench.workspace_bytes: expected an i64 of at least 0, got -1 : i64}}
module attributes {quench.workspace_bytes = -1} {}

// -----

// expected-error @+1 {{'builtin.module' op attribute quench.weight_table: expected an array, got unit}}
module attributes {quench.weight_table} {}

// -----

func.func @layout(%x: tensor<?x64xf32>, %w: !quench.qtensor<64, #quench.f32>) {
  // expected-error @+1 {{'quench.rms_norm' op attribute quench.layout: expected a layout such as #quench.plain, got 3 : i64}}
  %0 = quench.rms_norm %x, %w eps(0.0) {quench.layout = 3} : tensor<?x64xf32>, !quench.qtensor<64, #quench.f32>
  return
}

// -----

// expected-error @+1 {{'func.func' op has attribute quench.private, which belongs on a memref.alloc}}
func.func @private() attributes {quench.private} { return }

// -----

// expected-error @+1 {{'func.func' op has an unknown attribute of the dialect: "quench.entrance"}}
func.func @unknown() attributes {quench.entrance} { return }

// -----

// expected-error @+1 {{'func.func' op has attribute quench.cache on argument 0, which is no cache}}
func.func @cache_name(%x: index {quench.cache = "draft"}) { return }

// -----

// expected-error @+1 {{'func.func' op attribute quench.cache: expected a string, got 1 : i64}}
func.func @cache_number(%kv: !quench.paged_cache<layers = 1, heads = 1, dim = 8, element = f32, slots = 8> {quench.cache = 1}) { return }

// -----

// expected-error @+1 {{'func.func' op has an unknown attribute of the dialect on an argument: "quench.entry"}}
func.func @argument(%x: index {quench.entry}) { return }
