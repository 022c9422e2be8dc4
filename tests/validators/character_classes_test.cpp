// Which characters each form accepts, at its beginning, in its middle and at its end.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "text/names.hpp"
#include "validators/content/container_syntax.hpp"
#include "validators/content/host_name.hpp"
#include "validators/content/image.hpp"
#include "validators/content/ip_address.hpp"
#include "validators/content/semver.hpp"

namespace dynamo::validators {
namespace {

// The bytes that the form accepts in place of the '*', in order, with ranges of letters and digits
// as "0-9", "A-Z" and "a-z".
std::string accepted(bool (*is_valid)(std::string_view), std::string_view pattern) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) {
    std::string text(pattern);
    text.replace(text.find('*'), 1, 1, static_cast<char>(byte));
    if (is_valid(text)) all += static_cast<char>(byte);
  }
  for (const std::string_view range :
       {"0123456789", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz"}) {
    const std::size_t at = all.find(range);
    if (at == std::string::npos) continue;
    all.replace(at, range.size(), std::string{range.front(), '-', range.back()});
  }
  return all;
}

TEST(CharacterClasses, NamesHaveThoseOfKubernetes) {
  EXPECT_EQ(accepted(text::is_dns_label, "*a"), "0-9a-z");
  EXPECT_EQ(accepted(text::is_dns_label, "a*a"), "-0-9a-z");
  EXPECT_EQ(accepted(text::is_dns_label, "a*"), "0-9a-z");
  EXPECT_EQ(accepted(text::is_dns_subdomain, "*a"), "0-9a-z");
  EXPECT_EQ(accepted(text::is_dns_subdomain, "a*a"), "-.0-9a-z");
  EXPECT_EQ(accepted(text::is_dns_subdomain, "a*"), "0-9a-z");
  EXPECT_EQ(accepted(text::is_dns_subdomain, "a.*"), "0-9a-z");
  EXPECT_EQ(accepted(text::is_dns_subdomain_prefix, "a*"), "-0-9a-z");
  EXPECT_EQ(accepted(is_host_name, "*a"), "0-9a-z");
  EXPECT_EQ(accepted(is_host_name, "a*a"), "-.0-9a-z");
  EXPECT_EQ(accepted(is_port_name, "*a"), "0-9a-z");
  EXPECT_EQ(accepted(is_port_name, "a*a"), "-0-9a-z");
  EXPECT_EQ(accepted(is_port_name, "1*"), "a-z");
  EXPECT_EQ(accepted(is_header_name, "*"), "-0-9A-Za-z");
}

TEST(CharacterClasses, KeysHaveThoseOfKubernetes) {
  EXPECT_EQ(accepted(text::is_qualified_name, "*a"), "0-9A-Za-z");
  EXPECT_EQ(accepted(text::is_qualified_name, "a*a"), "-./0-9A-Z_a-z");
  EXPECT_EQ(accepted(text::is_qualified_name, "a*"), "0-9A-Za-z");
  EXPECT_EQ(accepted(text::is_qualified_name, "a/*"), "0-9A-Za-z");
  EXPECT_EQ(accepted(text::is_qualified_name, "*/a"), "0-9a-z");
  EXPECT_EQ(accepted(text::is_qualified_name, "a*a/a"), "-.0-9a-z");
  EXPECT_EQ(accepted(text::is_annotation_key, "*/a"), "0-9A-Za-z");
  EXPECT_EQ(accepted(text::is_annotation_key, "a*a/a"), "-.0-9A-Za-z");
  EXPECT_EQ(accepted(text::is_label_value, "*a"), "0-9A-Za-z");
  EXPECT_EQ(accepted(text::is_label_value, "a*a"), "-.0-9A-Z_a-z");
  EXPECT_EQ(accepted(text::is_label_value, "a*"), "0-9A-Za-z");
  EXPECT_EQ(accepted(is_config_key, "*a"), "-.0-9A-Z_a-z");
  EXPECT_EQ(accepted(is_config_key, "*"), "-0-9A-Z_a-z");
  EXPECT_EQ(accepted(is_config_key, ".*"), "-0-9A-Z_a-z");
  EXPECT_EQ(accepted(is_strict_variable_name, "*a"), "-.A-Z_a-z");
  EXPECT_EQ(accepted(is_strict_variable_name, "a*"), "-.0-9A-Z_a-z");
  EXPECT_EQ(accepted(is_strict_variable_name, ".*"), "-0-9A-Z_a-z");
  EXPECT_EQ(accepted(is_variable_name, "*"), R"( !"#$%&'()*+,-./0-9:;<>?@A-Z[\]^_`a-z{|}~)");
}

TEST(CharacterClasses, ImagesHaveThoseOfRuntimes) {
  EXPECT_EQ(accepted(is_image_reference, "*a"), "0-9a-z");
  EXPECT_EQ(accepted(is_image_reference, "a*a"), "-./0-9:_a-z");
  EXPECT_EQ(accepted(is_image_reference, "a*"), "0-9a-z");
  EXPECT_EQ(accepted(is_image_reference, "a/*"), "0-9a-z");
  EXPECT_EQ(accepted(is_image_reference, "a:*"), "0-9A-Z_a-z");
  EXPECT_EQ(accepted(is_image_reference, "a:a*"), "-.0-9A-Z_a-z");
  EXPECT_EQ(accepted(is_image_reference, "a.b:*/c"), "0-9");
  EXPECT_EQ(accepted(is_image_reference, "A*/c"), "0-9A-Za-z");
  EXPECT_EQ(accepted(names_registry, "a*a"), ".:A-Z");
}

TEST(CharacterClasses, NumbersAndVersionsHaveTheirOwn) {
  EXPECT_EQ(accepted(is_ip_address, "1.2.3.*"), "0-9");
  EXPECT_EQ(accepted(is_ip_address, "1.2.3.1*"), "0-9");
  EXPECT_EQ(accepted(is_ip_address, "1.2*3.4"), ".");
  EXPECT_EQ(accepted(is_ip_address, "::*"), "0-9ABCDEFabcdef");
  EXPECT_EQ(accepted(is_lenient_semver, "1.2.*"), "0-9");
  EXPECT_EQ(accepted(is_lenient_semver, "1.2.3*"), "0-9");
  EXPECT_EQ(accepted(is_lenient_semver, "1.2.3-*"), "-0-9A-Za-z");
  EXPECT_EQ(accepted(is_lenient_semver, "1.2.3-a*a"), "+-.0-9A-Za-z");
  EXPECT_EQ(accepted(is_lenient_semver, "1.2.3+*"), "-0-9A-Za-z");
}

}  // namespace
}  // namespace dynamo::validators
