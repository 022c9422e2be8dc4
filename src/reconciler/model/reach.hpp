// Restricts the addresses that the reconciler sends requests to.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <string>

namespace dynamo::reconciler::model {

// Why nothing is sent to this address: "it is a loopback address"; empty: it may be a pod. An
// address that embeds an IPv4 address is checked as that address. Otherwise a user with write
// access to EndpointSlices could make us call our own node, or the metadata server of the cloud.
std::string why_out_of_reach(const boost::asio::ip::address& address);

}  // namespace dynamo::reconciler::model
