#include "conversion/encode.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>

#include "json/writer.hpp"

namespace dynamo::conversion {

namespace {

// Integers up to this size are exact in binary64.
constexpr std::int64_t kMaxExact = std::int64_t{1} << 53;

// Names of fields need no escapes, which saves a third of the writer's work.
class Encoder {
 public:
  Encoder(std::string& out, Encoding encoding, std::size_t max_bytes)
      : out_(out),
        encoding_(encoding),
        end_(max_bytes < out.max_size() - out.size() ? out.size() + max_bytes : out.max_size()) {}

  void object(const Type& type, const Node* object) {
    check_size();
    out_ += '{';
    members(type, object);
    out_ += '}';
  }

  // `object` may be null: the zero struct.
  void members(const Type& type, const Node* object) {
    std::uint64_t missing = type.always;
    for (const Node* child : children(object)) {
      const Field& field = *child->field;
      missing &= ~(std::uint64_t{1} << type.index_of(field));
      if (is_omitted(field, child)) continue;
      name(field.name);
      value(child);
    }
    for (; missing != 0; missing &= missing - 1) {
      const Field& field = type.fields[static_cast<std::size_t>(std::countr_zero(missing))];
      if (is_pruned_zero(field)) continue;
      name(field.name);
      zero(field);
    }
  }

 private:
  void check_size() const {
    if (out_.size() > end_) throw MemoryExceeded{};
  }

  // Whether a member or element precedes the next one.
  bool needs_comma() const { return out_.back() != '{' && out_.back() != '['; }

  void separate() {
    if (needs_comma()) out_ += ',';
  }

  // A field's name, with a comma before it and a colon behind it.
  void name(std::string_view name) {
    const std::size_t comma = needs_comma() ? 1 : 0;
    const std::size_t start = out_.size();
    // One growth; the quotes are there already.
    out_.append(comma + name.size() + 3, '"');
    char* const quote = out_.data() + start + comma;
    if (comma != 0) quote[-1] = ',';
    name.copy(quote + 1, name.size());
    quote[name.size() + 2] = ':';
  }

  // A key of a map or of opaque JSON.
  void key(std::string_view key) {
    separate();
    json::append_quoted(out_, key);
    out_ += ':';
  }

  bool is_omitted(const Field& field, const Node* child) const {
    if ((field.is_list() || field.is_map()) && child->first() == nullptr) {
      return !field.is_always_written();
    }
    if (encoding_ != Encoding::kPruned || !field.is_by_value()) return false;
    if (child->kind == NodeKind::kObject) return is_empty_output(*child->type, child);
    const json::Value opaque{child->content.opaque};
    return child->kind == NodeKind::kOpaque && opaque.is_object() && opaque.size() == 0;
  }

  // Whether an object is written as `{}`.
  bool is_empty_output(const Type& type, const Node* object) const {
    std::uint64_t missing = type.always;
    for (const Node* child : children(object)) {
      const Field& field = *child->field;
      missing &= ~(std::uint64_t{1} << type.index_of(field));
      if (!is_omitted(field, child)) return false;
    }
    for (; missing != 0; missing &= missing - 1) {
      const Field& field = type.fields[static_cast<std::size_t>(std::countr_zero(missing))];
      if (!is_pruned_zero(field)) return false;
    }
    return true;
  }

  bool is_pruned_zero(const Field& field) const {
    return encoding_ == Encoding::kPruned && field.is_by_value() && field.type != nullptr &&
           is_empty_output(*field.type, nullptr);
  }

  void zero(const Field& field) {
    if (field.is_list() || field.is_map() || field.is_pointer()) {
      out_ += "null";
      return;
    }
    switch (field.shape) {
      case Shape::kObject:
        return object(*field.type, nullptr);
      case Shape::kBoolean:
        out_ += "false";
        break;
      case Shape::kString:
        out_ += "\"\"";
        break;
      case Shape::kQuantity:
        out_ += "\"0\"";
        break;
      case Shape::kDuration:
        out_ += "\"0s\"";
        break;
      case Shape::kOpaque:
      case Shape::kTime:
        out_ += "null";
        break;
      default:
        out_ += '0';
        break;
    }
  }

  void value(const Node* node) {
    check_size();
    switch (node->kind) {
      case NodeKind::kNull:
        out_ += "null";
        break;
      case NodeKind::kString:
        json::append_quoted(out_, node->text());
        break;
      case NodeKind::kBoolean:
        out_ += node->content.integer != 0 ? "true" : "false";
        break;
      case NodeKind::kInteger:
        integer(node->content.integer);
        break;
      case NodeKind::kNumber:
        if (node->shape == Shape::kNumber32) {
          number(static_cast<float>(node->content.number));
        } else {
          number(node->content.number);
        }
        break;
      case NodeKind::kOpaque:
        opaque(json::Value{node->content.opaque});
        break;
      case NodeKind::kList:
        out_ += '[';
        for (const Node* child : children(node)) {
          separate();
          value(child);
        }
        out_ += ']';
        break;
      case NodeKind::kMap:
        out_ += '{';
        for (const Node* child : children(node)) {
          key(child->key);
          value(child);
        }
        out_ += '}';
        break;
      case NodeKind::kObject:
        object(*node->type, node);
        break;
    }
  }

  void integer(std::int64_t value) {
    if (encoding_ == Encoding::kPruned && (value > kMaxExact || value < -kMaxExact)) {
      number(static_cast<double>(value));
    } else {
      json::Writer(out_).integer(value);
    }
  }

  // The shortest digits of a number. Go writes an exponent below 1e-6 and from 1e21.
  template <typename Float>
  void number(Float value) {
    const Float size = std::abs(value);
    const bool is_plain =
        size == 0 || (size >= static_cast<Float>(1e-6) && size < static_cast<Float>(1e21));
    std::array<char, 48> digits;
    const std::to_chars_result end =
        is_plain ? to_plain_digits(value, digits)
                 : std::to_chars(digits.data(), digits.data() + digits.size(), value,
                                 std::chars_format::scientific);
    std::string_view text(digits.data(), static_cast<std::size_t>(end.ptr - digits.data()));
    // std::to_chars writes at least two digits of the exponent, Go one if it is negative.
    if (!is_plain && text.substr(text.size() - 3).starts_with("-0")) {
      out_.append(text.substr(0, text.size() - 2));
      text.remove_prefix(text.size() - 1);
    }
    out_.append(text);
  }

  // std::to_chars writes all digits of a large integer; Go ends the shortest ones with zeros.
  template <typename Float>
  static std::to_chars_result to_plain_digits(Float value, std::array<char, 48>& digits) {
    const auto write = [&](std::chars_format format) {
      return std::to_chars(digits.data(), digits.data() + digits.size(), value, format);
    };
    const Float max_exact = std::ldexp(Float{1}, std::numeric_limits<Float>::digits);
    if (std::abs(value) <= max_exact) return write(std::chars_format::fixed);
    const std::to_chars_result end = write(std::chars_format::scientific);
    char* const exponent = std::find(digits.data(), end.ptr, 'e');
    int power = 0;
    std::from_chars(exponent + 2, end.ptr, power);
    char* const point = std::find(digits.data(), exponent, '.');
    char* last = std::copy(point == exponent ? exponent : point + 1, exponent, point);
    const auto missing = power - (last - point);
    last = std::fill_n(last, missing, '0');
    return {last, std::errc{}};
  }

  // Whether the text of a number changes in binary64 or in Go's notation.
  static bool has_special_number(json::Value value) {
    const json::Node* const first = value.node();
    return std::any_of(first, first + first->span, [](const json::Node& node) {
      const auto type = static_cast<json::Type>(node.type);
      if (type == json::Type::kNumber) return true;
      return type == json::Type::kInteger &&
             (node.integer > kMaxExact || node.integer < -kMaxExact);
    });
  }

  // Recurses as deep as the parser allows.
  void opaque(json::Value value) {
    if (encoding_ == Encoding::kGo || !has_special_number(value)) {
      json::Writer(out_).value(value);
    } else if (value.is_object()) {
      out_ += '{';
      for (const json::Member member : value.members()) {
        key(member.name);
        opaque(member.value);
      }
      out_ += '}';
    } else if (value.is_array()) {
      out_ += '[';
      for (const json::Value element : value.elements()) {
        separate();
        opaque(element);
      }
      out_ += ']';
    } else if (value.is(json::Type::kInteger)) {
      integer(value.node()->integer);
    } else {
      number(value.node()->number);
    }
  }

  std::string& out_;
  const Encoding encoding_;
  const std::size_t end_;  // the largest size of `out_`
};

}  // namespace

void encode(std::string& out, const Node* object, Encoding encoding, std::size_t max_bytes) {
  Encoder(out, encoding, max_bytes).object(*object->type, object);
}

void encode_members(std::string& out, const Node* object, Encoding encoding,
                    std::size_t max_bytes) {
  Encoder(out, encoding, max_bytes).members(*object->type, object);
}

}  // namespace dynamo::conversion
