#include "server/answer_text.hpp"

#include <charconv>

#include "text/http_status.hpp"

namespace dynamo::server {

namespace {

void append_number(std::string& out, std::size_t number) {
  std::array<char, 20> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  out.append(digits.data(), end);
}

}  // namespace

std::string_view DateField::line() {
  const std::time_t now = std::time(nullptr);
  if (now != second_) {
    second_ = now;
    std::tm parts{};
    gmtime_r(&now, &parts);
    // The process never calls setlocale(), so the names are English.
    size_ =
        std::strftime(text_.data(), text_.size(), "Date: %a, %d %b %Y %H:%M:%S GMT\r\n", &parts);
  }
  return {text_.data(), size_};
}

void append_answer(std::string& out, const AnswerHead& head, std::string_view body,
                   DateField& date) {
  out.append("HTTP/1.1 ");
  append_number(out, head.status);
  out.push_back(' ');
  out.append(text::reason_phrase(head.status));
  out.append("\r\nContent-Type: ");
  out.append(head.content_type);
  out.append("\r\nContent-Length: ");
  append_number(out, body.size());
  out.append("\r\n");
  out.append(date.line());
  out.append(head.extra);
  if (head.close) out.append("Connection: close\r\n");
  out.append("\r\n");
  if (!head.omit_body) out.append(body);
}

}  // namespace dynamo::server
