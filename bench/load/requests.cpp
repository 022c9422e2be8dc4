#include "bench/load/requests.hpp"

#include <charconv>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>

namespace dynamo::bench {
namespace {

constexpr std::size_t kRequestFields = 5;
constexpr std::size_t kMaxRequests = 1000;

std::vector<std::string> split(std::string_view line) {
  std::vector<std::string> fields;
  for (std::size_t tab = line.find('\t'); tab != std::string_view::npos; tab = line.find('\t')) {
    fields.emplace_back(line.substr(0, tab));
    line.remove_prefix(tab + 1);
  }
  fields.emplace_back(line);
  return fields;
}

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + ": cannot be read");
  return {std::istreambuf_iterator<char>(file), {}};
}

// As an API server sends it.
Request request_of(const std::vector<std::string>& fields) {
  const std::string body = content_of(fields[2]);
  std::string bytes = "POST " + fields[1] + "?timeout=10s HTTP/1.1\r\nHost: 127.0.0.1\r\n";
  bytes += "Accept: application/json, */*\r\nContent-Type: application/json\r\n";
  bytes += "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  return {.bytes = std::move(bytes), .uid = "\"uid\":\"" + fields[3] + '"', .expected = fields[4]};
}

std::uint16_t index_of(std::string_view text, std::size_t requests) {
  std::size_t index = requests;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (failure != std::errc() || end != text.data() + text.size() || index >= requests) {
    throw std::runtime_error("must be the index of a request, is \"" + std::string(text) + '"');
  }
  return static_cast<std::uint16_t>(index);
}

void read_line(const std::vector<std::string>& fields, Requests& requests) {
  if (fields[0] == "request" && fields.size() == kRequestFields &&
      requests.all.size() < kMaxRequests) {
    requests.all.push_back(request_of(fields));
  } else if (fields[0] == "order") {
    for (std::size_t i = 1; i < fields.size(); ++i) {
      requests.order.push_back(index_of(fields[i], requests.all.size()));
    }
  } else {
    throw std::runtime_error("must be a request of five fields or the order");
  }
}

}  // namespace

Requests read_requests(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + ": cannot be read");
  Requests requests;
  std::size_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    try {
      read_line(split(line), requests);
    } catch (const std::runtime_error& error) {
      throw std::runtime_error(path + ':' + std::to_string(number) + ": " + error.what());
    }
  }
  if (requests.order.empty()) throw std::runtime_error(path + ": must have an order");
  return requests;
}

}  // namespace dynamo::bench
