#include "runtime/flag_forms.hpp"

#include <cstddef>

#include "runtime/usage_text.hpp"

namespace dynamo::runtime {
namespace {

constexpr std::string_view kLabel = "at most 63 lower-case letters, digits and inner hyphens";

std::string join(std::span<const std::string_view> words, std::string_view separator) {
  std::string joined;
  for (const std::string_view word : words) {
    if (!joined.empty()) joined += separator;
    joined += word;
  }
  return joined;
}

bool is_printable(std::string_view text) {
  for (const char c : text) {
    if (c <= ' ' || c > '~') return false;
  }
  return true;
}

std::optional<std::string> text_if(bool is_accepted, std::string_view text) {
  if (!is_accepted) return std::nullopt;
  return std::string(text);
}

template <class Value>
std::optional<Value> within(const std::optional<Value>& value, Value minimum, Value maximum) {
  if (!value || *value < minimum || *value > maximum) return std::nullopt;
  return value;
}

bool clash(const Address& left, const Address& right) {
  const auto everywhere = [](const Address& address) {
    return address.host.empty() || address.host == "0.0.0.0" || address.host == "::";
  };
  return left.port != 0 && left.port == right.port &&
         (left.host == right.host || everywhere(left) || everywhere(right));
}

}  // namespace

std::optional<std::string> address_clash(std::span<const NamedAddress> addresses) {
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    for (std::size_t j = i + 1; j < addresses.size(); ++j) {
      const NamedAddress& first = addresses[i];
      const NamedAddress& second = addresses[j];
      if (!clash(first.address, second.address)) continue;
      return with_hyphens(second.flag) + " must have another port than " +
             with_hyphens(first.flag) + " (" + format_address(first.address) + "); found " +
             in_quotes(format_address(second.address));
    }
  }
  return std::nullopt;
}

FormTexts AddressForm::texts() const {
  return {"ADDRESS", "", "an address such as 0.0.0.0:9443, :9443 or [::1]:9443"};
}

std::optional<Address> AddressForm::parse(std::string_view text) const {
  return parse_address(text);
}

FormTexts PathForm::texts() const {
  return {"PATH", "", "a path of at most 4096 bytes"};
}

std::optional<std::string> PathForm::parse(std::string_view text) const {
  constexpr std::size_t kMaxBytes = 4096;
  return text_if(!text.empty() && text.size() <= kMaxBytes, text);
}

FormTexts NamesForm::texts() const {
  return {"NAME,…", "", "names without blanks, separated by single commas"};
}

std::optional<std::vector<std::string>> NamesForm::parse(std::string_view text) const {
  std::vector<std::string> words;
  for (;;) {
    const std::size_t comma = text.find(',');
    const std::string_view word = text.substr(0, comma);
    if (word.empty() || !is_printable(word)) return std::nullopt;
    words.emplace_back(word);
    if (comma == std::string_view::npos) return words;
    text.remove_prefix(comma + 1);
  }
}

FormTexts NamespaceForm::texts() const {
  return {"NAMESPACE", "", std::string("the name of a namespace: ").append(kLabel)};
}

std::optional<std::string> NamespaceForm::parse(std::string_view text) const {
  return text_if(is_namespace_name(text), text);
}

FormTexts DnsLabelForm::texts() const {
  return {"NAME", "", std::string("a name: ").append(kLabel)};
}

std::optional<std::string> DnsLabelForm::parse(std::string_view text) const {
  return text_if(is_namespace_name(text), text);
}

FormTexts DnsNameForm::texts() const {
  return {"NAME", "",
          "a DNS name: at most 253 lower-case letters, digits, inner hyphens and inner dots"};
}

std::optional<std::string> DnsNameForm::parse(std::string_view text) const {
  return text_if(is_dns_name(text), text);
}

FormTexts TextForm::texts() const {
  return {"TEXT", "", "1 to 128 printable ASCII characters without blanks"};
}

std::optional<std::string> TextForm::parse(std::string_view text) const {
  constexpr std::size_t kMaxBytes = 128;
  return text_if(!text.empty() && text.size() <= kMaxBytes && is_printable(text), text);
}

FormTexts service_account_texts() {
  return {"NAMESPACE/NAME", "", "a service account written NAMESPACE/NAME"};
}

FormTexts service_accounts_texts() {
  return {"NAMESPACE/NAME,…", "",
          "service accounts written NAMESPACE/NAME or system:serviceaccount:NAMESPACE:NAME, "
          "separated by single commas"};
}

FormTexts SizeForm::texts() const {
  const std::string bounds = format_size(minimum) + " to " + format_size(maximum);
  return {"SIZE", bounds, "a size in bytes from " + bounds + ", such as 7MiB or 7340032"};
}

std::optional<std::uint64_t> SizeForm::parse(std::string_view text) const {
  return within(parse_size(text), minimum, maximum);
}

FormTexts CountForm::texts() const {
  const std::string bounds = std::to_string(minimum) + " to " + std::to_string(maximum);
  return {"NUMBER", bounds, "a whole number from " + bounds};
}

std::optional<std::uint64_t> CountForm::parse(std::string_view text) const {
  return within(parse_count(text), minimum, maximum);
}

FormTexts DurationForm::texts() const {
  const std::string bounds = format_duration(minimum) + " to " + format_duration(maximum);
  return {"DURATION", bounds, "a duration from " + bounds + ", such as 500ms, 10s or 1m30s"};
}

std::optional<std::chrono::nanoseconds> DurationForm::parse(std::string_view text) const {
  return within(parse_duration(text), minimum, maximum);
}

FormTexts SwitchForm::texts() const {
  return {"", "", "true or false"};
}

std::optional<bool> SwitchForm::parse(std::string_view text) const {
  if (text != "true" && text != "false") return std::nullopt;
  return text == "true";
}

FormTexts choice_texts(std::vector<std::string_view> words) {
  FormTexts texts{join(words, "|"), "", "one of " + join(words, ", ")};
  texts.words = std::move(words);
  return texts;
}

}  // namespace dynamo::runtime
