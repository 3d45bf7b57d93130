// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_PARQUET_THRIFT_BYTES_H_
#define PERF2X_EMIT_PARQUET_THRIFT_BYTES_H_

#include <thrift/protocol/TCompactProtocol.h>
#include <thrift/transport/TBufferTransports.h>

#include <cstdint>
#include <memory>
#include <new>
#include <string>

#include "converter/base/out_of_memory.h"

namespace perf2x {

// Appends a struct of parquet.thrift in Thrift's compact protocol. Returns the
// number of bytes that were appended.
template <class Struct>
size_t AppendThrift(const Struct& value, std::string* out) {
  using apache::thrift::protocol::TCompactProtocolT;
  using apache::thrift::transport::TMemoryBuffer;
  std::shared_ptr<TMemoryBuffer> buffer;
  try {
    buffer = std::make_shared<TMemoryBuffer>();
    TCompactProtocolT<TMemoryBuffer> protocol(buffer);
    value.write(&protocol);
  } catch (const std::bad_alloc&) {  // the buffer uses malloc
    HandleOutOfMemory();
  }
  uint8_t* bytes = nullptr;
  uint32_t size = 0;
  buffer->getBuffer(&bytes, &size);
  out->append(reinterpret_cast<const char*>(bytes), size);
  return size;
}

}  // namespace perf2x

#endif  // PERF2X_EMIT_PARQUET_THRIFT_BYTES_H_
