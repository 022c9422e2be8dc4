// Options of `dynamo-reconciler copy-profile`. The flags that set them are defined in
// flag_table.cpp.
#pragma once

#include <chrono>
#include <string>

#include "process/cluster_options.hpp"

namespace dynamo::reconciler::copy_profile {

// One member per flag; of ClusterOptions the connection and the log. The defaults equal those of
// the flag table.
struct Options : process::ClusterOptions {
  std::string request;
  std::string pod;             // empty: HOSTNAME, which the program reads
  std::string namespace_name;  // empty: that of the pod, which the program reads
  std::string data_directory = "/data";

  std::chrono::nanoseconds timeout = std::chrono::hours(72);
  std::chrono::nanoseconds status_timeout = std::chrono::minutes(2);
  std::chrono::nanoseconds access_timeout = std::chrono::minutes(1);
  std::chrono::nanoseconds request_timeout = std::chrono::seconds(10);
  std::chrono::nanoseconds poll_interval = std::chrono::seconds(5);
};

}  // namespace dynamo::reconciler::copy_profile
