#include "tests/support/json_peer.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "json/rapidjson.hpp"
#include "json/scan.hpp"
#include "json/writer.hpp"

namespace dynamo::test {
namespace {

// Numbers arrive as text: RapidJSON's conversion to the nearest double is undefined for 0e1.
constexpr unsigned kFlags = rapidjson::kParseIterativeFlag | rapidjson::kParseNumbersAsStringsFlag;

struct Utf8 : rapidjson::UTF8<> {
  template <typename Stream>
  static void Encode(Stream& out, unsigned code_point) {
    const bool half = code_point >= 0xDC00 && code_point <= 0xDFFF;
    rapidjson::UTF8<>::Encode(out, half ? 0xFFFDU : code_point);
  }
};

// RapidJSON's event handler.
class Handler {
 public:
  Handler(std::string& out, std::size_t max_depth) : writer_(out), max_depth_(max_depth) {}

  bool Null() { return done(writer_.null()); }
  bool Bool(bool value) { return done(writer_.boolean(value)); }
  bool RawNumber(const char* text, rapidjson::SizeType length, bool) {
    const char* const last = text + length;
    std::int64_t integer = 0;
    const auto read = std::from_chars(text, last, integer);
    if (read.ec == std::errc{} && read.ptr == last) return done(writer_.integer(integer));
    // Overflow is an error, underflow is zero.
    double number = std::strtod(std::string(text, length).c_str(), nullptr);
    if (std::isinf(number)) return false;
    if (std::from_chars(text, last, number).ec != std::errc{}) number = 0;
    return done(writer_.number(number));
  }
  bool Int(int) { return false; }
  bool Uint(unsigned) { return false; }
  bool Int64(std::int64_t) { return false; }
  bool Uint64(std::uint64_t) { return false; }
  bool Double(double) { return false; }
  bool String(const char* text, rapidjson::SizeType length, bool) {
    return done(writer_.string({text, length}));
  }
  bool Key(const char* text, rapidjson::SizeType length, bool) {
    return done(writer_.key({text, length}));
  }
  bool StartObject() { return enter() && done(writer_.start_object()); }
  bool EndObject(rapidjson::SizeType) {
    --depth_;
    return done(writer_.end_object());
  }
  bool StartArray() { return enter() && done(writer_.start_array()); }
  bool EndArray(rapidjson::SizeType) {
    --depth_;
    return done(writer_.end_array());
  }

 private:
  static bool done(const json::Writer&) { return true; }
  bool enter() { return ++depth_ <= max_depth_; }

  json::Writer writer_;
  std::size_t max_depth_;
  std::size_t depth_ = 0;
};

}  // namespace

PeerResult read_by_peer(std::string_view text, std::size_t max_depth) {
  // RapidJSON ends at a zero byte and does not validate bytes outside strings.
  if (text.find('\0') != std::string_view::npos || json::find_invalid_utf8(text)) {
    return {};
  }
  const std::string terminated(text);
  rapidjson::StringStream stream(terminated.c_str());
  rapidjson::GenericReader<Utf8, Utf8> reader;
  std::string out;
  Handler handler(out, max_depth);
  const auto result = reader.Parse<kFlags>(stream, handler);
  if (!result.IsError()) return {.value = std::move(out)};
  return {.value = std::nullopt, .is_sure = result.Code() != rapidjson::kParseErrorNumberTooBig};
}

}  // namespace dynamo::test
