// Findings about the pods that will be made of an object, at the fields that they come from.
#pragma once

#include <concepts>
#include <source_location>
#include <string>

#include "render/rendered.hpp"
#include "validators/report.hpp"

namespace dynamo::validators {

using render::RenderedObject;
using render::RenderedPod;
using render::TooMuch;

// A finding at the field of the user that a rendered item came from.
void add_at(Report& report, api::ErrorType type, const RenderedPod& pod,
            const render::Origin& origin, std::string detail,
            std::source_location where = std::source_location::current());
void add_at(Report& report, api::ErrorType type, const RenderedPod& pod,
            const render::Origin& origin, std::string detail, Discriminator discriminator);
// The same as a warning, whatever the rule's severity.
void warn_at(Report& report, const RenderedPod& pod, const render::Origin& origin,
             std::string detail, std::source_location where = std::source_location::current());
// Both with a text that is only made when it is kept.
template <std::invocable MakeDetail>
void add_at(Report& report, api::ErrorType type, const RenderedPod& pod,
            const render::Origin& origin, MakeDetail make_detail,
            std::source_location where = std::source_location::current()) {
  if (!report.keeps()) return report.omit();
  add_at(report, type, pod, origin, std::string(make_detail()), where);
}
template <std::invocable MakeDetail>
void warn_at(Report& report, const RenderedPod& pod, const render::Origin& origin,
             MakeDetail make_detail, std::source_location where = std::source_location::current()) {
  if (!report.keeps_warnings()) return report.omit_warning();
  warn_at(report, pod, origin, std::string(make_detail()), where);
}

}  // namespace dynamo::validators
