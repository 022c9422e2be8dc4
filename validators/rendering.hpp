// Reports findings on rendered pods at the user's fields that they come from.
#pragma once

#include <concepts>
#include <source_location>
#include <string>

#include "render/object/object_renderer.hpp"
#include "validators/report.hpp"

namespace dynamo::validators {

using render::LimitViolation;
using render::RenderedObject;
using render::RenderedPod;

// Adds a finding at the user's field that a rendered item came from.
void add_at(Report& report, api::ErrorType type, const RenderedPod& pod,
            const render::Origin& origin, std::string detail,
            std::source_location where = std::source_location::current());
void add_at(Report& report, api::ErrorType type, const RenderedPod& pod,
            const render::Origin& origin, std::string detail, Discriminator discriminator);
// Like add_at(), but always a warning, regardless of the rule's severity.
void warn_at(Report& report, const RenderedPod& pod, const render::Origin& origin,
             std::string detail, std::source_location where = std::source_location::current());
// Both, with a text that is only built if it is kept.
template <std::invocable MakeDetail>
void add_at(Report& report, api::ErrorType type, const RenderedPod& pod,
            const render::Origin& origin, MakeDetail make_detail,
            std::source_location where = std::source_location::current()) {
  if (!report.wants_text()) return report.omit();
  add_at(report, type, pod, origin, std::string(make_detail()), where);
}
template <std::invocable MakeDetail>
void warn_at(Report& report, const RenderedPod& pod, const render::Origin& origin,
             MakeDetail make_detail, std::source_location where = std::source_location::current()) {
  if (!report.wants_warning_text()) return report.omit_warning();
  warn_at(report, pod, origin, std::string(make_detail()), where);
}

}  // namespace dynamo::validators
