//===- QuantWeight.cpp - constants of upstream quant types as block bytes ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "QuantWeight.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "quench-rt/Formats/Float16.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace mlir;
using namespace mlir::quench;
using namespace mlir::quench::detail;

namespace {
/// Numbers that share a block of q8_0 and q4_1.
constexpr int64_t kRun = 32;

/// Scales and zero points of a matrix: a grid of rectangles.
struct Grid {
  int64_t rows = 1, columns = 1;               ///< of the tensor
  int64_t rowsOfBlock = 1, columnsOfBlock = 1; ///< of one rectangle
  SmallVector<double> scales;
  SmallVector<int64_t> zeroPoints;

  int64_t at(int64_t row, int64_t column) const {
    return row / rowsOfBlock * (columns / columnsOfBlock) + column / columnsOfBlock;
  }
};

FailureOr<Grid> gridOf(function_ref<InFlightDiagnostic()> emitError, RankedTensorType type) {
  Grid grid;
  ArrayRef<int64_t> shape = type.getShape();
  bool vector = shape.size() == 1;
  grid.rows = grid.rowsOfBlock = vector ? 1 : shape[0];
  grid.columns = grid.columnsOfBlock = shape.back();
  auto setBlock = [&](int64_t dim, int64_t size) {
    (vector || dim == 1 ? grid.columnsOfBlock : grid.rowsOfBlock) = size;
  };
  Type element = type.getElementType();
  if (auto uniform = dyn_cast<quant::UniformQuantizedType>(element)) {
    grid.scales = {uniform.getScale()};
    grid.zeroPoints = {uniform.getZeroPoint()};
  } else if (auto axis = dyn_cast<quant::UniformQuantizedPerAxisType>(element)) {
    setBlock(axis.getQuantizedDimension(), 1);
    llvm::append_range(grid.scales, axis.getScales());
    llvm::append_range(grid.zeroPoints, axis.getZeroPoints());
  } else if (auto parts = dyn_cast<quant::UniformQuantizedSubChannelType>(element)) {
    for (auto [dim, size] : parts.getBlockSizeInfo())
      setBlock(dim, size);
    for (APFloat scale : parts.getScales().getValues<APFloat>()) {
      bool ignored;
      scale.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &ignored);
      grid.scales.push_back(scale.convertToDouble());
    }
    for (const APInt &zero : parts.getZeroPoints().getValues<APInt>())
      grid.zeroPoints.push_back(zero.getSExtValue());
  } else {
    return emitError() << "expected uniform scales, got " << element, failure();
  }
  // The quant dialect's verifier says so as well, for the ops that it knows.
  if (grid.rows % grid.rowsOfBlock != 0 || grid.columns % grid.columnsOfBlock != 0 ||
      grid.at(grid.rows - 1, grid.columns - 1) + 1 != int64_t(grid.scales.size()) ||
      grid.scales.size() != grid.zeroPoints.size())
    return emitError() << "expected a scale and a zero point for each block of " << type, failure();
  return grid;
}

/// The f16 that `value` is, if there is one.
std::optional<uint16_t> exactHalf(double value) {
  float single = static_cast<float>(value);
  uint16_t half = qrt::floatToHalf(single);
  if (static_cast<double>(qrt::halfToFloat(half)) != value)
    return std::nullopt;
  return half;
}

class Encoder {
public:
  Encoder(function_ref<InFlightDiagnostic()> emitError, RankedTensorType type, bool transposed,
          bool roundScales)
      : emitError(emitError), type(type), transposed(transposed), roundScales(roundScales) {}

  FailureOr<EncodedWeight> run(ElementsAttr codes) {
    auto quantized = cast<quant::QuantizedType>(type.getElementType());
    if (type.getRank() != 1 && type.getRank() != 2)
      return emitError() << "expected a weight of rank 1 or 2, got " << type, failure();
    if (!quantized.getExpressedType().isF32())
      return emitError() << "expected f32 as the expressed type, got "
                         << quantized.getExpressedType(),
             failure();
    if (type.getNumElements() == 0)
      return emitError() << "expected a weight with elements, got " << type, failure();
    unsigned bits = quantized.getStorageTypeIntegralWidth();
    if (bits != 4 && bits != 8)
      return emitError() << "expected codes of 4 or 8 bits, got " << bits, failure();
    FailureOr<Grid> parameters = gridOf(emitError, type);
    if (failed(parameters))
      return failure();
    grid = std::move(*parameters);
    rows = transposed ? grid.columns : grid.rows;
    columns = transposed ? grid.rows : grid.columns;
    int64_t run = transposed ? grid.rowsOfBlock : grid.columnsOfBlock;
    if (columns % kRun != 0 || run % kRun != 0)
      return emitError() << "expected a scale for a multiple of " << kRun
                         << " weights along the input features, got one for " << run << " of "
                         << columns,
             failure();
    if (failed(convertScales()))
      return failure();
    bool isSigned = quantized.isSigned();
    if (failed(readCodes(codes, isSigned)))
      return failure();
    int64_t lowest = bits == 4 && isSigned ? -8 : 0;
    if (bits == 4 && convertMinima(lowest))
      return encodeQ4_1(lowest);
    return encodeQ8_0();
  }

private:
  LogicalResult readCodes(ElementsAttr codes, bool isSigned) {
    auto add = [&](const APInt &code) {
      values.push_back(isSigned ? code.getSExtValue() : int64_t(code.getZExtValue()));
    };
    if (auto dense = dyn_cast<DenseIntElementsAttr>(codes)) {
      llvm::for_each(dense.getValues<APInt>(), add);
      return success();
    }
    if (auto resource = dyn_cast<DenseI8ResourceElementsAttr>(codes))
      if (std::optional<ArrayRef<int8_t>> bytes = resource.tryGetAsArrayRef();
          bytes && int64_t(bytes->size()) == codes.getNumElements()) {
        for (int8_t byte : *bytes)
          add(APInt(8, static_cast<uint8_t>(byte)));
        return success();
      }
    return emitError() << "expected codes as dense elements or as a dense resource of i8";
  }

  LogicalResult convertScales() {
    for (double &scale : grid.scales) {
      std::optional<uint16_t> half = exactHalf(scale);
      if (!half && roundScales) {
        half = qrt::floatToHalf(static_cast<float>(scale));
        // Subnormal numbers of f16 would lose more than its 11 bits.
        if (double rounded = qrt::halfToFloat(*half);
            std::isfinite(rounded) && std::abs(rounded) >= 0x1p-14)
          scale = rounded;
        else
          half.reset();
      }
      if (!half) {
        InFlightDiagnostic error = emitError() << "scale " << scale << " is not a number of f16";
        if (!roundScales)
          error << "; round-scales rounds to the nearest one";
        return failure();
      }
      halves.push_back(*half);
    }
    return success();
  }

  /// Whether f16 holds every minimum of q4_1 with codes from `lowest` on.
  bool convertMinima(int64_t lowest) {
    for (auto [scale, zero] : llvm::zip(grid.scales, grid.zeroPoints)) {
      std::optional<uint16_t> minimum = exactHalf(scale * double(lowest - zero));
      if (!minimum)
        return false;
      minima.push_back(*minimum);
    }
    return true;
  }

  int64_t block(int64_t row, int64_t column) const {
    return transposed ? grid.at(column, row) : grid.at(row, column);
  }
  int64_t code(int64_t row, int64_t column) const {
    return transposed ? values[column * rows + row] : values[row * columns + column];
  }

  EncodedWeight empty(FormatAttrInterface format) const {
    SmallVector<int64_t> shape = {rows, columns};
    if (type.getRank() == 1)
      shape.erase(shape.begin());
    EncodedWeight weight{QTensorType::get(type.getContext(), shape, format), {}};
    weight.bytes.reserve(rows * (columns / kRun) * format.getBlockBytes());
    return weight;
  }

  static void append(std::vector<uint8_t> &bytes, uint16_t word) {
    bytes.resize(bytes.size() + 2);
    qrt::storeWord(&bytes[bytes.size() - 2], word);
  }

  EncodedWeight encodeQ4_1(int64_t lowest) const {
    EncodedWeight weight = empty(Q4_1Attr::get(type.getContext()));
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t first = 0; first < columns; first += kRun) {
        append(weight.bytes, halves[block(row, first)]);
        append(weight.bytes, minima[block(row, first)]);
        for (int64_t j = 0; j < kRun / 2; ++j) {
          int64_t low = code(row, first + j) - lowest,
                  high = code(row, first + j + kRun / 2) - lowest;
          weight.bytes.push_back(static_cast<uint8_t>(low | high << 4));
        }
      }
    return weight;
  }

  FailureOr<EncodedWeight> encodeQ8_0() const {
    EncodedWeight weight = empty(Q8_0Attr::get(type.getContext()));
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t first = 0; first < columns; first += kRun) {
        int64_t here = block(row, first);
        append(weight.bytes, halves[here]);
        for (int64_t j = 0; j < kRun; ++j) {
          int64_t centred = code(row, first + j) - grid.zeroPoints[here];
          if (centred < -128 || centred > 127)
            return emitError() << "code " << code(row, first + j) << " with zero point "
                               << grid.zeroPoints[here] << " does not fit in the 8 bits of q8_0",
                   failure();
          weight.bytes.push_back(static_cast<uint8_t>(centred));
        }
      }
    return weight;
  }

  function_ref<InFlightDiagnostic()> emitError;
  RankedTensorType type;
  bool transposed, roundScales;
  Grid grid;
  int64_t rows = 0, columns = 0; // of the weight
  SmallVector<uint16_t> halves, minima;
  std::vector<int64_t> values;
};
} // namespace

FailureOr<EncodedWeight>
mlir::quench::detail::encodeWeight(function_ref<InFlightDiagnostic()> emitError, ElementsAttr codes,
                                   RankedTensorType type, bool transposed, bool roundScales) {
  return Encoder(emitError, type, transposed, roundScales).run(codes);
}
