// SPDX-License-Identifier: Apache-2.0
#include "converter/hwtrace/etm_decoder.h"

#include <algorithm>
#include <array>
#include <utility>

#include "converter/hwtrace/etm_frame.h"
#include "converter/hwtrace/opencsd_config.h"
#include "converter/hwtrace/opencsd_tree.h"

namespace perf2x {

bool EtmDecoder::Decodes(const EtmSource& source) {
  return source.protocol == EtmProtocol::kEtmV3 ||
         source.protocol == EtmProtocol::kPtm || source.idr8 == 0;
}

#if PERF2X_OPENCSD

namespace {

// OpenCSD 1.3.3 goes astray in memory when instructions are taken back that the
// processor never ran, and it may do so only with trace units that trace
// speculatively (idr8), which are not decoded. So a first tree looks at the
// packets, and the second one, which follows the code, gets no piece of trace
// that has such packets, or wrong ones.
class OpenCsdDecoder final : public EtmDecoder {
 public:
  OpenCsdDecoder(bool formatted, EtmCode* code)
      : formatted_(formatted),
        code_(code),
        packets_(formatted),
        flow_(formatted) {
    sources_.fill(nullptr);
    threads_.fill(-1);
    watches_.fill({.decoder = this});
  }
  bool Add(const EtmSource& source);
  bool Attach();

  void Reset() override;
  void Decode(absl::Span<const uint8_t> trace,
              std::vector<EtmElement>* elements) override;
  uint64_t TakeBadBytes() override { return std::exchange(bad_bytes_, 0); }
  uint64_t TakeLostBytes() override { return std::exchange(lost_bytes_, 0); }
  uint64_t TakeUnsynchronizedBytes() override;
  uint64_t TakeUnknownBytes() override {
    return std::exchange(unknown_bytes_, 0);
  }
  uint64_t TakeWork() override { return std::exchange(work_, 0); }

 private:
  // What is known of a source's packets. The context of OnPacket.
  struct Watch {
    OpenCsdDecoder* decoder = nullptr;
    uint32_t idle_packets = 0;  // since one that says that code ran
    uint32_t atom_bytes = 0;    // in the piece at `piece`, without a range yet
    uint64_t piece = 0;
    bool no_code = false;  // at the address where it is
    bool damaged = false;  // and not synchronized again
    bool synchronized = false;
    uint64_t bytes = 0;  // that came before it was
  };

  static ocsd_datapath_resp_t OnPacket(const void* watch, ocsd_datapath_op_t op,
                                       ocsd_trc_index_t, const void* packet);
  static ocsd_datapath_resp_t OnElement(const void* self, ocsd_trc_index_t,
                                        uint8_t id,
                                        const ocsd_generic_trace_elem* element);
  static uint32_t OnRead(const void* self, ocsd_vaddr_t address,
                         ocsd_mem_space_acc_t, uint8_t id, uint32_t size,
                         uint8_t* to);

  void ResetTrees(bool damaged);
  void SetSynchronized(Watch* watch);
  void AddAtoms(Watch* watch);
  void WatchElement(ocsd_gen_trc_elem_t type, Watch* watch);
  void DecodePiece(absl::Span<const uint8_t> piece);
  uint64_t ReadIds(absl::Span<const uint8_t> frame);
  void CountUndecoded(absl::Span<const uint8_t> piece);
  void Append(const ocsd_generic_trace_elem& in, const EtmSource& source,
              int32_t* thread);

  const bool formatted_;
  EtmCode* const code_;
  OpenCsdTree packets_, flow_;
  std::vector<std::unique_ptr<EtmSource>> owned_;
  std::array<const EtmSource*, 128> sources_;  // by trace id
  std::array<int32_t, 128> threads_{};         // likewise; -1: not told
  std::array<Watch, 128> watches_;             // likewise
  EtmFrameReader frames_;
  // Runs of one source's bytes in the piece.
  std::array<std::pair<uint8_t, uint8_t>, EtmFrameReader::kFrameSize> runs_;
  size_t run_count_ = 0;
  uint64_t bytes_without_id_ = 0;
  bool has_packets_ = false;  // a source's packets are looked at
  bool has_unseen_ = false;   // another's are not
  bool wrong_packet_ = false;
  bool has_good_packet_ = false;  // in the piece
  size_t damaged_ = 0;            // sources
  uint64_t index_ = 0;            // of the piece
  uint64_t bad_bytes_ = 0, lost_bytes_ = 0, work_ = 0;
  uint64_t unsynchronized_bytes_ = 0, unknown_bytes_ = 0;
  // Code that was read in one piece since the last element, and its end.
  uint32_t stretch_ = 0;
  uint64_t stretch_end_ = 0;
  std::vector<EtmElement>* elements_ = nullptr;  // during Decode
};

bool OpenCsdDecoder::Add(const EtmSource& source) {
  if (!IsEtmTraceId(source.trace_id) || !Decodes(source) ||
      sources_[source.trace_id] != nullptr) {
    return false;
  }
  constexpr int kFull = OCSD_CREATE_FLG_FULL_DECODER;
  bool added = false;
  if (source.protocol == EtmProtocol::kEtmV3) {
    const ocsd_etmv3_cfg config = ConfigOfV7<ocsd_etmv3_cfg>(source);
    added = flow_.Add(OCSD_BUILTIN_DCD_ETMV3, kFull, &config);
  } else if (source.protocol == EtmProtocol::kPtm) {
    const ocsd_ptm_cfg config = ConfigOfV7<ocsd_ptm_cfg>(source);
    added = flow_.Add(OCSD_BUILTIN_DCD_PTM, kFull, &config);
  } else {
    const ocsd_etmv4_cfg config = ConfigV4(source);
    const ocsd_ete_cfg ete = ConfigEte(source);
    added = packets_.Add(OCSD_BUILTIN_DCD_ETMV4I, OCSD_CREATE_FLG_PACKET_PROC,
                         &config) &&
            packets_.SetPacketSink(source.trace_id, &OnPacket,
                                   &watches_[source.trace_id]) &&
            (source.protocol == EtmProtocol::kEte
                 ? flow_.Add(OCSD_BUILTIN_DCD_ETE, kFull, &ete)
                 : flow_.Add(OCSD_BUILTIN_DCD_ETMV4I, kFull, &config));
    has_packets_ |= added;
  }
  if (!added) return false;
  has_unseen_ |= source.protocol == EtmProtocol::kEtmV3 ||
                 source.protocol == EtmProtocol::kPtm;
  owned_.push_back(std::make_unique<EtmSource>(source));
  sources_[source.trace_id] = owned_.back().get();
  return true;
}

bool OpenCsdDecoder::Attach() {
  return !owned_.empty() && flow_.SetElementSink(&OnElement, this) &&
         flow_.SetCode(&OnRead, this);
}

void OpenCsdDecoder::ResetTrees(bool damaged) {
  // Two microseconds, and all of a source's state.
  constexpr uint64_t kWork = 32, kWorkPerSource = 4;
  work_ += kWork + kWorkPerSource * owned_.size();
  if (has_packets_) packets_.Reset();
  flow_.Reset();
  wrong_packet_ = false;
  for (const auto& source : owned_) {
    Watch& watch = watches_[source->trace_id];
    watch = {.decoder = this,
             .damaged = damaged,
             .synchronized = watch.synchronized,
             .bytes = watch.bytes};
  }
  frames_.Reset();
  damaged_ = damaged ? owned_.size() : 0;
}

void OpenCsdDecoder::SetSynchronized(Watch* watch) {
  has_good_packet_ = true;
  watch->synchronized = true;
  watch->bytes = 0;
  if (std::exchange(watch->damaged, false)) --damaged_;
}

uint64_t OpenCsdDecoder::TakeUnsynchronizedBytes() {
  for (const auto& source : owned_) {
    unsynchronized_bytes_ += std::exchange(watches_[source->trace_id].bytes, 0);
  }
  unsynchronized_bytes_ += std::exchange(bytes_without_id_, 0);
  return std::exchange(unsynchronized_bytes_, 0);
}

void OpenCsdDecoder::Reset() {
  unsynchronized_bytes_ = TakeUnsynchronizedBytes();
  for (const auto& source : owned_) {
    watches_[source->trace_id].synchronized = false;
  }
  ResetTrees(/*damaged=*/false);
  // OpenCSD keeps some of the code that it read, which may have changed.
  flow_.SetCode(&OnRead, this);
  threads_.fill(-1);
}

void OpenCsdDecoder::Decode(absl::Span<const uint8_t> trace,
                            std::vector<EtmElement>* elements) {
  if (formatted_ && trace.size() % kFrameSize != 0) {
    const size_t rest = trace.size() % kFrameSize;
    bad_bytes_ += rest;
    trace.remove_suffix(rest);
  }
  elements_ = elements;
  while (!trace.empty()) {
    DecodePiece(trace.subspan(0, kFrameSize));
    trace.remove_prefix(std::min(trace.size(), kFrameSize));
  }
  elements_ = nullptr;
}

void OpenCsdDecoder::DecodePiece(absl::Span<const uint8_t> piece) {
  // OpenCSD looks at every byte, and goes on with another source at each id.
  // For a PTM, it may throw and catch an exception at the end of a piece, which
  // takes four microseconds.
  constexpr uint64_t kWork = 4, kWorkIfUnseen = 64;
  work_ += kWork + (has_unseen_ ? kWorkIfUnseen : 0);
  if (formatted_) work_ += ReadIds(piece);
  has_good_packet_ = false;
  const uint64_t lost_before = lost_bytes_;
  const bool good =
      (!has_packets_ || (packets_.Process(index_, piece) && !wrong_packet_)) &&
      flow_.Process(index_, piece);
  index_ += piece.size();
  if (good && (damaged_ == 0 || has_good_packet_)) return CountUndecoded(piece);
  bad_bytes_ += piece.size();
  if (good) return;
  lost_bytes_ = lost_before;
  for (const auto& source : owned_) {
    EtmElement gap;
    gap.cpu = source->cpu;
    elements_->push_back(gap);
  }
  ResetTrees(/*damaged=*/true);
}

// Sets runs_. Returns the number of ids in the frame.
uint64_t OpenCsdDecoder::ReadIds(absl::Span<const uint8_t> frame) {
  run_count_ = 0;
  return frames_.Read(frame, [this](uint8_t id, size_t bytes) {
    runs_[run_count_++] = {id, static_cast<uint8_t>(bytes)};
  });
}

// Counts the bytes of a piece whose source is not known or not synchronized.
void OpenCsdDecoder::CountUndecoded(absl::Span<const uint8_t> piece) {
  if (!formatted_) {
    Watch& watch = watches_[owned_[0]->trace_id];
    if (watch.synchronized) return;
    constexpr uint8_t kIgnore = 0x70;  // of ETMv4 and ETE
    for (const uint8_t byte : piece) {
      if (byte != 0 && byte != kIgnore) ++watch.bytes;
    }
    return;
  }
  for (size_t i = 0; i < run_count_; ++i) {
    const auto [id, bytes] = runs_[i];
    if (id == EtmFrameReader::kNoId) {
      bytes_without_id_ += bytes;
    } else if (sources_[id] == nullptr) {
      if (IsEtmTraceId(id)) unknown_bytes_ += bytes;
    } else if (!watches_[id].synchronized && !watches_[id].damaged) {
      watches_[id].bytes += bytes;
    }
  }
}

ocsd_datapath_resp_t OpenCsdDecoder::OnPacket(const void* context,
                                              ocsd_datapath_op_t op,
                                              ocsd_trc_index_t,
                                              const void* packet) {
  // Both trees read it.
  constexpr uint64_t kWorkPerPacket = 2;
  if (op != OCSD_OP_DATA || packet == nullptr) return OCSD_RESP_CONT;
  Watch& watch = *const_cast<Watch*>(static_cast<const Watch*>(context));
  watch.decoder->work_ += kWorkPerPacket;
  const auto type = static_cast<const ocsd_etmv4_i_pkt*>(packet)->type;
  const bool is_atoms =
      type >= ETM4_PKT_I_ATOM_F6 && type <= ETM4_PKT_I_ATOM_F3;
  const bool runs = type == ETM4_PKT_I_EXCEPT || is_atoms;
  if (type == ETM4_PKT_I_ASYNC) watch.decoder->SetSynchronized(&watch);
  if (!watch.damaged) watch.decoder->has_good_packet_ = true;
  if (is_atoms && !watch.no_code) watch.decoder->AddAtoms(&watch);
  // From ASYNC on, the values are not those of packets that may be kept.
  if (type < ETM4_PKT_I_ASYNC && type != ETM4_PKT_I_IGNORE) {
    watch.idle_packets = runs ? 0 : watch.idle_packets + 1;
  }
  const bool speculates =
      type >= ETM4_PKT_I_COMMIT && type < ETM4_PKT_I_COND_I_F2;
  const bool is_wrong =
      type >= ETM4_PKT_I_BAD_SEQUENCE && type <= ETM4_PKT_I_RESERVED_CFG;
  if (speculates || is_wrong || watch.idle_packets > kMaxIdlePackets) {
    watch.decoder->wrong_packet_ = true;
  }
  return OCSD_RESP_CONT;
}

uint32_t OpenCsdDecoder::OnRead(const void* self, ocsd_vaddr_t address,
                                ocsd_mem_space_acc_t, uint8_t id, uint32_t size,
                                uint8_t* to) {
  auto* const decoder =
      const_cast<OpenCsdDecoder*>(static_cast<const OpenCsdDecoder*>(self));
  const EtmSource* const source = decoder->sources_[id % 128];
  // One packet may have many branches. After one that is taken, other code is
  // read.
  if (address != decoder->stretch_end_) decoder->stretch_ = 0;
  if (source == nullptr || decoder->stretch_ >= kMaxRange) return 0;
  const uint32_t got =
      decoder->code_->Read(source->cpu, decoder->threads_[id % 128], address,
                           absl::MakeSpan(to, size));
  // A page is copied, and its mapping is searched for.
  constexpr uint64_t kWorkPerRead = 4;
  decoder->work_ += kWorkPerRead;
  decoder->stretch_ += got;
  decoder->stretch_end_ = address + got;
  return std::min(got, size);
}

// Counts a byte of atoms. WatchElement takes it back if they were followed.
void OpenCsdDecoder::AddAtoms(Watch* watch) {
  if (watch->piece != index_) watch->atom_bytes = 0;
  watch->piece = index_;
  ++watch->atom_bytes;
  ++lost_bytes_;
}

void OpenCsdDecoder::WatchElement(ocsd_gen_trc_elem_t type, Watch* watch) {
  if (type != OCSD_GEN_TRC_ELEM_NO_SYNC) SetSynchronized(watch);
  if (type == OCSD_GEN_TRC_ELEM_INSTR_RANGE) watch->no_code = false;
  if (type == OCSD_GEN_TRC_ELEM_ADDR_NACC) watch->no_code = true;
  if ((type == OCSD_GEN_TRC_ELEM_INSTR_RANGE || watch->no_code) &&
      watch->piece == index_) {
    lost_bytes_ -= std::exchange(watch->atom_bytes, 0);
  }
}

ocsd_datapath_resp_t OpenCsdDecoder::OnElement(
    const void* self, ocsd_trc_index_t, uint8_t id,
    const ocsd_generic_trace_elem* element) {
  auto* const decoder =
      const_cast<OpenCsdDecoder*>(static_cast<const OpenCsdDecoder*>(self));
  decoder->stretch_ = 0;
  const EtmSource* const source = decoder->sources_[id % 128];
  decoder->WatchElement(element->elem_type, &decoder->watches_[id % 128]);
  if (source != nullptr && decoder->elements_ != nullptr) {
    decoder->Append(*element, *source, &decoder->threads_[id % 128]);
  }
  return OCSD_RESP_CONT;
}

void OpenCsdDecoder::Append(const ocsd_generic_trace_elem& in,
                            const EtmSource& source, int32_t* thread) {
  EtmElement out;
  out.cpu = source.cpu;
  switch (in.elem_type) {
    case OCSD_GEN_TRC_ELEM_INSTR_RANGE:
      out.kind = EtmElement::Kind::kRange;
      out.start = in.st_addr;
      out.end = in.en_addr;
      out.last_size = in.last_instr_sz;
      out.taken =
          in.last_instr_exec && (in.last_i_type == OCSD_INSTR_BR ||
                                 in.last_i_type == OCSD_INSTR_BR_INDIRECT);
      out.thumb = in.isa == ocsd_isa_thumb2;
      out.instructions = in.num_instr_range;
      break;
    case OCSD_GEN_TRC_ELEM_PE_CONTEXT:
      out.kind = EtmElement::Kind::kContext;
      if (source.has_virtual_context_id() && in.context.vmid_valid) {
        *thread = static_cast<int32_t>(in.context.vmid);
      } else if (source.has_context_id() && in.context.ctxt_id_valid) {
        *thread = static_cast<int32_t>(in.context.context_id);
      }
      out.thread = *thread;
      out.user = in.context.el_valid && in.context.exception_level == ocsd_EL0;
      break;
    case OCSD_GEN_TRC_ELEM_TIMESTAMP:
      out.kind = EtmElement::Kind::kTime;
      out.time = in.timestamp;
      break;
    case OCSD_GEN_TRC_ELEM_EXCEPTION:
      out.kind = EtmElement::Kind::kException;
      // The target of a branch that was taken just before.
      if (in.excep_ret_addr_br_tgt) out.start = in.en_addr;
      break;
    case OCSD_GEN_TRC_ELEM_ADDR_NACC:
      out.kind = EtmElement::Kind::kNoCode;
      out.start = in.st_addr;
      break;
    case OCSD_GEN_TRC_ELEM_TRACE_ON:
      if (in.trace_on_reason == TRACE_ON_OVERFLOW) {
        out.kind = EtmElement::Kind::kOverflow;
      }
      break;
    case OCSD_GEN_TRC_ELEM_NO_SYNC:
    case OCSD_GEN_TRC_ELEM_EO_TRACE:
    case OCSD_GEN_TRC_ELEM_I_RANGE_NOPATH:
    case OCSD_GEN_TRC_ELEM_ADDR_UNKNOWN:
      break;
    default:  // says nothing of what ran
      return;
  }
  elements_->push_back(out);
}

}  // namespace

bool EtmDecoder::InThisBuild() { return true; }

std::unique_ptr<EtmDecoder> EtmDecoder::Make(
    absl::Span<const EtmSource> sources, bool formatted, EtmCode* code) {
  auto decoder = std::make_unique<OpenCsdDecoder>(formatted, code);
  for (const EtmSource& source : sources) decoder->Add(source);
  if (!decoder->Attach()) return nullptr;
  return decoder;
}

#else

bool EtmDecoder::InThisBuild() { return false; }

std::unique_ptr<EtmDecoder> EtmDecoder::Make(absl::Span<const EtmSource>, bool,
                                             EtmCode*) {
  return nullptr;
}

#endif  // PERF2X_OPENCSD

}  // namespace perf2x
