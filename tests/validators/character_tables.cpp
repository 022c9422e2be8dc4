#include "tests/validators/pod_rows.hpp"
#include "tests/validators/rule_table.hpp"

namespace dynamo::test {

// One row per line if it fits.
// clang-format off

using enum api::Kind;

namespace {

std::vector<Place> at_args(int item) { return {{in_main("args[" + std::to_string(item) + "]"), ""}}; }

#define ARGS(words) MAIN("command: [python3], args: [" words "]")

RuleTable invisible() {
  return with_updates({"text.invisible", kGraphDeployment, {
      {.name = "ascii", .spec = ARGS("--model, a b")},
      {.name = "no_break_space", .spec = ARGS("'--model\u00A0m'"), .warnings = at_args(0)},
      {.name = "zero_width_space_at_the_end", .spec = ARGS("--model, 'm\u200B'"), .warnings = at_args(1)},
      {.name = "soft_hyphen", .spec = ARGS("'--mo\u00ADdel'"), .warnings = at_args(0)},
      {.name = "ideographic_space", .spec = ARGS("'--model\u3000m'"), .warnings = at_args(0)},
      {.name = "byte_order_mark_in_double_quotes", .spec = ARGS("\"a\\uFEFFb\""), .warnings = at_args(0)},
      {.name = "right_to_left_override", .spec = ARGS("'a\u202Eb'"), .warnings = at_args(0)},
      {.name = "isolate", .spec = ARGS("'a\u2066b'"), .warnings = at_args(0)},
      {.name = "tag_character", .spec = ARGS("'a\U000E0041'"), .warnings = at_args(0)},
      {.name = "variation_selector_behind_a_letter", .spec = ARGS("'a\uFE0F'"), .warnings = at_args(0)},
      {.name = "variation_selector_of_an_emoji", .spec = ARGS("'go \u2764\uFE0F'")},
      {.name = "keycap", .spec = ARGS("'1\uFE0F\u20E3'")},
      {.name = "joined_emoji", .spec = ARGS("'\U0001F468\u200D\U0001F469'")},
      {.name = "rainbow_flag", .spec = ARGS("'\U0001F3F3\uFE0F\u200D\U0001F308'")},
      {.name = "flag_of_a_region", .spec = ARGS("'\U0001F3F4\U000E0067\U000E0062\U000E007F'")},
      {.name = "joiner_between_letters_of_ascii", .spec = ARGS("'a\u200Db'"), .warnings = at_args(0)},
      {.name = "non_joiner_of_persian", .spec = ARGS("'\u0645\u06CC\u200C\u062E'")},
      {.name = "ideographic_space_of_chinese", .spec = ARGS("'\u4F60\u597D\u3000\u4E16'")},
      {.name = "letters_with_accents", .spec = ARGS("'caf\u00E9 \u00FCber'")},
      {.name = "an_image", .spec = MAIN("image: 'nvcr.io/a:1\u200B'"), .warnings = {{in_main("image"), ""}}},
      {.name = "a_secret", .spec = SERVICE("envFromSecret: 'token\u200B'"), .warnings = {{in_service("envFromSecret"), ""}}},
      {.name = "a_variable", .spec = SERVICE("envs: [{name: A, value: 'x\u00A0'}]"), .warnings = {{in_service("envs[0].value"), ""}}},
      {.name = "the_name_of_a_variable", .spec = SERVICE("envs: [{name: 'A\u200B', value: x}]"), .warnings = {{in_service("envs[0].name"), ""}}},
      {.name = "a_label_of_a_service", .spec = SERVICE("labels: {a: 'b\u200B'}"), .warnings = {{in_service("labels[a]"), ""}}},
      {.name = "the_key_of_a_label", .spec = SERVICE("labels: {'a\u200B': b}"), .warnings = {{in_service("labels[a\\u200b]"), ""}}},
      {.name = "zero_byte", .spec = ARGS("\"a\\0b\""), .warnings = at_args(0)},
      {.name = "bell", .spec = ARGS("\"\\a\""), .warnings = at_args(0)},
      {.name = "escape", .spec = ARGS("\"a\\eb\""), .warnings = at_args(0)},
      {.name = "backspace_and_form_feed", .spec = ARGS("\"a\\b\", \"b\\f\""), .warnings = {at_args(0)[0], at_args(1)[0]}},
      {.name = "delete", .spec = ARGS("\"a\\x7Fb\""), .warnings = at_args(0)},
      {.name = "control_character_of_latin_1", .spec = ARGS("\"a\\x85b\""), .warnings = at_args(0)},
      {.name = "tabs_and_ends_of_lines", .spec = ARGS("\"a\\tb\\nc\\r\\n\\n\"")},
      {.name = "carriage_return_at_the_end", .spec = ARGS("\"a\\r\""), .warnings = at_args(0)},
      {.name = "carriage_return_in_a_line", .spec = ARGS("\"a\\rb\\r\\n\""), .warnings = at_args(0)},
      {.name = "control_character_behind_another_script", .spec = ARGS("\"\u043C\\eb\""), .warnings = at_args(0)},
      {.name = "control_character_in_a_name", .spec = SERVICE("labels: {\"a\\eb\": c}"), .warnings = {{in_service("labels[a b]"), ""}}},
      {.name = "an_annotation", .spec = SERVICE("annotations: {a: 'b\u00A0c'}"), .warnings = {{in_service("annotations[a]"), ""}}},
      {.name = "an_annotation_of_the_pod", .spec = SERVICE("extraPodMetadata: {annotations: {a: \"b\\ec\"}}"), .warnings = {{in_service("extraPodMetadata.annotations[a]"), ""}}},
      {.name = "a_label_of_the_pod", .spec = SERVICE("extraPodMetadata: {labels: {a: \"b\\ec\"}}"), .warnings = {{in_service("extraPodMetadata.labels[a]"), ""}}},
      {.name = "an_annotation_that_the_operator_reads", .warnings = {{"metadata.annotations[nvidia.com/enable-grove]", ""}},
       .object = "{metadata: {name: a, annotations: {nvidia.com/enable-grove: 'false\u200B', kubectl.kubernetes.io/last-applied-configuration: \"a\\e\"}}, spec: {services: {W: {}}}}"},
      {.name = "a_label_of_the_object", .warnings = {{"metadata.labels[a]", ""}},
       .object = "{metadata: {name: a, labels: {a: 'b\u200B'}, annotations: {c: 'd\u200B'}}, spec: {services: {W: {}}}}"},
      {.name = "a_model", .spec = "{modelName: 'm\u200B', baseModelName: m}", .warnings = {{"spec.modelName", ""}}, .kind = kModel},
      {.name = "a_setting_of_the_profiler", .spec = "{model: m, backend: vllm, profilingConfig: {profilerImage: i, config: {sla: {'a': 'b\u200B'}}}}",
       .warnings = {{"spec.profilingConfig.config.sla.a", ""}}, .kind = kGraphDeploymentRequest},
      {.name = "a_checkpoint", .spec = JOB("containers: [{name: main, image: 'i\u200B'}]"), .warnings = {{in_job("containers[0].image"), ""}}, .kind = kCheckpoint},
  }}, ARGS("'--model\u00A0m'"), ARGS("--model, m"), {}, at_args(0));
}

RuleTable lookalike() {
  return with_updates({"text.lookalike", kGraphDeployment, {
      {.name = "ascii", .spec = ARGS("--model, \"it's\"")},
      {.name = "en_dash_of_a_flag", .spec = ARGS("'\u2013model'"), .warnings = at_args(0)},
      {.name = "em_dash_of_a_flag", .spec = ARGS("'\u2014model'"), .warnings = at_args(0)},
      {.name = "heavy_minus_of_a_flag", .spec = ARGS("'\u2796model'"), .warnings = at_args(0)},
      {.name = "superscript_minus_of_a_flag", .spec = ARGS("'\u207Bmodel'"), .warnings = at_args(0)},
      {.name = "two_em_dash_of_a_flag", .spec = ARGS("'\u2E3Amodel'"), .warnings = at_args(0)},
      {.name = "three_em_dash_of_a_flag", .spec = ARGS("'\u2E3Bmodel'"), .warnings = at_args(0)},
      {.name = "box_drawing_of_a_flag", .spec = ARGS("'\u2500\u2500model'"), .warnings = at_args(0)},
      {.name = "heavy_box_drawing_of_a_flag", .spec = ARGS("'\u2501model'"), .warnings = at_args(0)},
      {.name = "subscript_minus_of_a_flag", .spec = ARGS("'\u208Bmodel'"), .warnings = at_args(0)},
      {.name = "katakana_mark_in_a_flag", .spec = ARGS("'\u30FCmodel'")},
      {.name = "an_exponent", .spec = ARGS("'10\u207B\u00B3 s'")},
      {.name = "a_box_around_prose", .spec = ARGS("'\u250C\u2500\u2500\u2510 a \u2500 b'")},
      {.name = "minus_sign", .spec = ARGS("'\u22121'"), .warnings = at_args(0)},
      {.name = "two_dashes_one_of_them_wrong", .spec = ARGS("'-\u2013model'"), .warnings = at_args(0)},
      {.name = "a_dash_inside_of_a_flag", .spec = ARGS("'--tensor\u2010parallel'"), .warnings = at_args(0)},
      {.name = "a_flag_in_a_script", .spec = ARGS("'python3 -m x \u2013model m'"), .warnings = at_args(0)},
      {.name = "curly_quotes_of_json", .spec = ARGS("'{\u201Ca\u201D: 1}'"), .warnings = at_args(0)},
      {.name = "curly_quotes_around_a_word", .spec = ARGS("'\u201Cm\u201D'"), .warnings = at_args(0)},
      {.name = "curly_quotes_behind_a_flag", .spec = ARGS("'run --x \u201Ca b\u201D'"), .warnings = at_args(0)},
      {.name = "prose_with_dashes_and_quotes", .spec = ARGS("'You\u2019re \u201Chelpful\u201D \u2013 and kind\u2014mostly, 2019\u20132020'")},
      {.name = "chinese_with_dashes", .spec = ARGS("'\u4F60\u597D\u2014\u2014\u4E16\uFF1A\u754C'")},
      {.name = "cyrillic_letter_in_a_flag", .spec = ARGS("'--m\u043Edel'"), .warnings = at_args(0)},
      {.name = "cyrillic_word", .spec = ARGS("'\u043C\u043E\u0434\u0435\u043B\u044C Qwen-\u043C\u043E\u0434\u0435\u043B\u044C'")},
      {.name = "greek_letters_of_a_formula", .spec = ARGS("'\u03B1 = 1, 5 \u00B5s'")},
      {.name = "fullwidth_digits", .spec = ARGS("'8\uFF10'"), .warnings = at_args(0)},
      {.name = "fullwidth_colon_in_a_word", .spec = ARGS("'http\uFF1A//a'"), .warnings = at_args(0)},
      {.name = "an_image", .spec = MAIN("image: 'nvcr.io/a\u2013b:1'"), .warnings = {{in_main("image"), ""}}},
      {.name = "a_variable", .spec = SERVICE("envs: [{name: A, value: '\u201Cx\u201D'}]"), .warnings = {{in_service("envs[0].value"), ""}}},
      {.name = "the_name_of_a_variable", .spec = SERVICE("envs: [{name: 'HF_TOK\u0415N', value: x}]"), .warnings = {{in_service("envs[0].name"), ""}}},
      {.name = "a_model", .spec = "{modelName: 'Qwen3\u20130.6B', baseModelName: m}", .warnings = {{"spec.modelName", ""}}, .kind = kModel},
  }}, ARGS("'\u2013model'"), ARGS("--model, m"), {}, at_args(0));
}

}  // namespace

std::vector<RuleTable> character_tables() {
  return {invisible(), lookalike()};
}

}  // namespace dynamo::test

#undef ARGS
