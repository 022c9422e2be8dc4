#include "cluster/object_names.hpp"

#include <algorithm>
#include <utility>

namespace dynamo::cluster {
namespace {

// Length limit of the API server for the name of a namespace or an object.
constexpr std::size_t kLongestName = 253;

}  // namespace

NameTable::NameTable(const NameSet& names) {
  std::size_t bytes = 0;
  for (const std::string& name : names) bytes += name.size();
  text_.reserve(bytes);
  ends_.reserve(names.size());
  for (const std::string& name : names) {
    text_ += name;
    ends_.push_back(text_.size());
  }
}

std::string_view NameTable::at(std::size_t index) const {
  const std::size_t begin = index == 0 ? 0 : ends_[index - 1];
  return std::string_view(text_).substr(begin, ends_[index] - begin);
}

bool NameTable::has(std::string_view namespace_name, std::string_view name) const {
  if (namespace_name.size() > kLongestName || name.size() > kLongestName) return false;
  std::array<char, 2 * kLongestName + 1> buffer;
  char* end = std::ranges::copy(namespace_name, buffer.begin()).out;
  *end++ = '/';
  end = std::ranges::copy(name, end).out;
  const std::string_view wanted(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
  std::size_t below = 0;  // this many names are certainly less than the wanted one
  std::size_t above = ends_.size();
  while (below < above) {
    const std::size_t middle = below + (above - below) / 2;
    if (at(middle) < wanted) {
      below = middle + 1;
    } else {
      above = middle;
    }
  }
  return below < ends_.size() && at(below) == wanted;
}

ObjectNames::ObjectNames(Tables tables, std::string namespace_name,
                         std::shared_ptr<const BindingDomains> domains)
    : tables_(std::move(tables)),
      namespace_name_(std::move(namespace_name)),
      domains_(std::move(domains)) {}

api::Fact ObjectNames::has(api::LookupKind kind, std::string_view namespace_name,
                           std::string_view name) const {
  const NameTable* const table = tables_[static_cast<std::size_t>(kind)].get();
  const bool is_elsewhere = !namespace_name_.empty() && namespace_name != namespace_name_ &&
                            !api::is_cluster_scoped(kind);
  if (table == nullptr || is_elsewhere) return api::Fact::kUnknown;
  return table->has(namespace_name, name) ? api::Fact::kYes : api::Fact::kNo;
}

std::span<const std::string> ObjectNames::domains_of(std::string_view binding) const {
  if (domains_ == nullptr) return {};
  const auto found = domains_->find(binding);
  return found == domains_->end() ? std::span<const std::string>{} : std::span(found->second);
}

}  // namespace dynamo::cluster
