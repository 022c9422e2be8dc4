// A second reading of HTTP requests, for the plain ones that every reader frames alike. It detects
// a server that sees another request than a proxy in front of it.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/input.hpp"

namespace dynamo::fuzz {

struct PlainRequest {
  std::string path;
  std::string body;
  bool operator==(const PlainRequest&) const = default;
};

inline constexpr std::string_view kPlainPath = "/echo";

// How the body of a plain request ends.
struct PlainFraming {
  std::optional<std::size_t> length;
  bool is_chunked = false;
  bool is_json = false;
};

inline std::optional<std::size_t> read_plain_number(std::string_view digits, int base) {
  constexpr std::size_t kMaxDigits = 5;
  std::size_t number = 0;
  const char* const end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, number, base);
  const bool is_number = read.ec == std::errc{} && read.ptr == end;
  if (!is_number || digits.size() > kMaxDigits) return std::nullopt;
  return number;
}

// Reads "Name: value". False if the line could change the framing in another way.
inline bool read_plain_field(std::string_view line, PlainFraming& framing) {
  const std::size_t colon = line.find(": ");
  if (colon == std::string_view::npos || colon == 0) return false;
  const std::string_view name = line.substr(0, colon);
  const std::string_view value = line.substr(colon + 2);
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (!std::ranges::all_of(name, [&](char c) { return is_letter(c) || c == '-'; })) return false;
  if (value.empty() || !std::ranges::all_of(value, [](char c) { return c > ' ' && c < '\x7f'; })) {
    return false;
  }
  if (name == "Content-Length") {
    if (framing.length || framing.is_chunked) return false;
    framing.length = read_plain_number(value, 10);
    return framing.length.has_value();
  }
  if (name == "Transfer-Encoding") {
    if (framing.length || framing.is_chunked || value != "chunked") return false;
    framing.is_chunked = true;
    return true;
  }
  if (name == "Content-Type") {
    framing.is_json = value == "application/json";
    return framing.is_json;
  }
  return name == "Host" || name == "User-Agent" || name == "Accept";
}

inline std::optional<std::string> read_plain_chunks(Input& stream) {
  std::string body;
  for (;;) {
    if (stream.rest().find("\r\n") == std::string_view::npos) return std::nullopt;
    const auto size = read_plain_number(stream.take_until("\r\n"), 16);
    if (!size || stream.rest().size() < *size + 2) return std::nullopt;
    body += stream.take(*size);
    if (stream.take(2) != "\r\n") return std::nullopt;
    if (*size == 0) return body;
  }
}

inline std::optional<PlainRequest> read_plain_request(Input& stream) {
  const std::size_t end = stream.rest().find("\r\n\r\n");
  if (end == std::string_view::npos) return std::nullopt;
  Input header(stream.take(end + 2));
  stream.take(2);
  if (header.take_until("\r\n") != "POST /echo HTTP/1.1") return std::nullopt;
  PlainFraming framing;
  while (!header.is_empty()) {
    if (!read_plain_field(header.take_until("\r\n"), framing)) return std::nullopt;
  }
  if (!framing.is_json) return std::nullopt;
  if (framing.is_chunked) {
    auto body = read_plain_chunks(stream);
    if (!body) return std::nullopt;
    return PlainRequest{std::string(kPlainPath), *std::move(body)};
  }
  const std::size_t length = framing.length.value_or(0);
  if (stream.rest().size() < length) return std::nullopt;
  return PlainRequest{std::string(kPlainPath), std::string(stream.take(length))};
}

// The complete plain requests at the beginning of a connection, up to the first other one, or one
// with a body of more than `max_body` bytes.
inline std::vector<PlainRequest> read_plain_requests(std::string_view bytes, std::size_t max_body) {
  std::vector<PlainRequest> requests;
  Input stream(bytes);
  while (auto request = read_plain_request(stream)) {
    if (request->body.size() > max_body) break;
    requests.push_back(*std::move(request));
  }
  return requests;
}

}  // namespace dynamo::fuzz
