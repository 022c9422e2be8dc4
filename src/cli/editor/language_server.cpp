#include "cli/editor/language_server.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <utility>

#include "cli/editor/examine.hpp"
#include "cli/editor/field_info.hpp"
#include "cli/editor/positions.hpp"
#include "cli/options/options.hpp"
#include "cli/report/rule_book.hpp"
#include "json/report_writer.hpp"
#include "json/writer.hpp"
#include "runtime/build_info.hpp"

namespace dynamo::cli {
namespace {

using json::ReportWriter;
using json::Value;

// Error codes of JSON-RPC and the protocol.
enum class Code : int {
  kParseError = -32700,
  kInvalidRequest = -32600,
  kMethodNotFound = -32601,
  kInvalidParams = -32602,
  kNotInitialized = -32002,
};

constexpr int kSeverityError = 1;
constexpr int kSeverityWarning = 2;
constexpr int kSeverityInformation = 3;
constexpr int kMessageWarning = 2;
constexpr int kSyncFull = 1;
constexpr int kItemProperty = 10;
constexpr int kItemEnumMember = 20;
constexpr std::string_view kQuickFix = "quickfix";
constexpr std::string_view kFixAll = "source.fixAll";

std::uint32_t number_of(Value value) {
  constexpr std::int64_t kMax = INT32_MAX;
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(value.integer().value_or(0), 0, kMax));
}

Position position_of(Value value) {
  return {number_of(value["line"]), number_of(value["character"])};
}

void write(ReportWriter& out, const Position& position) {
  out.start_object().key("line").integer(position.line);
  out.key("character").integer(position.column).end_object();
}

void write(ReportWriter& out, const Range& range) {
  out.start_object().key("start");
  write(out, range.start);
  out.key("end");
  write(out, range.end);
  out.end_object();
}

// Numbers of the protocol.
int severity_of(Diagnostic::Severity severity) {
  switch (severity) {
    case Diagnostic::Severity::kError:
      return kSeverityError;
    case Diagnostic::Severity::kWarning:
      return kSeverityWarning;
    case Diagnostic::Severity::kInformation:
      break;
  }
  return kSeverityInformation;
}

void write(ReportWriter& out, const Positions& positions, const Diagnostic& diagnostic) {
  out.start_object().key("range");
  write(out, positions.range(diagnostic.offset, diagnostic.length));
  out.key("severity");
  out.integer(severity_of(diagnostic.severity));
  if (!diagnostic.rule.empty()) out.member("code", diagnostic.rule);
  out.member("source", "dynamo").member("message", diagnostic.message).end_object();
}

void write_edit(ReportWriter& out, std::string_view uri, const Range& range,
                std::string_view text) {
  out.key("edit").start_object().key("changes").start_object().key(uri).start_array();
  out.start_object().key("range");
  write(out, range);
  out.member("newText", text).end_object();
  out.end_array().end_object().end_object();
}

void begin(ReportWriter& out) {
  out.start_object().member("jsonrpc", "2.0");
}

std::string message_to_show(std::string_view text) {
  std::string message;
  ReportWriter out(message);
  begin(out);
  out.member("method", "window/showMessage").key("params").start_object();
  out.key("type").integer(kMessageWarning).member("message", text).end_object().end_object();
  return message;
}

// True if the client requests actions of that kind: it names no kind, this kind, or a parent of it.
bool wants(Value only, std::string_view kind) {
  if (!only.is_array()) return true;
  for (const Value each : only.elements()) {
    const std::string_view wanted = each.string_or_empty();
    const bool is_above =
        kind.starts_with(wanted) && (kind.size() == wanted.size() || kind[wanted.size()] == '.');
    if (is_above) return true;
  }
  return false;
}

bool touches(const Diagnostic& diagnostic, std::size_t offset) {
  return diagnostic.offset <= offset && offset <= diagnostic.offset + diagnostic.length;
}

// A short form of the text of `explain`.
std::string rule_text(std::string_view id) {
  const RuleEntry* const entry = find_rule_entry(id);
  if (entry == nullptr) return {};
  std::string text = "`" + std::string(id) + "`: " + std::string(entry->summary) + ".";
  if (!entry->explanation.empty()) text += "\n\n" + entry->explanation;
  return text;
}

}  // namespace

// Handles one message.
class LanguageServer::Call {
 public:
  Call(LanguageServer& server, Value message)
      : server_(server),
        message_(message),
        method_(message["method"].string_or_empty()),
        params_(message["params"]) {}

  std::vector<std::string> run();

  void initialize();
  void initialized() {}
  void shutdown();
  void leave() { server_.exit_code_ = server_.shut_down_ ? 0 : 1; }
  void did_open();
  void did_change();
  void did_close();
  void code_action();
  void hover();
  void completion();

  void fail(Code code, std::string_view reason);

 private:
  bool is_request() const { return message_["id"].exists(); }
  // Completes the call with a result.
  void answer(const std::function<void(ReportWriter&)>& result);
  void store(Value text);
  void leave(std::string_view why);
  void publish(std::string_view text, const std::vector<Diagnostic>& found);
  void quick_fixes(ReportWriter& out, const OpenDocument& document, const Positions& positions,
                   const Range& range);
  void fix_all(ReportWriter& out, const OpenDocument& document, const Positions& positions);
  // The document of the request; null if it is not open.
  OpenDocument* document() const {
    const auto found = server_.documents_.find(uri());
    return found == server_.documents_.end() ? nullptr : &found->second;
  }
  // Its diagnostics, or the reason why it is not evaluated.
  std::vector<Diagnostic> found_in(const OpenDocument& document) const;
  std::string_view uri() const { return params_["textDocument"]["uri"].string_or_empty(); }

  LanguageServer& server_;
  Value message_;
  std::string_view method_;
  Value params_;
  std::vector<std::string> out_;
};

struct LanguageServer::Row {
  std::string_view method;
  bool is_request;
  void (Call::*run)();
};

std::vector<std::string> LanguageServer::Call::run() {
  static constexpr auto kRows = std::to_array<Row>({
      {"initialize", true, &Call::initialize},
      {"initialized", false, &Call::initialized},
      {"shutdown", true, &Call::shutdown},
      {"exit", false, &Call::leave},
      {"textDocument/didOpen", false, &Call::did_open},
      {"textDocument/didChange", false, &Call::did_change},
      {"textDocument/didClose", false, &Call::did_close},
      {"textDocument/codeAction", true, &Call::code_action},
      {"textDocument/hover", true, &Call::hover},
      {"textDocument/completion", true, &Call::completion},
  });
  if (!message_.is_object() || method_.empty()) {
    // A client's response to a request: the server sends none.
    const bool is_answer = message_["result"].exists() || message_["error"].exists();
    if (!is_answer) fail(Code::kInvalidRequest, "a message must be an object with a method");
    return std::move(out_);
  }
  const auto* const row = std::ranges::find(kRows, method_, &Row::method);
  if (row == kRows.end() || row->is_request != is_request()) {
    if (is_request()) fail(Code::kMethodNotFound, "there is no such request");
    return std::move(out_);
  }
  const bool is_first = method_ == "initialize";
  if (method_ != "exit" && server_.initialized_ == is_first) {
    if (is_request()) {
      fail(is_first ? Code::kInvalidRequest : Code::kNotInitialized,
           "initialize must come first, and once");
    }
    return std::move(out_);
  }
  if (server_.shut_down_ && method_ != "exit") {
    if (is_request()) fail(Code::kInvalidRequest, "the server is shut down");
    return std::move(out_);
  }
  (this->*row->run)();
  return std::move(out_);
}

void LanguageServer::Call::fail(Code code, std::string_view reason) {
  std::string text;
  ReportWriter out(text);
  begin(out);
  const Value id = message_["id"];
  out.key("id").raw(id.exists() ? json::to_text(id) : "null");
  out.key("error").start_object().key("code").integer(static_cast<int>(code));
  out.member("message", reason).end_object().end_object();
  out_.push_back(std::move(text));
}

void LanguageServer::Call::answer(const std::function<void(ReportWriter&)>& result) {
  std::string text;
  ReportWriter out(text);
  begin(out);
  out.key("id").raw(json::to_text(message_["id"])).key("result");
  result(out);
  out.end_object();
  out_.push_back(std::move(text));
}

void LanguageServer::Call::initialize() {
  server_.initialized_ = true;
  answer([](ReportWriter& out) {
    out.start_object().key("capabilities").start_object();
    out.member("positionEncoding", "utf-16");
    out.key("textDocumentSync").start_object().key("openClose").boolean(true);
    out.key("change").integer(kSyncFull).end_object();
    out.key("hoverProvider").boolean(true);
    out.key("completionProvider").start_object().end_object();
    out.key("codeActionProvider").start_object().key("codeActionKinds").start_array();
    out.string(kQuickFix).string(kFixAll).end_array().end_object().end_object();
    out.key("serverInfo").start_object().member("name", kProgramName);
    out.member("version", runtime::program_version()).end_object().end_object();
  });
}

void LanguageServer::Call::shutdown() {
  server_.shut_down_ = true;
  server_.documents_.clear();
  server_.skipped_.clear();
  answer([](ReportWriter& out) { out.null(); });
}

void LanguageServer::Call::did_open() {
  store(params_["textDocument"]["text"]);
}

void LanguageServer::Call::did_change() {
  const bool is_skipped = server_.skipped_.contains(uri());
  if (document() == nullptr && !is_skipped) return;
  // The whole text, because the server requested full synchronization; the last one counts.
  Value text;
  for (const Value change : params_["contentChanges"].elements()) {
    if (!change["range"].exists()) text = change["text"];
  }
  store(text);
}

// The document is skipped until it changes, when there may be space again; reported once.
void LanguageServer::Call::leave(std::string_view why) {
  if (server_.skipped_.contains(uri())) return;
  if (server_.skipped_.size() < kMaxSkipped) server_.skipped_.emplace(uri());
  out_.push_back(message_to_show(why));
}

void LanguageServer::Call::store(Value text) {
  const auto given = text.string();
  if (uri().empty() || !given) return;
  OpenDocument* open = document();
  if (open == nullptr && server_.documents_.size() == kMaxOpenDocuments) {
    return leave("kubectl dynamo: 256 files are open; this one is not validated");
  }
  if (given->size() > kLongestOpenDocument) {
    server_.documents_.erase(std::string(uri()));
    leave("kubectl dynamo: a file above 4 MiB is not validated");
    publish({}, {});
    return;
  }
  server_.skipped_.erase(std::string(uri()));
  if (open == nullptr) {
    open = &server_.documents_[std::string(uri())];
    open->validator = server_.find_validator_(uri());
  }
  open->text = *given;
  publish(open->text, found_in(*open));
}

std::vector<Diagnostic> LanguageServer::Call::found_in(const OpenDocument& document) const {
  if (const auto* const reason = std::get_if<std::string>(&document.validator)) {
    if (!names_our_group(document.text)) return {};
    Diagnostic diagnostic;
    diagnostic.severity = Diagnostic::Severity::kInformation;
    diagnostic.message = "not validated: " + *reason;
    return {std::move(diagnostic)};
  }
  DocumentValidator& by = *std::get<std::shared_ptr<DocumentValidator>>(document.validator);
  return examine(document.text, uri(), by.validator(), by.filter());
}

void LanguageServer::Call::did_close() {
  server_.skipped_.erase(std::string(uri()));
  if (server_.documents_.erase(std::string(uri())) == 0) return;
  publish({}, {});
}

void LanguageServer::Call::publish(std::string_view text, const std::vector<Diagnostic>& found) {
  const Positions positions(text);
  std::string message;
  ReportWriter out(message);
  begin(out);
  out.member("method", "textDocument/publishDiagnostics").key("params").start_object();
  out.member("uri", uri());
  const Value version = params_["textDocument"]["version"];
  if (version.integer()) out.key("version").integer(*version.integer());
  out.key("diagnostics").start_array();
  for (const Diagnostic& diagnostic : found) write(out, positions, diagnostic);
  out.end_array().end_object().end_object();
  out_.push_back(std::move(message));
}

void LanguageServer::Call::code_action() {
  const OpenDocument* const open = document();
  const Range range{position_of(params_["range"]["start"]), position_of(params_["range"]["end"])};
  const Value only = params_["context"]["only"];
  answer([&](ReportWriter& out) {
    out.start_array();
    if (open != nullptr &&
        std::holds_alternative<std::shared_ptr<DocumentValidator>>(open->validator)) {
      const Positions positions(open->text);
      if (wants(only, kQuickFix)) quick_fixes(out, *open, positions, range);
      if (only.exists() && wants(only, kFixAll)) fix_all(out, *open, positions);
    }
    out.end_array();
  });
}

// Only for documents that are evaluated.
void LanguageServer::Call::quick_fixes(ReportWriter& out, const OpenDocument& document,
                                       const Positions& positions, const Range& range) {
  const std::vector<Diagnostic> found = found_in(document);
  TextFixer& fixer = std::get<std::shared_ptr<DocumentValidator>>(document.validator)->fixer();
  for (const Fix& fix : fixer.fixes_of(document.text, uri())) {
    const Range edited = positions.range(fix.edit.offset, fix.edit.length);
    if (edited.end.line < range.start.line || edited.start.line > range.end.line) continue;
    out.start_object().member("title", fix.field + ": " + fix.title).member("kind", kQuickFix);
    const auto about = std::ranges::find_if(found, [&fix](const Diagnostic& each) {
      return each.rule == fix.rule && each.field == fix.field;
    });
    if (about != found.end()) {
      out.key("diagnostics").start_array();
      write(out, positions, *about);
      out.end_array().key("isPreferred").boolean(true);
    }
    write_edit(out, uri(), edited, fix.edit.text);
    out.end_object();
  }
}

void LanguageServer::Call::fix_all(ReportWriter& out, const OpenDocument& document,
                                   const Positions& positions) {
  TextFixer& fixer = std::get<std::shared_ptr<DocumentValidator>>(document.validator)->fixer();
  const FixedText fixed = fixer.fix(document.text, uri());
  if (fixed.done.empty()) return;
  out.start_object().member("title", "Fix all that is certain").member("kind", kFixAll);
  write_edit(out, uri(), positions.range(0, document.text.size()), fixed.text);
  out.end_object();
}

void LanguageServer::Call::hover() {
  const OpenDocument* const open = document();
  if (open == nullptr) return answer([](ReportWriter& out) { out.null(); });
  const Positions positions(open->text);
  const std::size_t offset = positions.offset_of(position_of(params_["position"]));
  Hover hover = hover_at(open->text, uri(), offset);
  for (const Diagnostic& each : found_in(*open)) {
    if (!touches(each, offset)) continue;
    if (hover.length == 0) {
      hover.offset = each.offset;
      hover.length = each.length;
    }
    if (!hover.markdown.empty()) hover.markdown += "\n\n---\n\n";
    hover.markdown += each.rule.empty() ? each.message : rule_text(each.rule);
  }
  answer([&](ReportWriter& out) {
    if (hover.markdown.empty()) {
      out.null();
      return;
    }
    out.start_object().key("contents").start_object().member("kind", "markdown");
    out.member("value", hover.markdown).end_object().key("range");
    write(out, positions.range(hover.offset, hover.length));
    out.end_object();
  });
}

void LanguageServer::Call::completion() {
  const OpenDocument* const open = document();
  std::vector<Candidate> candidates;
  if (open != nullptr) {
    candidates = complete(Positions(open->text), position_of(params_["position"]));
  }
  answer([&](ReportWriter& out) {
    out.start_array();
    for (const Candidate& each : candidates) {
      out.start_object().member("label", each.label);
      out.key("kind").integer(each.is_value ? kItemEnumMember : kItemProperty);
      out.member("insertText", each.insert);
      if (!each.detail.empty()) out.member("detail", each.detail);
      if (!each.documentation.empty()) out.member("documentation", each.documentation);
      out.end_object();
    }
    out.end_array();
  });
}

std::vector<std::string> LanguageServer::take(std::string_view message) {
  std::string text(message);
  text.append(json::kParsePadding, '\0');
  json::Document document;
  const auto error = parser_.parse(std::span(text).first(message.size()), {}, document);
  Call call(*this, error ? Value{} : document.root());
  if (!error) return call.run();
  std::string answer;
  ReportWriter out(answer);
  begin(out);
  out.key("id").null().key("error").start_object();
  out.key("code").integer(static_cast<int>(Code::kParseError));
  out.member("message", "a message must be JSON of at most 16 MiB").end_object().end_object();
  return {answer};
}

}  // namespace dynamo::cli
