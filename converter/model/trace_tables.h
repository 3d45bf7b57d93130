// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_MODEL_TRACE_TABLES_H_
#define PERF2X_MODEL_TRACE_TABLES_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "converter/base/huge_page_allocator.h"
#include "converter/base/prefetch.h"
#include "converter/base/radix_sort.h"
#include "converter/base/stable_array.h"
#include "converter/base/string_table.h"
#include "converter/base/worker_pool.h"
#include "converter/model/frame_table.h"
#include "converter/model/model.h"
#include "converter/model/sample_tags.h"
#include "converter/model/stack_table.h"
#include "converter/model/symbolized_frames.h"
#include "converter/model/symbolizer.h"

namespace perf2x {

// The interned tables of one conversion. The session fills the tables; emitters
// read them. The frames of a stack and the functions of a frame are computed
// when an emitter first requests them. Ids stay valid until the end of the
// conversion; references to events and mappings become invalid when their table
// grows. Functions that take an id require that the table has it. Not
// thread-safe, except that
// - one thread may call AppendPlaces while another one calls InternFrames;
// - other threads may read the elements of a StableArray, and the strings and
//   tags, that were there before, except build ids and references of DSOs.
class TraceTables {
 public:
  // `symbolizer` must outlive the tables. If it is null, every frame has a
  // placeholder function.
  explicit TraceTables(Symbolizer* symbolizer = nullptr)
      : symbolizer_(symbolizer) {}
  TraceTables(const TraceTables&) = delete;
  TraceTables& operator=(const TraceTables&) = delete;

  // The tables that the session fills directly. `events` and `threads` are by
  // id.
  StringTable strings;
  StackTable stacks;
  std::vector<Event> events;
  StableArray<Thread, 64> threads;
  SampleTagTable tags;

  // All by id.
  using Dsos = StableArray<Dso, 64>;
  using Functions = StableArray<Function, 256>;
  const Dsos& dsos() const { return dsos_; }
  const std::vector<Mapping>& mappings() const { return mappings_; }
  const FrameTable::Frames& frames() const { return frames_.frames(); }
  const Functions& functions() const { return functions_; }

  // Appends a Dso and returns its id. Does not look for an equal one.
  DsoId AddDso(Dso dso);
  // Sets the build id of a Dso, which may become known after the Dso was added.
  void SetBuildId(DsoId dso, const BuildId& build_id) {
    dsos_[dso].build_id = build_id;
  }
  // Sets Dso::reference_symbol and reference_address.
  void SetReference(DsoId dso, absl::string_view symbol, uint64_t address) {
    dsos_[dso].reference_symbol = std::string(symbol);
    dsos_[dso].reference_address = address;
  }
  // Appends a mapping and returns its id. Does not look for an equal one.
  MappingId AddMapping(const Mapping& mapping);

  // Returns the approximate memory of the tables, in bytes. Includes an
  // estimate of what emitters keep for each DSO, frame and thread. Excludes
  // lines and functions, which the symbolizer charges, but includes their
  // strings.
  uint64_t memory() const;

  // Replaces the constructor's `symbolizer`. To be called before the first
  // frame is symbolized.
  void set_symbolizer(Symbolizer* symbolizer) { symbolizer_ = symbolizer; }
  // Sets the source of frames. To be called before FramesOf, its two steps, and
  // Locate. `source` must outlive these calls.
  void set_frame_source(FrameSource* source) { frame_source_ = source; }
  // Returns null if no source is set.
  FrameSource* frame_source() const { return frame_source_; }
  // Sets `*frames` to the stack's frames, leaf first; never empty.
  void FramesOf(StackId stack, std::vector<FrameId>* frames) {
    places_.clear();
    AppendPlaces(stack, &places_);
    InternFrames(places_, frames);
  }
  // First step of FramesOf: appends the places of the stack's frames. One
  // thread may call this while another one calls InternFrames for other stacks.
  void AppendPlaces(StackId stack, FramePlaces* places) {
    frame_source_->AppendPlaces(stack, places);
  }
  // Second step of FramesOf: sets `*frames` to the frames at `places`, in the
  // same order.
  void InternFrames(const FramePlaces& places, std::vector<FrameId>* frames);
  // Returns the frame at `place`.
  FrameId InternFrame(const FramePlace& place) {
    return frames_.Intern(place.hash, place.dso, place.mapping, place.address);
  }

  // See FrameSource::Locate. Interns nothing.
  DsoId Locate(AddressSpaceId space, uint64_t address,
               uint64_t* frame_address) {
    return frame_source_->Locate(space, address, frame_address);
  }
  // Returns the code of a Dso; null if its file is not found or there is no
  // symbolizer. See Symbolizer::OpenCode.
  std::shared_ptr<CodeImage> OpenCode(DsoId dso) {
    return symbolizer_ == nullptr ? nullptr : symbolizer_->OpenCode(dsos_[dso]);
  }

  // Frees the stacks and the hash table of frames; frames, lines and functions
  // remain. FramesOf and its two steps must not be called afterwards, and no
  // StackId is valid.
  void DropStacks() {
    stacks = StackTable();
    frames_.DropIndex();
  }

  // Returns the functions at a frame, the innermost inlined one first. A frame
  // without a symbol has one: the placeholder of its DSO. Symbolizes the frame
  // if that was not done before. The span is valid until the next call of Lines
  // or SymbolizeAllFrames.
  absl::Span<const Line> Lines(FrameId frame) {
    if (frame >= lines_of_.size() || lines_of_[frame].count == 0) {
      Symbolize(frame);
    }
    return {&FirstLine(frame), lines_of_[frame].count};
  }
  // Prefetches the lines and functions of frames after `frame`, which are
  // scattered in memory. To be called before Lines(frame) in a loop over
  // ascending ids. Has an effect only after SymbolizeAllFrames.
  void PrefetchLines(FrameId frame) const {
    constexpr FrameId kLines = 24, kFunctions = 12;
    if (uint64_t{frame} + kLines >= first_unsymbolized_) return;
    Prefetch(&FirstLine(frame + kLines));
    Prefetch(&functions_[FirstLine(frame + kFunctions).function]);
  }
  // Symbolizes all frames that have not been symbolized yet, DSO by DSO, with
  // the help of `workers`. The result does not depend on how threads share the
  // work. Releases the symbol tables (Symbolizer::Release) unless
  // `more_to_come` is set.
  void SymbolizeAllFrames(WorkerPool& workers, bool more_to_come = false);
  // Returns true if a symbol was found for the frame. Requires that it was
  // passed to Lines or covered by SymbolizeAllFrames.
  bool IsSymbolized(FrameId frame) const {
    return !functions_[FirstLine(frame).function].placeholder;
  }

 private:
  // Frames of one DSO that are symbolized together.
  struct Group {
    DsoId dso = 0;
    absl::Span<const FrameId> frames;
    SymbolizedFrames names;
    size_t first_line = 0;  // in lines_[dso], of the group's lines
    std::atomic<bool> found = false;
  };
  FunctionId InternFunction(const Function& function);
  void SetPlaceholder(FrameId frame);
  void Symbolize(FrameId frame);
  std::vector<std::unique_ptr<Group>> UnsymbolizedByDso(
      std::vector<FrameId>* frames) const;
  void Symbolize(Group* group);
  void InternSymbols(const Group& group);
  const Line& FirstLine(FrameId frame) const {
    return lines_[frames()[frame].dso][lines_of_[frame].first];
  }

  Symbolizer* symbolizer_;
  FrameSource* frame_source_ = nullptr;
  FramePlaces places_;             // of the current stack
  std::vector<FrameId> interned_;  // buffer: frames at stored places
  Dsos dsos_;
  uint64_t dso_bytes_ = 0;  // of names in dsos_
  std::vector<Mapping> mappings_;
  FrameTable frames_;
  Functions functions_;
  absl::flat_hash_map<Function, FunctionId> function_ids_;
  std::vector<LineRange> placeholders_;                            // by DSO
  std::vector<LineRange, HugePageAllocator<LineRange>> lines_of_;  // by frame
  std::vector<std::vector<Line>> lines_;                           // by DSO
  FrameId first_unsymbolized_ = 0;  // all lower ids are symbolized
};

// Returns the name of code of `dso` without a symbol: the file's name without
// folders, in brackets ("[libfoo.so]"). A name that begins with a bracket stays
// as it is. Returns "[unknown]" for a DSO without a name.
std::string PlaceholderName(const Dso& dso);

}  // namespace perf2x

#endif  // PERF2X_MODEL_TRACE_TABLES_H_
