//===- SafetensorsHeader.h - the JSON header as a stream of events --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_LIB_MODELFILE_SAFETENSORSHEADER_H
#define QUENCH_RT_LIB_MODELFILE_SAFETENSORSHEADER_H

#include "quench-rt/ModelFile/Safetensors.h"

#include <string>
#include <string_view>

namespace qrt {

/// Fills a SafetensorsFile from its header. A tree of JSON values would take many times
/// the header's size, lose duplicate keys and accept any shape; events do neither.
class SafetensorsHeaderReader {
public:
  explicit SafetensorsHeaderReader(SafetensorsFile &file) : file(file) {}

  /// Empty if all is well, else the complaint.
  std::string read(std::string_view json);

private:
  friend struct SafetensorsEvents;

  enum class Place {
    Start,         ///< before the outer object
    Names,         ///< in it
    Tensor,        ///< in a tensor's object
    Shape,         ///< in its array
    Offsets,       ///< in its array
    MetadataValue, ///< in `__metadata__`
    End,
  };

  bool fail(std::string what);
  bool onKey(std::string &text);
  bool onString(std::string &text);
  bool onNumber(uint64_t number);
  bool onObject();
  bool onObjectEnd();
  bool onArray();
  bool onArrayEnd();
  bool onOther();

  SafetensorsFile &file;
  Place place = Place::Start;
  std::string name; ///< the tensor, or `__metadata__`
  std::string key;  ///< within it
  std::string problem;
  SafetensorsTensor tensor;
  std::vector<uint64_t> range;
  bool haveDtype = false, haveShape = false, haveOffsets = false, haveMetadata = false;
};

} // namespace qrt

#endif // QUENCH_RT_LIB_MODELFILE_SAFETENSORSHEADER_H
