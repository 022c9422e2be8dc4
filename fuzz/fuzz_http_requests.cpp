// Any bytes as a request: the parser reads the same in every division into pieces, plain requests
// as they are, and refuses in one printable line. The first byte is the size of the pieces, the
// second the limit of the body in units of 64 bytes.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fuzz/check.hpp"
#include "fuzz/http_model.hpp"
#include "server/limits.hpp"
#include "server/request_deadline.hpp"
#include "server/request_parser.hpp"
#include "text/http_target.hpp"

namespace fuzz = dynamo::fuzz;
namespace server = dynamo::server;

using Progress = server::RequestParser::Progress;

namespace {

class PlainPathHandler final : public server::RequestHandler {
 public:
  bool knows(std::string_view path) const override { return path == fuzz::kPlainPath; }
  void handle(const server::HttpRequest&, server::HttpAnswer&) override {}
};

struct ParsedRequest {
  Progress header = Progress::kMore;
  Progress body = Progress::kMore;
  std::string target;
  std::string method;
  std::string fault_value;
  std::optional<server::RequestRefusal> refusal;
  server::HeaderFault fault = server::HeaderFault::kNone;
  bool is_chunked = false;
  bool keeps_alive = false;
  std::uint64_t length = 0;
  std::size_t end = 0;  // of the header, or of the chunks
  std::string content;  // of the chunks
};

bool is_complete(Progress progress) {
  return progress == Progress::kHeader || progress == Progress::kDone;
}

void note_header(const server::RequestParser& parser, std::string_view bytes, std::size_t limit,
                 ParsedRequest& parsed) {
  fuzz::require(parser.target_offset() + parser.target_size() <= bytes.size(),
                "the target lies in the request");
  parsed.target = bytes.substr(parser.target_offset(), parser.target_size());
  parsed.method = parser.method();
  parsed.fault = parser.fault();
  parsed.fault_value = parser.fault_value();
  parsed.is_chunked = parser.chunked();
  parsed.keeps_alive = parser.keep_alive();
  parsed.length = parser.content_length().value_or(0);
  const auto [path, query] = dynamo::text::split_target(parsed.target);
  parsed.refusal = server::refusal_of(parser, path, PlainPathHandler(), limit);
}

// Like a session: the unconsumed bytes and the next piece.
ParsedRequest parse(std::string_view bytes, std::size_t piece, std::size_t limit) {
  ParsedRequest parsed;
  server::RequestParser parser(limit);
  server::BufferPool pool;
  server::Buffer body;
  std::size_t body_size = 0;
  std::size_t end = 0;
  bool has_header = false;
  while (end < bytes.size()) {
    end = std::min(bytes.size(), end + piece);
    std::size_t consumed = 0;
    const std::string waiting(bytes.substr(parsed.end, end - parsed.end));  // exact, for ASan
    if (!has_header) {
      parsed.header = parser.parse_header(waiting, consumed);
      parsed.end += consumed;
      if (parsed.header == Progress::kMore) continue;
      if (!is_complete(parsed.header)) break;
      note_header(parser, bytes, limit, parsed);
      has_header = true;
      if (!parser.chunked() || parsed.refusal) break;
      end = parsed.end;
      continue;
    }
    parsed.body = parser.parse_chunks(waiting, consumed, pool, body, body_size);
    parsed.end += consumed;
    if (parsed.body != Progress::kMore) break;
  }
  fuzz::require(body_size <= limit, "the body is within its limit");
  fuzz::require(body_size == 0 || body.capacity() >= body_size + server::kBodyPadding,
                "the padding follows the body");
  if (body_size > 0) parsed.content.assign(body.data(), body_size);
  return parsed;
}

// A header or chunks that are not complete may be refused sooner or later.
void require_same(const ParsedRequest& one, const ParsedRequest& other) {
  fuzz::require(is_complete(one.header) == is_complete(other.header),
                "pieces do not change whether a header is accepted");
  if (!is_complete(one.header)) return;
  fuzz::require(one.header == other.header, "pieces do not change the header");
  fuzz::require(one.target == other.target && one.method == other.method,
                "pieces do not change the request line");
  fuzz::require(one.fault == other.fault && one.fault_value == other.fault_value,
                "pieces do not change the faults");
  fuzz::require(one.is_chunked == other.is_chunked && one.length == other.length &&
                    one.keeps_alive == other.keeps_alive,
                "pieces do not change the framing");
  fuzz::require((one.body == Progress::kDone) == (other.body == Progress::kDone),
                "pieces do not change whether chunks are accepted");
  if (one.body == Progress::kDone) {
    fuzz::require(one.end == other.end && one.content == other.content,
                  "pieces do not change the content");
  }
}

void check_refusal(const ParsedRequest& parsed) {
  if (!parsed.refusal) return;
  fuzz::require(parsed.refusal->status >= 400 && parsed.refusal->status < 500,
                "a refusal blames the client");
  const auto is_printable = [](char c) { return c >= ' ' && c < '\x7f'; };
  fuzz::require(
      std::ranges::all_of(parsed.refusal->text, is_printable) && parsed.refusal->text.size() < 300,
      "a refusal is one short line");
}

void check_deadline(std::string_view target) {
  const auto [path, query] = dynamo::text::split_target(target);
  const auto timeout = server::timeout_in_query(query);
  if (!timeout) return;
  fuzz::require(timeout->count() > 0 && *timeout <= std::chrono::hours(24),
                "a timeout is positive and at most a day");
  const auto usable = server::usable_part(*timeout);
  fuzz::require(usable.count() >= 0 && usable <= *timeout, "a part of the timeout is usable");
}

void check_plain(std::string_view bytes, std::size_t limit, const ParsedRequest& parsed) {
  const auto expected = fuzz::read_plain_requests(bytes, limit);
  if (expected.empty()) return;
  fuzz::require(is_complete(parsed.header) && !parsed.refusal, "a plain request is accepted");
  fuzz::require(parsed.target == expected.front().path, "a plain request keeps its path");
  if (parsed.is_chunked) {
    fuzz::require(parsed.body == Progress::kDone, "plain chunks are complete");
    fuzz::require(parsed.content == expected.front().body, "plain chunks are read as they are");
  } else {
    fuzz::require(parsed.length == expected.front().body.size(), "a plain length is read as it is");
    fuzz::require(bytes.substr(parsed.end, parsed.length) == expected.front().body,
                  "a plain body follows its header");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kUnit = 64;
  fuzz::Input input(fuzz::as_text(data, size));
  const std::size_t piece = 1 + input.take_byte();
  const std::size_t limit = kUnit * input.take_byte();
  const std::string_view bytes = input.rest();
  if (bytes.size() > server::kMaxHeaderBytes) return 0;
  const ParsedRequest whole = parse(bytes, bytes.size(), limit);
  require_same(whole, parse(bytes, piece, limit));
  require_same(whole, parse(bytes, 1, limit));
  check_refusal(whole);
  check_deadline(whole.target);
  check_plain(bytes, limit, whole);
  return 0;
}
