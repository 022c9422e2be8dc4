// The admission path must not allocate once its buffers have grown.
#include <gtest/gtest.h>

#include <string>

#include "json/document.hpp"
#include "json/parser.hpp"
#include "json/pointer.hpp"
#include "json/scan.hpp"
#include "json/writer.hpp"
#include "tests/support/allocation_counter.hpp"
#include "text/base64.hpp"

namespace dynamo::json {
namespace {

constexpr std::string_view kReview =
    R"({"request":{"uid":"u","object":{"metadata":{"name":"a","managedFields":[{"f:spec":{"[":1}}]},)"
    R"("spec":{"services":{"A":{"replicas":1.5,"envs":[{"name":"x\n","value":"\u00e9"}]}}}},)"
    R"("oldObject":{"metadata":{"name":"a"},"spec":{"list":[1,2,3,true,null,-0.25e3]}}}})";

template <typename Work>
std::uint64_t allocations_of(Work work) {
  const std::uint64_t before = test::allocations();
  work();
  return test::allocations() - before;
}

TEST(Allocations, AreCounted) {
  // Called by name, because a compiler may remove a pair of new and delete.
  EXPECT_EQ(allocations_of([] { ::operator delete(::operator new(1)); }), 1U);
}

TEST(Allocations, ParsingAllocatesNothingWithGrownBuffers) {
  Parser parser;
  Document document;
  std::string buffer;
  const auto parse = [&](std::size_t skip, bool* failed) {
    buffer.assign(kReview);
    buffer.append(kParsePadding, '\0');
    const ParseOptions options{.skip_managed_fields_at = skip};
    *failed = parser.parse({buffer.data(), kReview.size()}, options, document).has_value();
  };
  bool failed = false;
  parse(0, &failed);
  ASSERT_FALSE(failed);
  for (const std::size_t skip : {0U, 3U}) {
    EXPECT_EQ(allocations_of([&] { parse(skip, &failed); }), 0U) << skip;
    EXPECT_FALSE(failed);
  }
}

TEST(Allocations, ReadingAndComparingAllocateNothing) {
  const auto parsed = parse_copy(kReview);
  const auto other = parse_copy(kReview);
  ASSERT_FALSE(parsed->error);
  std::size_t members = 0;
  bool same = false;
  EXPECT_EQ(allocations_of([&] {
              const Value spec = parsed->root()["request"]["object"]["spec"];
              for (const Member member : spec["services"].members()) members += member.value.size();
              same = equal(parsed->root(), other->root());
            }),
            0U);
  EXPECT_EQ(members, 2U);
  EXPECT_TRUE(same);
}

TEST(Allocations, ScanningAllocatesNothing) {
  EXPECT_EQ(allocations_of([] {
              find_invalid_utf8(kReview);
              find_end_of_container(kReview);
            }),
            0U);
}

TEST(Allocations, WritingIntoAReusedBufferAllocatesNothing) {
  std::string out;
  out.reserve(1000);
  EXPECT_EQ(allocations_of([&] {
              Writer writer(out);
              writer.start_object().member("uid", "u").key("n").integer(7).key("x").number(0.5);
              writer.key("list").start_array().boolean(true).null().end_array().end_object();
              text::append_base64(out, "patch");
            }),
            0U);
}

}  // namespace
}  // namespace dynamo::json
