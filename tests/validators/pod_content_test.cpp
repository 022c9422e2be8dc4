// Boundaries of the checks of container texts.
#include <gtest/gtest.h>

#include <string>

#include "validators/content/container_syntax.hpp"
#include "validators/content/image.hpp"
#include "validators/content/ip_address.hpp"

namespace dynamo::validators {
namespace {

TEST(VariableNames, StrictFormRefusesBlanksAndLeadingDigits) {
  for (const auto* name : {"A", "_", "a.b", "-a", ".a", "a9", "A_b-c.d"})
    EXPECT_TRUE(is_strict_variable_name(name)) << name;
  for (const auto* name : {"", "9a", ".", "..", "..a", "a b", "a=b", "ä"})
    EXPECT_FALSE(is_strict_variable_name(name)) << name;
}

TEST(VariableNames, AcceptPrintableAsciiSince132) {
  for (const auto* name : {" ", "9a", "a b", "~", "..", "a/b"})
    EXPECT_TRUE(is_variable_name(name)) << name;
  for (const auto* name : {"", "=", "a=", "ä", "a\tb", "a\x7f"})
    EXPECT_FALSE(is_variable_name(name)) << name;
}

TEST(ConfigKeys, AcceptFileNames) {
  for (const auto* key : {"a", "9", "A_b-c.d", "_"}) EXPECT_TRUE(is_config_key(key)) << key;
  for (const auto* key : {"", ".", "..", "..a", "a/b", "a b"})
    EXPECT_FALSE(is_config_key(key)) << key;
  EXPECT_TRUE(is_config_key(std::string(253, 'a')));
  EXPECT_FALSE(is_config_key(std::string(254, 'a')));
}

TEST(PortNames, NeedALetterAndSingleHyphens) {
  for (const auto* name : {"a", "http", "a-1", "1a", "a23456789012345"})
    EXPECT_TRUE(is_port_name(name)) << name;
  for (const auto* name : {"", "1", "1-2", "A", "a--b", "-a", "a-", "a_b", "a234567890123456"})
    EXPECT_FALSE(is_port_name(name)) << name;
}

TEST(PortNumbers, FitIntoSixteenBits) {
  EXPECT_FALSE(is_port_number(0));
  EXPECT_TRUE(is_port_number(1));
  EXPECT_TRUE(is_port_number(65535));
  EXPECT_FALSE(is_port_number(65536));
}

TEST(HeaderNames, AreLettersDigitsAndHyphens) {
  EXPECT_TRUE(is_header_name("X-Forwarded-For-2"));
  for (const auto* name : {"", "a b", "a:", "a_b"}) EXPECT_FALSE(is_header_name(name)) << name;
}

TEST(Paths, TwoDotsClimb) {
  for (const auto* path : {"..", "../a", "a/..", "/a/../b"}) {
    EXPECT_TRUE(has_parent_part(path)) << path;
  }
  for (const auto* path : {"", "a", "a..b", "..a", "/a/.../b"}) {
    EXPECT_FALSE(has_parent_part(path)) << path;
  }
}

TEST(Paths, VolumePathsMustNotClimb) {
  for (const auto* path : {"a", "a/b", "a/..b"}) EXPECT_TRUE(is_path_in_volume(path)) << path;
  for (const auto* path : {"", "/a", "..a", "a/../b"})
    EXPECT_FALSE(is_path_in_volume(path)) << path;
}

TEST(FieldPaths, VariablePathsNameOneValue) {
  for (const auto* path : {"metadata.name", "status.podIPs", "spec.nodeName",
                           "metadata.labels['a.b/c']", "metadata.annotations['A.b/c']"}) {
    EXPECT_TRUE(is_variable_field_path(path)) << path;
  }
  for (const auto* path : {"", "metadata.labels", "metadata.labels['']", "metadata.labels['",
                           "metadata.labels[a]", "metadata.labels['a'x", "metadata.labels['a]]",
                           "metadata.labels['a b']", "spec['a']", "status.phase"}) {
    EXPECT_FALSE(is_variable_field_path(path)) << path;
  }
}

TEST(FieldPaths, VolumePathsMayNameAllLabels) {
  for (const auto* path : {"metadata.labels", "metadata.uid", "metadata.annotations['a']"})
    EXPECT_TRUE(is_volume_field_path(path)) << path;
  for (const auto* path : {"", "status.podIP", "spec.nodeName"})
    EXPECT_FALSE(is_volume_field_path(path)) << path;
}

TEST(ContainerResources, AcceptNativeResourcesOnly) {
  for (const auto* name :
       {"limits.cpu", "requests.memory", "limits.ephemeral-storage", "requests.hugepages-1Gi"})
    EXPECT_TRUE(is_container_resource(name)) << name;
  for (const auto* name : {"", "cpu", "limits.", "limits.nvidia.com/gpu"})
    EXPECT_FALSE(is_container_resource(name)) << name;
}

TEST(IpAddresses, AcceptBothVersions) {
  for (const auto* text :
       {"0.0.0.0", "255.255.255.255", "0010.0.0.1", "::", "::1", "1::", "2001:db8::1",
        "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7::", "::ffff:10.0.0.1", "1:2:3:4:5:6:10.0.0.1"}) {
    EXPECT_TRUE(is_ip_address(text)) << text;
  }
  for (const auto* text :
       {"", "1.2.3", "1.2.3.4.5", "256.1.1.1", "1.1.1.1200", "1.2.3.", "a.b.c.d", ":", ":::", "1:2",
        "1::2::3", "1:2:3:4:5:6:7:8:9", "1:2:3:4::5:6:7:8",
        "12345::", "g::", "1.2.3.4::", "::1.2.3", "::1%eth0", "1:2:3:4:5:6:7:10.0.0.1"}) {
    EXPECT_FALSE(is_ip_address(text)) << text;
  }
}

TEST(ImageReferences, NeedLowerCasePath) {
  for (const auto* text :
       {"a", "a/b", "a:B", "a_b", "a__b", "a--b", "a.b/c", "localhost/a", "h:5000/a:1", "H/a",
        "[::1]:5000/a", "nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1",
        "a@sha256:0123456789abcdef0123456789abcdef",
        "a:1@sha256:0123456789abcdef0123456789abcdef"}) {
    EXPECT_TRUE(is_image_reference(text)) << text;
  }
  for (const auto* text :
       {"", "A", "a/B", "a:", "a:-1", "/a", "a/", "a//b", "a___b", "a..b", "-a", "a b", "a:.1",
        "a:1:2", "h:x/a", "a@", "a@sha256:1", "http://a/b", ":1"}) {
    EXPECT_FALSE(is_image_reference(text)) << text;
  }
  EXPECT_TRUE(is_image_reference("a:" + std::string(128, 't')));
  EXPECT_TRUE(is_image_reference(std::string(255, 'a')));
  EXPECT_FALSE(is_image_reference(std::string(256, 'a')));
  EXPECT_FALSE(is_image_reference("a:" + std::string(129, 't')));
}

TEST(ImagePlaceholders, AreDetected) {
  for (const auto* text : {"a:my-tag", "<image>", "${IMAGE}", "{{ image }}", "your-registry/a",
                           "nvcr.io/your-org/a", "$(IMAGE)", "a/your_org", "YOUR_ORG/a"})
    EXPECT_TRUE(is_image_placeholder(text)) << text;
  for (const auto* text : {"nvcr.io/nvidia/a:1", "yours/a", "a:my-version", "y", "Y", "my-tag"})
    EXPECT_FALSE(is_image_placeholder(text)) << text;
}

TEST(ImagePlaceholder, IsDetectedOnlyNearTheStart) {
  EXPECT_TRUE(is_image_placeholder(std::string(1000, 'a') + "${IMAGE}"));
  EXPECT_FALSE(is_image_placeholder(std::string(1'000'000, '$') + "${IMAGE}"));
}

}  // namespace
}  // namespace dynamo::validators
