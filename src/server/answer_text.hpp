// Composes the bytes of an HTTP answer: header and body in one buffer, so that one write sends
// them.
#pragma once

#include <array>
#include <cstddef>
#include <ctime>
#include <string>
#include <string_view>

namespace dynamo::server {

// The Date field, formatted once per second. One per event loop.
class DateField {
 public:
  // "Date: Tue, 15 Nov 1994 08:12:31 GMT\r\n" for now; the view is valid until the next call.
  std::string_view line();

 private:
  std::time_t second_ = -1;
  std::array<char, 48> text_{};
  std::size_t size_ = 0;
};

struct AnswerHead {
  unsigned status;
  std::string_view content_type;
  bool close;              // Connection: close
  bool omit_body;          // the answer to HEAD: with Content-Length, without the bytes
  std::string_view extra;  // complete further header lines, each with its line end
};

inline constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
inline constexpr std::string_view kRetryAfterLine = "Retry-After: 1\r\n";
inline constexpr std::string_view kAllowPostLine = "Allow: POST\r\n";
inline constexpr std::string_view kTextPlain = "text/plain; charset=utf-8";

// Appends status line, header and body to `out`.
void append_answer(std::string& out, const AnswerHead& head, std::string_view body,
                   DateField& date);

}  // namespace dynamo::server
