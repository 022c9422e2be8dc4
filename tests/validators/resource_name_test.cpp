// Names of resources.
#include "validators/content/resource_name.hpp"

#include <gtest/gtest.h>

#include <string>

namespace dynamo::validators {
namespace {

TEST(ResourceKinds, DependOnName) {
  for (const auto name : {"cpu", "memory", "ephemeral-storage", "kubernetes.io/a",
                          "example.kubernetes.io/batch-cpu"}) {
    EXPECT_EQ(resource_kind(name), ResourceKind::kNative) << name;
  }
  for (const auto name : {"hugepages-2Mi", "hugepages-1Gi", "hugepages-x"}) {
    EXPECT_EQ(resource_kind(name), ResourceKind::kHugePages) << name;
  }
  for (const auto name : {"nvidia.com/gpu", "rdma/ib", "a/B_c.d-e"}) {
    EXPECT_EQ(resource_kind(name), ResourceKind::kExtended) << name;
  }
  for (const auto name : {"", "gpu", "CPU", "storage", "pods", "hugepages", "hugepages-", "/a",
                          "a/", "A/b", "a/b/c", "a b/c", "requests.nvidia.com/gpu", "a/-b"}) {
    EXPECT_EQ(resource_kind(name), ResourceKind::kNone) << name;
  }
}

TEST(ResourceKinds, NameMustFitWithQuotaPrefix) {
  const auto domain = [](std::size_t size) {
    std::string text;
    while (text.size() < size) text += text.size() % 60 == 59 ? '.' : 'a';
    return text;
  };
  EXPECT_EQ(resource_kind(domain(244) + "/a"), ResourceKind::kExtended);
  EXPECT_EQ(resource_kind(domain(245) + "/a"), ResourceKind::kNone);
}

TEST(PageSizes, AreWholeBytes) {
  EXPECT_EQ(page_size("hugepages-2Mi"), 2U * 1024 * 1024);
  EXPECT_EQ(page_size("hugepages-1"), 1U);
  for (const auto name : {"hugepages-", "hugepages-0", "hugepages--2Mi", "hugepages-500m",
                          "hugepages-x", "memory", "2Mi"}) {
    EXPECT_EQ(page_size(name), std::nullopt) << name;
  }
}

TEST(Gpus, AreDetectedByName) {
  for (const auto name : {"nvidia.com/gpu", "amd.com/gpu", "nvidia.com/mig-1g.5gb",
                          "gpu.intel.com/xe", "habana.ai/gaudi", "nvidia.com/GPU-shared"}) {
    EXPECT_TRUE(is_gpu(name)) << name;
    EXPECT_TRUE(can_be_gpu(name)) << name;
  }
  for (const auto name : {"example.com/npu", "aws.amazon.com/neuron", "google.com/tpu"}) {
    EXPECT_FALSE(is_gpu(name)) << name;
    EXPECT_TRUE(can_be_gpu(name)) << name;
  }
  for (const auto name :
       {"rdma/ib", "vpc.amazonaws.com/efa", "mellanox.com/Shared_HCA", "nvidia.com/mlnxnics",
        "intel.com/sriov_netdevice", "devices.kubevirt.io/kvm", "cpu", "gpu", "memory"}) {
    EXPECT_FALSE(can_be_gpu(name)) << name;
    EXPECT_FALSE(is_gpu(name)) << name;
  }
}

}  // namespace
}  // namespace dynamo::validators
