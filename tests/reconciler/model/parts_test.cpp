// The pure parts of the DynamoModel controller: endpoints, requests, and reachable addresses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/ip/address.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reconciler/model/endpoints.hpp"
#include "reconciler/model/lora_requests.hpp"
#include "reconciler/model/reach.hpp"
#include "tests/reconciler/model/models.hpp"

namespace dynamo::reconciler::model {
namespace {

using test::slice_of;
using test::slice_with_endpoints;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<std::string> lines_of(const Endpoints& endpoints) {
  std::vector<std::string> lines;
  for (const Endpoint& each : endpoints.all) lines.push_back(each.url + " " + each.pod);
  return lines;
}

Endpoints endpoints_of_one(const kube::Object& slice) {
  const std::vector<kube::Object> slices = {slice};
  return endpoints_of(slices, kSystemPort);
}

TEST(ModelEndpoints, PodAddressesAreListedInSliceOrder) {
  const std::vector<kube::Object> slices = {
      slice_with_endpoints(R"([{"addresses":["10.0.0.1","10.0.0.2"],"conditions":{"ready":false},)"
                           R"("targetRef":{"kind":"Pod","name":"p1"}},)"
                           R"({"addresses":["10.0.0.3"],"targetRef":{"kind":"Node","name":"n1"}},)"
                           R"({"addresses":["10.0.0.4"]}])"),
      slice_of("s2", {{"fd00::1", "p2"}}, {.service = ""})};
  const Endpoints found = endpoints_of(slices, kSystemPort);
  EXPECT_THAT(lines_of(found), ElementsAre("http://10.0.0.1:9090 p1", "http://10.0.0.2:9090 p1",
                                           "http://[fd00::1]:9090 p2"));
  EXPECT_TRUE(found.has_service);
  EXPECT_FALSE(endpoints_of_one(slices[1]).has_service);
}

TEST(ModelEndpoints, PodOfSeveralServicesIsListedOnce) {
  const std::vector<kube::Object> slices = {
      slice_of("k", {{"10.0.0.1", "p1"}, {"10.0.0.2", "p2"}}),
      slice_of("k-p", {{"10.0.0.1", "p1"}}),
      slice_of("m", {{"10.0.0.2", "p2"}, {"10.0.0.2", "p3"}})};
  EXPECT_THAT(
      lines_of(endpoints_of(slices, kSystemPort)),
      ElementsAre("http://10.0.0.1:9090 p1", "http://10.0.0.2:9090 p2", "http://10.0.0.2:9090 p3"));
}

TEST(ModelEndpoints, EndpointsAboveTheLimitAreCut) {
  const auto slice_with = [](std::size_t count) {
    std::vector<test::PodAddress> addresses;
    for (std::size_t i = 0; i < count; ++i) {
      addresses.push_back({"10.1." + std::to_string(i / 250) + "." + std::to_string(i % 250),
                           "p" + std::to_string(i)});
    }
    return slice_of("s", addresses);
  };
  const Endpoints thousand = endpoints_of_one(slice_with(1'000));
  EXPECT_THAT(thousand.all, SizeIs(1'000));
  EXPECT_FALSE(thousand.is_cut);
  const Endpoints many = endpoints_of_one(slice_with(kMaxEndpoints + 1));
  EXPECT_THAT(many.all, SizeIs(kMaxEndpoints));
  EXPECT_TRUE(many.is_cut);
}

TEST(ModelEndpoints, MalformedSlicesHaveNoEndpoints) {
  for (const std::string endpoints :
       {"null", "{}", "7", "[]", "[null,7,[]]", R"([{"addresses":"10.0.0.1"}])",
        R"([{"targetRef":{"kind":"Pod"},"addresses":{"a":"10.0.0.1"}}])",
        R"([{"targetRef":"Pod","addresses":["10.0.0.1"]}])",
        R"([{"targetRef":{"kind":"Pod","name":"p"},"addresses":["",null,7]}])"}) {
    SCOPED_TRACE(endpoints);
    EXPECT_THAT(endpoints_of_one(slice_with_endpoints(endpoints)).all, IsEmpty());
  }
  // Ports are ignored: a slice may have none.
  const std::string long_name(300, 'x');
  EXPECT_THAT(endpoints_of_one(slice_of("s", {{long_name, "p"}})).all, IsEmpty());
}

TEST(LoraRequests, BodyIsJson) {
  EXPECT_EQ(load_body("my lora/v1", "s3://b/k?x=<1>&y=2"),
            R"({"lora_name":"my lora/v1","source":{"uri":"s3://b/k?x=<1>&y=2"}})");
  EXPECT_EQ(load_body("a\"\r\n", "u"), R"({"lora_name":"a\"\r\n","source":{"uri":"u"}})");
}

TEST(LoraRequests, PathNeverLeavesTheAdapters) {
  const std::vector<std::pair<std::string, std::optional<std::string>>> rows = {
      {"my lora/v1", "/v1/loras/my%20lora/v1"},
      {"a", "/v1/loras/a"},
      {"org/name", "/v1/loras/org/name"},
      {"a/./b", "/v1/loras/a/b"},
      {"a/../b", "/v1/loras/b"},
      {"../../health", "/v1/loras/health"},
      {"a/../../../b", "/v1/loras/b"},
      {"/a//b/", "/v1/loras/a/b"},
      {"a?b#c%2e", "/v1/loras/a%3Fb%23c%252e"},
      {"a\r\nHost: x", "/v1/loras/a%0D%0AHost%3A%20x"},
      {"Modèle", "/v1/loras/Mod%C3%A8le"},
      {"%2e%2e/a", "/v1/loras/%252e%252e/a"},
      {"", std::nullopt},
      {"/", std::nullopt},
      {"..", std::nullopt},
      {"a/..", std::nullopt},
      {"./..//.", std::nullopt},
  };
  for (const auto& [name, path] : rows) EXPECT_EQ(unload_path(name), path) << name;
}

TEST(Reach, OnlyPossiblePodAddressesAreReachable) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"10.0.0.1", ""},
      {"192.168.1.1", ""},
      {"100.64.0.1", ""},
      {"240.0.0.1", ""},
      {"8.8.8.8", ""},
      {"fd00::1", ""},
      {"2001:db8::1", ""},
      {"::ffff:10.0.0.1", ""},
      {"127.0.0.1", "loopback"},
      {"127.255.255.254", "loopback"},
      {"169.254.169.254", "link-local"},
      {"0.0.0.0", "no host"},
      {"0.1.2.3", "no host"},
      {"224.0.0.1", "multicast"},
      {"255.255.255.255", "broadcast"},
      {"::1", "loopback"},
      {"::", "no host"},
      {"fe80::1", "link-local"},
      {"fe80::1%1", "link-local"},
      {"2001:db8::1%1", "link-local"},
      {"ff02::1", "multicast"},
      {"::ffff:127.0.0.1", "loopback"},
      {"::ffff:169.254.169.254", "link-local"},
      {"::127.0.0.1", "loopback"},
      {"64:ff9b::7f00:1", "loopback"},
      {"64:ff9b::a9fe:a9fe", "link-local"},
      {"64:ff9b:1::a9fe:a9fe", "translated"},
      {"64:ff9b:1:a9fe:a9:fe00::", "translated"},
      {"64:ff9b:2::1", ""},
      {"::ffff:0:7f00:1", "loopback"},
      {"::ffff:0:a9fe:a9fe", "link-local"},
      {"::ffff:0:a00:1", ""},
      {"2002:7f00:1::1", "loopback"},
      {"2002:a9fe:a9fe::", "link-local"},
      {"2002:a00:1::1", ""},
      {"2001:0:1:2:3:4:80ff:fffe", "loopback"},
      {"2001:0:1:2:3:4:f5ff:fffe", ""},
      {"2001:db8::200:5efe:7f00:1", "loopback"},
      {"fd00::5efe:a9fe:a9fe", "link-local"},
      {"fd00::5efe:a00:1", ""},
      {"168.63.129.16", "cloud provider"},
      {"::ffff:168.63.129.16", "cloud provider"},
      {"::ffff:a83f:8110", "cloud provider"},
      {"::a83f:8110", "cloud provider"},
      {"64:ff9b::168.63.129.16", "cloud provider"},
      {"2002:a83f:8110::1", "cloud provider"},
      {"168.63.129.17", ""},
      {"100.100.100.200", "cloud provider"},
      {"100.100.100.201", ""},
      {"192.0.0.192", "cloud provider"},
      {"192.0.1.192", ""},
      {"fd00:ec2::254", "cloud provider"},
      {"fd00:0ec2:0:0:0:0:0:0254", "cloud provider"},
      {"fd00:ec2::253", "cloud provider"},
      {"fd00:ec3::254", ""},
      {"fd20:ce::254", "cloud provider"},
      {"fd20:ce::255", ""},
  };
  for (const auto& [text, why] : rows) {
    const std::string found = why_out_of_reach(boost::asio::ip::make_address(text));
    if (why.empty()) {
      EXPECT_EQ(found, "") << text;
    } else {
      EXPECT_THAT(found, HasSubstr(why)) << text;
    }
  }
}

}  // namespace
}  // namespace dynamo::reconciler::model
