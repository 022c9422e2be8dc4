#include "validators/rendered/pod/handler.hpp"

#include <array>

#include "validators/content/container_syntax.hpp"
#include "validators/rendered/pod/visit.hpp"

namespace dynamo::validators::pod {
namespace {

using api::ErrorType;
using api::FieldPath;

constexpr std::array<std::string_view, 5> kHandlers = {"exec", "httpGet", "tcpSocket", "grpc",
                                                       "sleep"};
constexpr std::array<std::string_view, 6> kNumbers = {
    "initialDelaySeconds", "timeoutSeconds",   "periodSeconds",
    "successThreshold",    "failureThreshold", "terminationGracePeriodSeconds"};

void check_port(json::Value port, const FieldPath& path, Report& report) {
  if (const auto number = port.integer()) {
    if (!is_port_number(*number)) {
      report.add(ErrorType::kInvalid, path,
                 "must be between 1 and 65535; found " + std::to_string(*number));
    }
  } else if (const auto name = port.string(); name && !is_port_name(*name)) {
    report.add(ErrorType::kInvalid, path,
               found("must be a port's number, or the name of one: at most 15 lower case letters, "
                     "digits and single '-', one of them a letter",
                     *name));
  }
}

void check_http(const render::Overlay& http, const FieldPath& path, Report& report) {
  constexpr std::array<std::string_view, 2> kSchemes = {"HTTP", "HTTPS"};
  check_port(http["port"].value(), path.child("port"), report);
  check_spelling(http["scheme"].value(), kSchemes, path.child("scheme"), report);
  const FieldPath headers = path.child("httpHeaders");
  std::size_t index = 0;
  for (const json::Value header : http["httpHeaders"].value().elements()) {
    const std::string_view name = header["name"].string_or_empty();
    if (!is_header_name(name)) {
      report.add(ErrorType::kInvalid, headers.index(index).child("name"),
                 [&] { return found("must be letters, digits and '-'", name); });
    }
    ++index;
  }
}

}  // namespace

std::size_t count_handlers(const render::Overlay& action) {
  std::size_t count = 0;
  for (const std::string_view name : kHandlers) count += action[name].is_nothing() ? 0 : 1;
  return count;
}

std::size_t count_handlers(json::Value action) {
  return count_handlers(render::Overlay(action));
}

void check_handlers(const render::Overlay& action, const FieldPath& path, Report& report) {
  if (const render::Overlay exec = action["exec"]; exec.value().is_object()) {
    if (list_size(exec["command"].value()) == 0) {
      report.add(ErrorType::kRequired, path.child("exec").child("command"),
                 "must name the program to run; found nothing");
    }
  }
  if (const render::Overlay http = action["httpGet"]; http.value().is_object()) {
    check_http(http, path.child("httpGet"), report);
  }
  check_port(action["tcpSocket"]["port"].value(), path.child("tcpSocket").child("port"), report);
  check_port(action["grpc"]["port"].value(), path.child("grpc").child("port"), report);
}

bool has_unknown_member(json::Value action) {
  const auto known = [](std::string_view name) {
    return std::ranges::find(kHandlers, name) != kHandlers.end() ||
           std::ranges::find(kNumbers, name) != kNumbers.end();
  };
  for (const auto [name, value] : action.members()) {
    if (!value.is_nothing() && !known(name)) return true;
  }
  return false;
}

std::string_view named_port(const render::Overlay& action) {
  const std::string_view http = action["httpGet"]["port"].value().string_or_empty();
  return http.empty() ? action["tcpSocket"]["port"].value().string_or_empty() : http;
}

}  // namespace dynamo::validators::pod
