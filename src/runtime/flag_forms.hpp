// The types of flag values: each describes what it accepts, and parses it. A form that only one
// program needs is defined with that program's table.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/flag_values.hpp"

namespace dynamo::runtime {

// How a form is described.
struct FormTexts {
  // placeholder for the value: ADDRESS, DURATION, `deny|audit`; empty for a switch
  std::string word;
  std::string bounds;                        // the allowed range, "1s to 1h"; empty: there is none
  std::string accepts;                       // completes "--flag must be …"
  std::vector<std::string_view> words = {};  // the values, if their list is closed
};

// A form is a copyable value. The result of parse() tests as false for a text that `accepts` does
// not cover, and otherwise points to the parsed value.
template <class Form>
concept FlagForm = std::copyable<Form> && requires(const Form& form, std::string_view text) {
  { form.texts() } -> std::same_as<FormTexts>;
  { static_cast<bool>(form.parse(text)) };
  { *form.parse(text) };
};

// `IP:PORT`, see parse_address().
struct AddressForm {
  FormTexts texts() const;
  std::optional<Address> parse(std::string_view text) const;
};

// An address and its flag.
struct NamedAddress {
  std::string_view flag;
  const Address& address;
};

// An error, as a whole sentence, if two of these addresses use the same port; nullopt otherwise.
// Port 0 never conflicts.
std::optional<std::string> address_clash(std::span<const NamedAddress> addresses);

struct PathForm {
  FormTexts texts() const;
  std::optional<std::string> parse(std::string_view text) const;
};

// Words without blanks, separated by single commas.
struct NamesForm {
  FormTexts texts() const;
  std::optional<std::vector<std::string>> parse(std::string_view text) const;
};

struct NamespaceForm {
  FormTexts texts() const;
  std::optional<std::string> parse(std::string_view text) const;
};

// A DNS label: without dots, at most 63 characters.
struct DnsLabelForm {
  FormTexts texts() const;
  std::optional<std::string> parse(std::string_view text) const;
};

struct DnsNameForm {
  FormTexts texts() const;
  std::optional<std::string> parse(std::string_view text) const;
};

// Printable ASCII without blanks.
struct TextForm {
  FormTexts texts() const;
  std::optional<std::string> parse(std::string_view text) const;
};

// NAMESPACE/NAME, as a value of type Account.
FormTexts service_account_texts();
template <class Account>
struct ServiceAccountForm {
  FormTexts texts() const { return service_account_texts(); }
  std::optional<Account> parse(std::string_view text) const {
    auto read = parse_service_account(text);
    if (!read) return std::nullopt;
    return Account{std::move(read->service_namespace), std::move(read->name)};
  }
};

// A list of them, see parse_service_accounts().
FormTexts service_accounts_texts();
template <class Account>
struct ServiceAccountsForm {
  FormTexts texts() const { return service_accounts_texts(); }
  std::optional<std::vector<Account>> parse(std::string_view text) const {
    auto read = parse_service_accounts(text);
    if (!read) return std::nullopt;
    std::vector<Account> accounts;
    for (ServiceAccount& each : *read) {
      accounts.push_back({std::move(each.service_namespace), std::move(each.name)});
    }
    return accounts;
  }
};

// Bounds are inclusive.
struct SizeForm {
  std::uint64_t minimum;
  std::uint64_t maximum;

  FormTexts texts() const;
  std::optional<std::uint64_t> parse(std::string_view text) const;
};

struct CountForm {
  std::uint64_t minimum;
  std::uint64_t maximum;

  FormTexts texts() const;
  std::optional<std::uint64_t> parse(std::string_view text) const;
};

struct DurationForm {
  std::chrono::nanoseconds minimum;
  std::chrono::nanoseconds maximum;

  FormTexts texts() const;
  std::optional<std::chrono::nanoseconds> parse(std::string_view text) const;
};

// `--flag`, `--flag=true`, `--flag=false`.
struct SwitchForm {
  FormTexts texts() const;
  std::optional<bool> parse(std::string_view text) const;
};

// A word and its value.
template <class Value>
struct Choice {
  std::string_view word;
  Value value;
};

FormTexts choice_texts(std::vector<std::string_view> words);

// One of a closed list, which is displayed in this order. The list must outlive the form.
template <class Value>
struct ChoiceForm {
  std::span<const Choice<Value>> choices;

  FormTexts texts() const {
    std::vector<std::string_view> words;
    for (const Choice<Value>& choice : choices) words.push_back(choice.word);
    return choice_texts(std::move(words));
  }
  std::optional<Value> parse(std::string_view text) const {
    for (const Choice<Value>& choice : choices) {
      if (choice.word == text) return choice.value;
    }
    return std::nullopt;
  }
};

// A form with another description.
template <FlagForm Form>
struct RewordedForm {
  std::string_view word;
  std::string_view accepts;
  Form form = {};

  FormTexts texts() const {
    FormTexts texts = form.texts();
    texts.word = word;
    texts.accepts = accepts;
    return texts;
  }
  auto parse(std::string_view text) const { return form.parse(text); }
};

template <class Choices>
ChoiceForm(const Choices&) -> ChoiceForm<decltype(std::declval<Choices>()[0].value)>;

template <class Form>
RewordedForm(std::string_view, std::string_view, Form) -> RewordedForm<Form>;

}  // namespace dynamo::runtime
