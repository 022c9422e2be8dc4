#!/usr/bin/env python3
"""check_tree.py reports every kind of breach, at the right line, and nothing else."""

import pathlib
import tempfile
import unittest

import check_tree

HEADER = "#pragma once\n// A header that says what it is for.\n"

# The smallest tree that keeps every promise; each case below adds or replaces one file.
GOOD_TREE = {
    "src/json/CMakeLists.txt": "add_library(json value.cpp)\n",
    "src/json/value.hpp": HEADER,
    "src/json/value.cpp": '#include "json/value.hpp"\n\n#include <yaml-cpp/yaml.h>\n#include <vector>\n',
    "src/api/view.hpp": HEADER + '#include "json/value.hpp"\n',
    "validators/check.hpp": HEADER + '#include "api/view.hpp"\n#include "validators/content/name.hpp"\n',
    "validators/content/name.hpp": HEADER,
    "defaulters/fill.hpp": HEADER + '#include "api/view.hpp"\n',
    "src/admission/evaluate.hpp": HEADER + '#include "defaulters/fill.hpp"\n',
    "src/runtime/log.hpp": HEADER,
    "certs/source.hpp": HEADER + '#include "runtime/log.hpp"\n#include <openssl/ssl.h>\n',
    "src/server/CMakeLists.txt": "dynamo_library(server PUBLIC_LINKS json)\n",
    "src/server/server.hpp": HEADER + '#include "certs/source.hpp"\n',
    "src/webhook/webhook.hpp": HEADER + '#include "admission/evaluate.hpp"\n#include "server/server.hpp"\n',
    "ARCHITECTURE.md": "<!-- directions: from tests/layering/rules.py -->\n" + check_tree.directions()
                       + "<!-- end of directions -->\n",
    "src/main/CMakeLists.txt": "add_executable(webhook\n  webhook_main.cpp)\n",
    "src/main/webhook_main.cpp": '#include "webhook/webhook.hpp"\n',
    "tests/CMakeLists.txt": "dynamo_test(json_test SOURCES json/value_test.cpp)\n",
    "tests/support/builder.hpp": HEADER,
    "tests/json/value_test.cpp": '#include <gtest/gtest.h>\n\n#include "json/value.hpp"\n'
                                 '#include "tests/support/builder.hpp"\n\nTEST(Value, Reads) {}\n',
    "docs/page.md": "Text.\n",
    "build/dev/junk.cpp": "#include <regex>\n",
}

PURE = "src/api/view.hpp"


def in_pure_header(code):
    return {PURE: HEADER + code + "\n"}


# (promise, the change to the good tree, the breaches: file:line and words of the text)
BAD = [
    # Direction.
    ("includes_follow_one_direction", in_pure_header('#include "validators/check.hpp"'),
     [("src/api/view.hpp:3", 'src/api/ may not include "validators/check.hpp"')]),
    ("includes_follow_one_direction", in_pure_header('  #  include "admission/evaluate.hpp" // up'),
     [("src/api/view.hpp:3", "Move the code down")]),
    ("includes_follow_one_direction", {"validators/check.hpp": HEADER + '#include "defaulters/fill.hpp"\n'},
     [("validators/check.hpp:3", "defaulters/fill.hpp")]),
    ("includes_follow_one_direction", {"defaulters/fill.hpp": HEADER + '#include "validators/check.hpp"\n'},
     [("defaulters/fill.hpp:3", "validators/check.hpp")]),
    ("includes_follow_one_direction", {"src/admission/evaluate.hpp": HEADER + '#include "runtime/log.hpp"\n'},
     [("src/admission/evaluate.hpp:3", "runtime/log.hpp")]),
    ("includes_follow_one_direction", {"src/runtime/log.hpp": HEADER + '#include "certs/source.hpp"\n'},
     [("src/runtime/log.hpp:3", "certs/source.hpp")]),
    ("includes_follow_one_direction", {"certs/source.hpp": HEADER + '#include "server/server.hpp"\n'},
     [("certs/source.hpp:3", "server/server.hpp")]),
    ("includes_follow_one_direction", {"src/server/server.hpp": HEADER + '#include "tests/support/builder.hpp"\n'},
     [("src/server/server.hpp:3", "tests/support/builder.hpp")]),
    ("includes_follow_one_direction", {"src/json/value.cpp": '#include "value.hpp"\n'},
     [("src/json/value.cpp:1", "write the path from there")]),
    ("includes_follow_one_direction", {"src/json/value.cpp": "\n#include <json/value.hpp>\n"},
     [("src/json/value.cpp:2", "write it in quotes")]),
    ("includes_follow_one_direction", {"bench/load.hpp": HEADER, "tests/json/value_test.cpp": '#include "bench/load.hpp"\n'},
     [("tests/json/value_test.cpp:1", "may not include bench/")]),
    # Rooms.
    ("rooms_follow_their_order", {"src/kube/store.hpp": HEADER},
     [("src/kube/store.hpp:1", "is in no room of src/kube/: move it into cache, client,")]),
    ("rooms_follow_their_order",
     {"src/kube/cache/store.hpp": HEADER, "src/kube/object/object.hpp": HEADER + '#include "kube/cache/store.hpp"\n'},
     [("src/kube/object/object.hpp:3", "src/kube/object may not include kube/cache/store.hpp: cache is not below it")]),
    ("rooms_follow_their_order",
     {"src/kube/cache/store.hpp": HEADER, "src/kube/controller/queue.hpp": HEADER + '#include "kube/cache/store.hpp"\n'},
     [("src/kube/controller/queue.hpp:3", "cache is not below it")]),
    ("rooms_follow_their_order",
     {"src/kube/client/client.hpp": HEADER,
      "src/cli/fix/fix.hpp": HEADER + '#include "kube/client/client.hpp"\n#include <boost/asio/io_context.hpp>\n'},
     [("src/cli/fix/fix.hpp:3", "src/cli/fix may not include kube/client/client.hpp: only cluster may"),
      ("src/cli/fix/fix.hpp:4", "boost/asio")]),
    # Third parties.
    ("third_parties_stay_behind_their_folder", in_pure_header("#include <yaml-cpp/yaml.h>"),
     [("src/api/view.hpp:3", "yaml-cpp")]),
    ("third_parties_stay_behind_their_folder", in_pure_header("#include <yaml-cpp/yaml.h>"),
     [("src/api/view.hpp:3", "yaml-cpp")]),
    ("third_parties_stay_behind_their_folder", in_pure_header("#include <boost/system/result.hpp>"),
     [("src/api/view.hpp:3", "causes, not error codes")]),
    ("third_parties_stay_behind_their_folder", {"certs/source.hpp": HEADER + "#include <boost/beast/http.hpp>\n"},
     [("certs/source.hpp:3", "Beast")]),
    ("third_parties_stay_behind_their_folder", {"src/server/server.hpp": HEADER + "#include <spdlog/spdlog.h>\n"},
     [("src/server/server.hpp:3", "spdlog")]),
    ("third_parties_stay_behind_their_folder", {"src/main/webhook_main.cpp": "#include <spdlog/spdlog.h>\n"},
     [("src/main/webhook_main.cpp:1", "runtime::Logger")]),
    ("third_parties_stay_behind_their_folder", {"src/server/server.hpp": HEADER + "#include <prometheus/counter.h>\n"},
     [("src/server/server.hpp:3", "prometheus-cpp")]),
    ("third_parties_stay_behind_their_folder", in_pure_header("#include <unistd.h>"),
     [("src/api/view.hpp:3", "is pure")]),
    ("third_parties_stay_behind_their_folder", in_pure_header("#include <sys/socket.h>"),
     [("src/api/view.hpp:3", "is pure")]),
    ("third_parties_stay_behind_their_folder", {"src/runtime/log.hpp": HEADER + "#include <absl/strings/str_cat.h>\n"},
     [("src/runtime/log.hpp:3", "in no row")]),
    # Banned code.
    ("banned_code_is_absent", {"src/runtime/log.hpp": HEADER + "auto f() { co_await wait(a ? b : c); }\n"},
     [("src/runtime/log.hpp:3", "a ?: in an expression with co_await is banned here: put what it chooses into")]),
    ("banned_code_is_absent", {"src/runtime/log.hpp": HEADER + "auto f() {\n  const auto x =\n      a ? co_await b() :\n        c;\n}\n"},
     [("src/runtime/log.hpp:5", "a ?: in an expression with co_await")]),
    ("banned_code_is_absent", {"src/runtime/log.hpp": HEADER + "auto f() { co_await g(Options{.n = a ? b : c}); }\n"},
     [("src/runtime/log.hpp:3", "a ?: in an expression with co_await")]),
    ("banned_code_is_absent", in_pure_header("inline std::regex pattern;"), [("src/api/view.hpp:3", "RE2")]),
    ("banned_code_is_absent", {"tests/json/value_test.cpp": "void f() { std::this_thread::sleep_for(1s); }\n"},
     [("tests/json/value_test.cpp:1", "a sleep")]),
    ("banned_code_is_absent", {"src/server/server.hpp": HEADER + "inline auto x = std::getenv(\"HOME\");\n"},
     [("src/server/server.hpp:3", "getenv")]),
    ("banned_code_is_absent", in_pure_header("#include <map>\nstd::map<int, int> m;"),
     [("src/api/view.hpp:3", "std::vector"), ("src/api/view.hpp:4", "std::vector")]),
    ("banned_code_is_absent", in_pure_header("std::unordered_map<int, int> m;"), [("src/api/view.hpp:3", "container")]),
    ("banned_code_is_absent", in_pure_header("std::mutex m;"), [("src/api/view.hpp:3", "a lock")]),
    ("banned_code_is_absent", in_pure_header("auto t = std::chrono::system_clock::now();"),
     [("src/api/view.hpp:3", "a clock")]),
    ("banned_code_is_absent", in_pure_header("auto t = time(nullptr);"), [("src/api/view.hpp:3", "a clock")]),
    ("banned_code_is_absent", in_pure_header("bool f(G g) { return g == OperatorGeneration::kLater; }"),
     [("src/api/view.hpp:3", "generation")]),
    ("banned_code_is_absent", in_pure_header("int r = rand();"), [("src/api/view.hpp:3", "rand()")]),
    ("banned_code_is_absent", in_pure_header('void f() { printf("x"); }'), [("src/api/view.hpp:3", "printing")]),
    ("banned_code_is_absent", {"src/server/server.hpp": HEADER + "inline void f() { std::exit(1); }\n"},
     [("src/server/server.hpp:3", "src/main decides")]),
    ("banned_code_is_absent", in_pure_header("using namespace std;"), [("src/api/view.hpp:3", "using namespace")]),
    ("banned_code_is_absent", in_pure_header("/* a\n   comment */ std::regex r;"), [("src/api/view.hpp:4", "RE2")]),
    ("banned_code_is_absent", in_pure_header('auto a = "//"; std::regex r;'), [("src/api/view.hpp:3", "RE2")]),
    ("banned_code_is_absent", in_pure_header("int n = 1'000; std::regex r; char c = '\\'';"),
     [("src/api/view.hpp:3", "RE2")]),
    # Text.
    ("nothing_silences_lint_or_names_a_machine", in_pure_header("int X;  // NOLINT"), [("src/api/view.hpp:3", "clang-tidy")]),
    ("nothing_silences_lint_or_names_a_machine", {"docs/page.md": "Look into /home/ann/tree.\n"},
     [("docs/page.md:1", "path of one machine")]),
    ("nothing_silences_lint_or_names_a_machine", {"run_it": "#!/bin/sh\ncd /root/tree\n"}, [("run_it:2", "path of one machine")]),
    # Headers.
    ("headers_explain_their_purpose", {PURE: "// A header that says what it is for.\n"}, [("src/api/view.hpp:1", "#pragma once")]),
    ("headers_explain_their_purpose", {PURE: "#pragma once\n\n#include <vector>\n"}, [("src/api/view.hpp:1", "what it is for")]),
    ("headers_explain_their_purpose", {PURE: "#include <vector>\n" + HEADER},
     [("src/api/view.hpp:1", "what it is for"), ("src/api/view.hpp:1", "before any other code")]),
    ("sources_include_their_header_first", {"src/json/value.cpp": '#include <vector>\n#include "json/value.hpp"\n'},
     [("src/json/value.cpp:1", '"json/value.hpp"')]),
    ("sources_include_their_header_first", {"certs/source.cpp": "int x;\n", "certs/CMakeLists.txt": "x(source.cpp)\n"},
     [("certs/source.cpp:1", '"certs/source.hpp"')]),
    # Sizes and names.
    ("files_are_short_and_well_named", {"src/json/value.cpp": "//\n" * 801}, [("src/json/value.cpp:801", "801 lines")]),
    ("files_are_short_and_well_named", {"run_it": "#!/bin/sh\n" * 801}, [("run_it:801", "801 lines")]),
    ("files_are_short_and_well_named", {"src/json/BigValue.cpp": ""}, [("src/json/BigValue.cpp:1", "snake_case")]),
    ("files_are_short_and_well_named", {"src/json/old.h": ""}, [("src/json/old.h:1", "rename it")]),
    ("test_names_have_one_style", {"tests/json/value_test.cpp": "\nTEST_F(Value, reads_it) {}\nTEST(\n    Value, Works) {}\n"},
     [("tests/json/value_test.cpp:2", "must be PascalCase, as GoogleTest's own rules ask for; found reads_it")]),
    ("test_names_have_one_style", {"tests/x_test.py": "class Some:\n    def testThis(self):\n        pass\n"},
     [("tests/x_test.py:2", "snake_case behind test_; found testThis")]),
    ("test_names_have_one_style", {"tests/CMakeLists.txt": "add_test(NAME deploy.Charts COMMAND x)\nadd_test(NAME charts COMMAND x)\n"},
     [("tests/CMakeLists.txt:1", "found deploy.Charts"), ("tests/CMakeLists.txt:2", "found charts")]),
    ("files_are_short_and_well_named", {"tests/json/values.cpp": "TEST(Value, reads) {}\n"},
     [("tests/json/values.cpp:1", "*_test.cpp")]),
    ("folders_are_known", {"helpers/a.py": "\n"}, [("helpers/a.py:1", "helpers/ is in no table")]),
    ("folders_are_known", {"src/util/a.hpp": HEADER}, [("src/util/a.hpp:1", "src/util/ is in no table")]),
    # CMake.
    # Table and links.
    ("the_architecture_shows_the_directions", {"ARCHITECTURE.md": "Text.\n"}, [("ARCHITECTURE.md:1", "--directions")]),
    ("the_architecture_shows_the_directions",
     {"ARCHITECTURE.md": "Text.\n\n<!-- directions: from tests/layering/rules.py -->\n<!-- end of directions -->\n"},
     [("ARCHITECTURE.md:4", "--directions")]),
    ("links_follow_the_directions",
     {"src/json/CMakeLists.txt": "# first\nadd_library(json value.cpp)\ntarget(json)\n"
                                 "dynamo_library(other\n  SOURCES value.cpp\n  PRIVATE_LINKS server)\n"},
     [("src/json/CMakeLists.txt:4", "other may not link server of src/server/")]),
    ("links_follow_the_directions",
     {"src/json/CMakeLists.txt": "add_library(json-first value.cpp server)\nadd_library(json-second value.cpp)\n"},
     [("src/json/CMakeLists.txt:1", "json-first may not link server")]),
    ("programs_link_no_foreign_folder",
     {"src/doctor/CMakeLists.txt": "dynamo_library(doctor)\n",
      "src/webhook/CMakeLists.txt": "dynamo_library(hook PRIVATE_LINKS doctor)\n",
      "src/main/CMakeLists.txt": "dynamo_executable(docs)\ndynamo_executable(dynamo-webhook\n  LINKS hook)\n"
                                 "add_executable(webhook\n  webhook_main.cpp)\n"},
     [("src/main/CMakeLists.txt:2", "dynamo-webhook links doctor of src/doctor/, directly or through others")]),
    ("sources_are_listed_in_cmake", {"src/json/pointer.cpp": ""}, [("src/json/pointer.cpp:1", "never built")]),
    ("sources_are_listed_in_cmake", {"src/json/CMakeLists.txt": "# value.cpp\nadd_library(json my_value.cpp)\n"},
     [("src/json/value.cpp:1", "never built")]),
]

# Valid code that resembles a breach.
FINE = [
    ("rooms_follow_their_order",
     {"src/kube/object/object.hpp": HEADER, "src/kube/cache/store.hpp": HEADER + '#include "kube/object/object.hpp"\n',
      "src/cli/cluster/diff.hpp": HEADER + '#include "kube/cache/store.hpp"\n#include <boost/asio/io_context.hpp>\n'}),
    ("programs_link_no_foreign_folder",
     {"src/doctor/CMakeLists.txt": "dynamo_library(doctor)\n",
      "src/main/CMakeLists.txt": "dynamo_executable(kubectl-dynamo LINKS doctor)\nadd_executable(webhook\n  webhook_main.cpp)\n"}),
    ("banned_code_is_absent", in_pure_header("// std::regex is banned; so is rand().")),
    ("banned_code_is_absent", in_pure_header('constexpr auto kText = "std::regex /* rand() ";')),
    ("banned_code_is_absent", {"src/runtime/log.hpp": HEADER + "// co_await a ? b : c\n"
                               "auto f() { const int n = a ? b : c; co_await wait(n); return a ? b : c; }\n"
                               "auto g() { if (a ? b : c) { co_await wait(n); } }\n"}),
    ("banned_code_is_absent", in_pure_header('constexpr auto kText = R"x(a " std::regex)x";')),
    ("banned_code_is_absent", in_pure_header("int operand(); int f() { return operand(); }")),
    ("banned_code_is_absent", in_pure_header("int f(char* b) { return std::snprintf(b, 1, kText); }")),
    ("banned_code_is_absent", {"src/runtime/log.hpp": HEADER + "std::mutex m;\n"}),
    ("banned_code_is_absent", {"src/json/yaml_read.cpp": "std::set<int> seen;\n"}),
    ("nothing_silences_lint_or_names_a_machine", {"docs/page.md": "As in https://example.com/work/page or ./work/x.\n"}),
    ("nothing_silences_lint_or_names_a_machine", {"deploy/pod.yaml": "mountPath: /root/.cache\n"}),
    ("nothing_silences_lint_or_names_a_machine", {"docs/page.md": "{mountPoint: /root/.cache/vllm}\n"}),
    ("test_names_have_one_style", {"tests/CMakeLists.txt": 'add_test(NAME "${name}" COMMAND x)\nadd_test(NAME ${LABEL}.a_${what}_is_b COMMAND x)\n'}),
    ("files_are_short_and_well_named", {"src/json/value.cpp": "//\n" * 800}),
    ("headers_explain_their_purpose", {PURE: "// A long purpose\n// of several lines\n//\n// is fine.\n\n#pragma once\n"}),
    ("files_are_short_and_well_named", {"bench/copy.go": "// Code generated by x. DO NOT EDIT.\n" + "//\n" * 900}),
    ("sources_are_listed_in_cmake", {"tests/support/new.cpp": "", "bench/CMakeLists.txt": "x(../tests/support/new.cpp)\n"}),
    ("sources_are_listed_in_cmake",
     {"fuzz/main.cpp": "", "cmake/x.cmake": 'add_executable(x "${CMAKE_SOURCE_DIR}/fuzz/main.cpp")\n'}),
    ("third_parties_stay_behind_their_folder", {"src/server/server.hpp": HEADER + "#include <sys/socket.h>\n"}),
    ("third_parties_stay_behind_their_folder", {"src/json/value.cpp": "// #include <yaml-other/x.h>\n"}),
]


class CheckTreeTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def write(self, files):
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def breaches(self, promise, change):
        for path in sorted(self.root.rglob("*"), reverse=True):
            path.unlink() if path.is_file() else path.rmdir()
        self.write(GOOD_TREE | change)
        return sorted(check_tree.PROMISES[promise](check_tree.Tree(self.root)))

    def test_good_tree_keeps_every_promise(self):
        for promise in check_tree.PROMISES:
            with self.subTest(promise):
                self.assertEqual(self.breaches(promise, {}), [])

    def test_each_breach_is_reported_with_line_and_fix(self):
        for promise, change, expected in BAD:
            with self.subTest(promise, change=change):
                found = [str(breach) for breach in self.breaches(promise, change)]
                self.assertEqual(len(found), len(expected), found)
                for text, (place, words) in zip(found, expected):
                    self.assertTrue(text.startswith(place + ": "), text)
                    self.assertIn(words, text)

    def test_valid_code_like_a_breach_is_accepted(self):
        for promise, change in FINE:
            with self.subTest(promise, change=change):
                self.assertEqual(self.breaches(promise, change), [])

    def test_every_promise_has_a_bad_case(self):
        self.assertEqual({promise for promise, _, _ in BAD}, set(check_tree.PROMISES))

    def test_every_library_folder_has_a_direction(self):
        for folder, allowed in check_tree.rules.MAY_INCLUDE.items():
            for target in allowed - {folder}:
                with self.subTest(f"{folder} -> {target}"):
                    self.assertNotIn(folder, check_tree.rules.MAY_INCLUDE[target], "an arrow turned back")


if __name__ == "__main__":
    unittest.main()
