#include "json/report_writer.hpp"

#include <cassert>
#include <cmath>

#include "json/rapidjson.hpp"
#include "json/scan.hpp"
#include "json/visible.hpp"

namespace dynamo::json {
namespace {

// `text` with U+FFFD for each byte that is not UTF-8.
std::string as_utf8(std::string_view text) {
  std::string valid;
  while (const auto invalid = find_invalid_utf8(text)) {
    valid += text.substr(0, *invalid);
    valid += "\xEF\xBF\xBD";
    text.remove_prefix(*invalid + 1);
  }
  return valid += text;
}

rapidjson::SizeType length_of(std::string_view text) {
  return static_cast<rapidjson::SizeType>(text.size());
}

}  // namespace

class ReportWriter::Impl {
 public:
  explicit Impl(std::string& out) : out_(out) {}

  // Calls `write` with RapidJSON's writer, and appends its output.
  template <typename Write>
  void write(const Write& write) {
    write(writer_);
    append_visible(out_, {buffer_.GetString(), buffer_.GetSize()});
    buffer_.Clear();
  }

 private:
  std::string& out_;
  rapidjson::StringBuffer buffer_;
  rapidjson::Writer<rapidjson::StringBuffer> writer_{buffer_};
};

ReportWriter::ReportWriter(std::string& out) : impl_(std::make_unique<Impl>(out)) {}
ReportWriter::~ReportWriter() = default;

ReportWriter& ReportWriter::start_object() {
  impl_->write([](auto& writer) { writer.StartObject(); });
  return *this;
}

ReportWriter& ReportWriter::end_object() {
  impl_->write([](auto& writer) { writer.EndObject(); });
  return *this;
}

ReportWriter& ReportWriter::start_array() {
  impl_->write([](auto& writer) { writer.StartArray(); });
  return *this;
}

ReportWriter& ReportWriter::end_array() {
  impl_->write([](auto& writer) { writer.EndArray(); });
  return *this;
}

ReportWriter& ReportWriter::key(std::string_view name) {
  assert(!find_invalid_utf8(name));
  impl_->write([&](auto& writer) { writer.Key(name.data(), length_of(name)); });
  return *this;
}

ReportWriter& ReportWriter::string(std::string_view value) {
  const std::string valid = as_utf8(value);
  impl_->write([&](auto& writer) { writer.String(valid.c_str(), length_of(valid)); });
  return *this;
}

ReportWriter& ReportWriter::integer(std::int64_t value) {
  impl_->write([&](auto& writer) { writer.Int64(value); });
  return *this;
}

ReportWriter& ReportWriter::number(double value) {
  if (!std::isfinite(value)) return null();
  impl_->write([&](auto& writer) { writer.Double(value); });
  return *this;
}

ReportWriter& ReportWriter::boolean(bool value) {
  impl_->write([&](auto& writer) { writer.Bool(value); });
  return *this;
}

ReportWriter& ReportWriter::null() {
  impl_->write([](auto& writer) { writer.Null(); });
  return *this;
}

ReportWriter& ReportWriter::raw(std::string_view json) {
  impl_->write(
      [&](auto& writer) { writer.RawValue(json.data(), json.size(), rapidjson::kObjectType); });
  return *this;
}

}  // namespace dynamo::json
