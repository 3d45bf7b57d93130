// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/html/page.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "converter/base/gzip_output.h"
#include "converter/base/status_macros.h"
#include "converter/base/text.h"
#include "converter/emit/html/viewer_bundle.h"

namespace perf2x {
namespace {

// Returns the source of a Content-Security-Policy that allows this file.
std::string SourceOf(const ViewerFile& file) {
  return absl::StrCat(
      "'sha256-", absl::Base64Escape(absl::HexStringToBytes(file.sha256)), "'");
}

std::string EscapeHtml(absl::string_view text) {
  std::string scratch;
  return absl::StrReplaceAll(AsPlainText(text, &scratch), {{"&", "&amp;"},
                                                           {"<", "&lt;"},
                                                           {">", "&gt;"},
                                                           {"\"", "&quot;"},
                                                           {"'", "&#39;"}});
}

}  // namespace

absl::StatusOr<std::string> EncodeBlock(const ColumnBlock& block,
                                        HelperPool* helpers) {
  std::string packed;
  GzipOutput gzip(MakeStringOutput(&packed), helpers);
  RETURN_IF_ERROR(block.WriteTo(gzip));
  RETURN_IF_ERROR(gzip.Close());
  return absl::Base64Escape(packed);
}

absl::Status Page::Begin(absl::string_view title) {
  return out_.Write(absl::StrCat(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
      "'none'; script-src ",
      SourceOf(ViewerScript()), "; style-src ", SourceOf(ViewerStyle()),
      "; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>",
      EscapeHtml(title), "</title>\n<style>", ViewerStyle().text,
      "</style></head>\n<body><div id=\"app\"></div>\n"
      "<noscript>This page shows a profile, and needs JavaScript to do so. It "
      "loads nothing from anywhere.</noscript>\n"));
}

absl::Status Page::Data(absl::string_view id, absl::string_view block) {
  RETURN_IF_ERROR(out_.Write(absl::StrCat(
      "<script type=\"application/octet-stream;base64\" id=\"", id, "\">")));
  RETURN_IF_ERROR(out_.Write(block));
  return out_.Write("</script>\n");
}

absl::Status Page::Script() {
  return out_.Write(
      absl::StrCat("<script>", ViewerScript().text, "</script>\n"));
}

absl::Status Page::End() { return out_.Write("</body></html>\n"); }

}  // namespace perf2x
