// SPDX-License-Identifier: Apache-2.0
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "converter/cli/command_docs.h"
#include "converter/emit/registry.h"

namespace perf2x {
namespace {

constexpr char kRest[] = R"(.SH EXAMPLES
.TP
.B perf2x
perf.data of this folder to pprof, as perf.pb.gz.
.TP
.B perf2x \-o cpu.pb.gz /tmp/perf.data
The format follows from the name.
.TP
.B perf record \-o \- ./app | perf2x \-o app.pb.gz
What was recorded is not stored.
.TP
.B perf2x \-\-to pprof a.data b.data \-o out/
Two recordings, each to a file of its own in the folder out.
.TP
.B perf2x \-\-to chrome \-\-comm make,cc1 \-\-time 10%\-20% \-o build.json
A part of a recording.
.TP
.B perf2x \-\-to pprof \-\-symfs sysroot \-\-kallsyms kallsyms board.data
Recorded on another machine.
.SH EXIT STATUS
.TP
.B 0
Converted, with a warning if anything was lost, skipped or damaged.
.TP
.B 1
Failed; of several inputs, at least one did.
.TP
.B 2
Wrong usage; nothing was written.
.TP
.B 3
.BR "perf2x diff \-\-fail\-above" :
a function got slower, beyond the noise.
.TP
.BR 129 ", " 130 ", " 143
As a shell reports it: ended by SIGHUP, SIGINT, SIGTERM.
.TP
.B 141
Likewise by SIGPIPE: the reader of standard output went away.
Where SIGPIPE is ignored, 1.
.SH ENVIRONMENT
.TP
.B DEBUGINFOD_URLS
Servers that are asked for files with symbols.
.TP
.B TMPDIR
Where input that must be read out of order is kept while it is read, and
stacks that take more memory than \fB\-\-max\-memory\fR allows.
.SH SIGNALS
Ctrl\-C stops
.B perf record
and reaches perf2x at the end of its pipe, too.
With a pipe as input, the first SIGINT therefore ends nothing: perf2x finishes when
its input does.
A second one, the first one with other input, SIGTERM and SIGHUP end it at once;
nothing half written is left behind.
.SH PPROF
Installed under the name
.BR perf_to_profile ,
perf2x takes the arguments with which
.BR pprof (1)
calls that program, so that
.B pprof perf.data
works.
.SH SEE ALSO
.BR perf\-record (1),
.BR perf\-script (1)
)";

// Escapes `text` so that roff takes nothing in it for a request or an escape.
std::string Roff(absl::string_view text) {
  std::string out = absl::StrReplaceAll(
      text, {{"\\", "\\e"}, {"-", "\\-"}, {"'", "\\(aq"}, {"`", "\\(ga"}});
  if (absl::StartsWith(out, ".")) out.insert(0, "\\&");
  return out;
}

std::string Bold(absl::string_view text) {
  return absl::StrCat("\\fB", Roff(text), "\\fR");
}

std::string Sentence(absl::string_view text) {
  return absl::StrCat(Roff(text), absl::EndsWith(text, ".") ? "" : ".", "\n");
}

void AppendOption(const OptionDoc& option, std::string* out) {
  std::vector<std::string> names;
  for (const std::string& name : option.names) names.push_back(Bold(name));
  absl::StrAppend(out, ".TP\n", absl::StrJoin(names, ", "));
  if (!option.value.empty()) {
    absl::StrAppend(out, " \\fI", Roff(option.value), "\\fR");
  }
  absl::StrAppend(out, "\n", Sentence(option.brief));
  if (!option.more.empty()) absl::StrAppend(out, Sentence(option.more));
}

}  // namespace

std::string ManPage(const CommandDoc& command) {
  std::string out = absl::StrCat(
      ".TH PERF2X 1 \"\" \"perf2x " PERF2X_VERSION
      "\" \"User Commands\"\n"
      ".SH NAME\n",
      command.name,
      " \\- convert perf.data for other tools\n"
      ".SH SYNOPSIS\n.B perf2x\n[\\fIOPTIONS\\fR] [\\fIINPUT\\fR...]\n");
  for (const CommandDoc& sub : command.commands) {
    absl::StrAppend(&out, ".br\n.B perf2x ", sub.name, "\n");
    if (!sub.arguments.empty()) {
      absl::StrAppend(&out, "[\\fIOPTIONS\\fR] ", Roff(sub.arguments), "\n");
    }
  }
  absl::StrAppend(&out, ".SH DESCRIPTION\n", Sentence(command.brief),
                  ".SH FORMATS\n");
  for (const EmitterInfo& e : Emitters()) {
    absl::StrAppend(&out, ".TP\n", Bold(e.name), " (", Roff(e.extension), ")\n",
                    Sentence(e.summary));
  }
  absl::StrAppend(&out, ".PP\n", Sentence(DefaultOutputHelp(Emitters())),
                  ".SH OPTIONS\n");
  absl::string_view group;
  for (const OptionDoc& option : command.options) {
    if (option.group != group) {
      group = option.group;
      absl::StrAppend(&out, ".SS ", Roff(group), "\n");
    }
    AppendOption(option, &out);
  }
  absl::StrAppend(&out, ".SH COMMANDS\n");
  for (const CommandDoc& sub : command.commands) {
    absl::StrAppend(&out, ".SS perf2x ", sub.name, "\n", Sentence(sub.brief));
    for (const OptionDoc& option : sub.options) AppendOption(option, &out);
  }
  return out + kRest;
}

}  // namespace perf2x
