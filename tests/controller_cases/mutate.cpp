#include "tests/controller_cases/mutate.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "tests/controller_cases/store.hpp"

namespace dynamo::cases {
namespace {

// Fields that do not describe output: the kind of step, and fields that are never compared.
bool is_ignored_field(std::string_view name) {
  constexpr std::array<std::string_view, 9> kNames = {"reconcile",
                                                      "did",
                                                      "facts",
                                                      "uid",
                                                      "resourceVersion",
                                                      "creationTimestamp",
                                                      "lastTransitionTime",
                                                      "message",
                                                      "managedFields"};
  return std::ranges::find(kNames, name) != kNames.end();
}

bool has_lines(std::string_view text) {
  return text.find('\n') != std::string_view::npos;
}

class Mutator {
 public:
  Mutator(Object& golden, CaseResult (*replay)(const Value& golden))
      : golden_(golden), replay_(replay), before_(replay(golden)) {}

  MutationResult run() {
    if (before_.outcome == Outcome::kUnsupported || before_.outcome == Outcome::kFailing) return {};
    if (golden_.HasMember("rows")) {
      for (Value& row : golden_["rows"].GetArray()) visit(row["out"], "row");
    }
    if (!golden_.HasMember("output")) return std::move(mutations_);
    Value& output = golden_["output"];
    if (output.HasMember("objects")) visit_objects(output["objects"], "");
    if (!output.HasMember("steps")) return std::move(mutations_);
    const bool numbered = member(member(golden_, "input"), "steps").IsArray();
    std::size_t at = 0;
    for (Value& step : output["steps"].GetArray()) {
      visit_step(step, numbered ? "step " + std::to_string(++at) + ": " : std::string());
    }
    return std::move(mutations_);
  }

 private:
  void visit_step(Value& step, const std::string& where) {
    for (auto& [name, each] : step.GetObject()) {
      if (is_ignored_field(text(name))) continue;
      if (text(name) == "objects") {
        visit_objects(each, where);
      } else {
        visit(each, where + std::string(text(name)));
      }
    }
  }

  void visit_objects(Value& objects, const std::string& where) {
    for (Value& object : objects.GetArray()) {
      const std::string_view gone = text(member(object, "gone"));
      const std::string key = gone.empty() ? Store::key_of(object) : std::string(gone);
      for (auto& [name, each] : object.GetObject()) {
        if (!is_ignored_field(text(name))) visit(each, where + key + " " + std::string(text(name)));
      }
    }
  }

  void visit(Value& value, const std::string& path) {
    if (value.IsObject()) {
      for (auto& [name, each] : value.GetObject()) {
        if (!is_ignored_field(text(name))) visit(each, path + "." + std::string(text(name)));
      }
    } else if (value.IsArray()) {
      for (rapidjson::SizeType i = 0; i < value.Size(); ++i) {
        visit(value[i], path + "[" + std::to_string(i) + "]");
      }
    } else if (!value.IsNull() && !is_free(text(value)) && !is_allowed_path(path)) {
      change(value, path);
    }
  }

  // A placeholder, or an event that E1 does not expect.
  static bool is_free(std::string_view text) {
    return text.starts_with('<') || text.starts_with("Normal Update");
  }

  // This path differs already.
  bool is_allowed_path(const std::string& path) const {
    return std::ranges::any_of(before_.allowed_paths, [&path](const std::string& place) {
      return path.starts_with(place);
    });
  }

  void change(Value& value, const std::string& path) {
    const Object original = copy_of(value);
    if (value.IsString()) {
      // A multi-line text is a document.
      const std::string_view added = has_lines(text(value)) ? "\nmutated: true\n" : "-mutated";
      const std::string other = std::string(text(value)).append(added);
      value.SetString(other.data(), static_cast<rapidjson::SizeType>(other.size()),
                      golden_.GetAllocator());
    } else if (value.IsBool()) {
      value.SetBool(!value.GetBool());
    } else {
      value.SetInt64(value.IsInt64() ? value.GetInt64() + 1 : 1);
    }
    ++mutations_.changes;
    if (!is_detected()) {
      mutations_.undetected.push_back(path + " " + text_of(original));
    }
    value.CopyFrom(original, golden_.GetAllocator());
  }

  // An unknown kind or an invalid case counts as detected, too.
  bool is_detected() const {
    try {
      const Outcome outcome = replay_(golden_).outcome;
      return outcome == Outcome::kFailing || outcome == Outcome::kUnsupported;
    } catch (const std::runtime_error&) {
      return true;
    }
  }

  Object& golden_;
  CaseResult (*replay_)(const Value& golden);
  const CaseResult before_;
  MutationResult mutations_;
};

}  // namespace

MutationResult mutate(Object& golden, CaseResult (*replay)(const Value& golden)) {
  return Mutator(golden, replay).run();
}

}  // namespace dynamo::cases
