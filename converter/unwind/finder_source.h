#ifndef PERF2X_UNWIND_FINDER_SOURCE_H_
#define PERF2X_UNWIND_FINDER_SOURCE_H_

#include <memory>
#include <utility>

#include "converter/model/tables.h"
#include "converter/symbolize/find/binary_finder.h"
#include "converter/unwind/code_source.h"

namespace perf2x {

// Code as a BinaryFinder finds it: what names functions also unwinds them. The
// kernel's library in every process ([vdso]) is read from perf's build-id cache
// or from this process, when its build id is the recording's.
class FinderSource final : public CodeSource {
 public:
  // `tables` must outlive the source.
  FinderSource(const ProfileTables& tables, BinaryFinderOptions options)
      : tables_(tables), finder_(std::move(options)) {}
  std::unique_ptr<ElfFile> Code(CodeFileId file) override;
  std::unique_ptr<ElfFile> Debug(CodeFileId file, const ElfFile& code) override;
  Generated GeneratedCode(CodeFileId file) override;

 private:
  const ProfileTables& tables_;
  const BinaryFinder finder_;
};

}  // namespace perf2x

#endif  // PERF2X_UNWIND_FINDER_SOURCE_H_
