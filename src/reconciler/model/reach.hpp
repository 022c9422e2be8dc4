// Which addresses the reconciler sends requests to.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <string>

namespace dynamo::reconciler::model {

// Why nothing is sent there: "it is a loopback address"; empty: it may be the address of a pod. An
// address that stands for one of IPv4 is judged by that one. Who can write EndpointSlices would
// otherwise have us send requests to our own node, or to the metadata server of its cloud.
std::string why_out_of_reach(const boost::asio::ip::address& address);

}  // namespace dynamo::reconciler::model
