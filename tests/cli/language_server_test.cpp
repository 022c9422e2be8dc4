// The language server: its responses, and its robustness.
#include "cli/editor/language_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cli/commands/commands.hpp"
#include "cli/editor/field_info.hpp"
#include "cli/editor/framing.hpp"
#include "cli/editor/outline.hpp"
#include "cli/editor/positions.hpp"
#include "cli/formats/uri.hpp"
#include "json/writer.hpp"
#include "tests/cli/fixing.hpp"
#include "tests/cli/workspace.hpp"
#include "tests/support/sanitizers.hpp"

namespace dynamo::cli {
namespace {

using test::graph_of;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr std::string_view kUri = "file:///a.yaml";

std::string in_json(std::string_view text) {
  std::string out;
  json::append_quoted(out, text);
  return out;
}

class Server : public testing::Test {
 protected:
  Server()
      : found_(std::make_shared<DocumentValidator>(
            std::get<EvaluationOptions>(read_evaluation_options(Options{})),
            std::get<FindingFilter>(FindingFilter::of(Options{})))),
        server_([this](std::string_view) { return found_; }) {}

  std::vector<std::string> request(std::string_view method, const std::string& params) {
    return server_.take(R"({"jsonrpc":"2.0","id":7,"method":)" + in_json(method) +
                        ",\"params\":" + params + "}");
  }
  std::vector<std::string> notify(std::string_view method, const std::string& params) {
    return server_.take(R"({"jsonrpc":"2.0","method":)" + in_json(method) +
                        ",\"params\":" + params + "}");
  }
  std::vector<std::string> open(std::string_view text, std::string_view uri = kUri) {
    return notify("textDocument/didOpen", R"({"textDocument":{"uri":)" + in_json(uri) +
                                              R"(,"version":3,"text":)" + in_json(text) + "}}");
  }
  static std::string at(unsigned line, unsigned column) {
    return R"({"textDocument":{"uri":"file:///a.yaml"},"position":{"line":)" +
           std::to_string(line) + ",\"character\":" + std::to_string(column) + "}}";
  }

  FoundValidator found_;
  LanguageServer server_;
};

class StartedServer : public Server {
 protected:
  StartedServer() { request("initialize", "{}"); }
};

TEST_F(Server, MustBeInitializedExactlyOnce) {
  EXPECT_THAT(request("textDocument/hover", at(0, 0)), ElementsAre(HasSubstr("-32002")));
  EXPECT_THAT(open("a: b"), IsEmpty());
  EXPECT_THAT(request("initialize", "{}"),
              ElementsAre(testing::AllOf(HasSubstr(R"("id":7,"result":{"capabilities":)"),
                                         HasSubstr(R"("change":1)"))));
  EXPECT_THAT(request("initialize", "{}"), ElementsAre(HasSubstr("-32600")));
  EXPECT_THAT(notify("initialized", "{}"), IsEmpty());
}

TEST_F(Server, ExitCodeIsZeroOnlyAfterShutdown) {
  request("initialize", "{}");
  EXPECT_FALSE(server_.exit_code());
  EXPECT_THAT(request("shutdown", "null"), ElementsAre(HasSubstr(R"("result":null)")));
  EXPECT_THAT(request("shutdown", "null"), ElementsAre(HasSubstr("-32600")));
  notify("exit", "null");
  EXPECT_EQ(server_.exit_code(), 0);
  LanguageServer other([this](std::string_view) { return found_; });
  other.take(R"({"jsonrpc":"2.0","method":"exit"})");
  EXPECT_EQ(other.exit_code(), 1);
}

TEST_F(StartedServer, PublishesDiagnostics) {
  const auto found = open(graph_of("      replica: 2\n", false));
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found.front(), HasSubstr(R"("uri":"file:///a.yaml","version":3)"));
  EXPECT_THAT(
      found.front(),
      HasSubstr(R"({"range":{"start":{"line":7,"character":6},"end":{"line":7,"character":13}},)"
                R"("severity":1,"code":"schema.unknown-field","source":"dynamo",)"
                R"("message":"spec.services[Frontend].replica: )"));
}

TEST_F(StartedServer, CountsColumnsInUtf16) {
  const auto found = open(graph_of("      labels: {\"\xF0\x9F\x98\x80k\xC3\xA4\": \"a\", b: 1}\n"));
  ASSERT_THAT(found, SizeIs(1));
  // 6 + `labels: {"` + two units + `kä` + `": "a", b: `
  EXPECT_THAT(found.front(), HasSubstr(R"("start":{"line":8,"character":31})"));
}

TEST_F(StartedServer, ReportsUnreadableDocuments) {
  EXPECT_THAT(open("apiVersion: nvidia.com/v1alpha1\nkind: [\n"),
              ElementsAre(HasSubstr(R"("severity":1,"source":"dynamo")")));
  EXPECT_THAT(open("a: {{ .b }}\n"), ElementsAre(HasSubstr(R"("diagnostics":[])")));
}

TEST_F(StartedServer, ReportsObjectsItDoesNotValidate) {
  EXPECT_THAT(
      open("apiVersion: nvidia.com/v1beta2\nkind: DynamoGraphDeployment\n"),
      ElementsAre(testing::AllOf(
          HasSubstr(
              R"({"range":{"start":{"line":0,"character":12},"end":{"line":0,"character":30}},)"
              R"("severity":3,"source":"dynamo","message":"not validated: DynamoGraphDeployment )"),
          HasSubstr("is of an API version that this release does not validate"))));
  EXPECT_THAT(open("apiVersion: nvidia.com/v1alpha1\nkind: DynamoModel\n{{ if .x }}\nspec: {}\n"),
              ElementsAre(testing::AllOf(HasSubstr(R"("severity":3)"),
                                         HasSubstr("not validated: this is a template"),
                                         Not(HasSubstr(R"("severity":1)")))));
  EXPECT_THAT(open(graph_of("      replicas: ${COUNT}\n", false)),
              ElementsAre(testing::AllOf(HasSubstr(R"("severity":3)"), HasSubstr("envsubst"),
                                         Not(HasSubstr(R"("severity":1)")))));
  for (const std::string_view other :
       {"apiVersion: apps/v1\nkind: Deployment\n", "- hosts: all\n  x: {{ y }}\n", "a: 1\n"}) {
    EXPECT_THAT(open(other), ElementsAre(HasSubstr(R"("diagnostics":[])"))) << other;
  }
}

TEST_F(StartedServer, FollowsChangesAndClearsClosedDocuments) {
  open(graph_of(""));
  const auto changed =
      notify("textDocument/didChange",
             R"({"textDocument":{"uri":"file:///a.yaml","version":4},"contentChanges":[{"text":)" +
                 in_json(graph_of("      replica: 2\n", false)) + "}]}");
  EXPECT_THAT(changed, ElementsAre(testing::AllOf(HasSubstr("schema.unknown-field"),
                                                  HasSubstr(R"("version":4)"))));
  EXPECT_THAT(notify("textDocument/didClose", R"({"textDocument":{"uri":"file:///a.yaml"}})"),
              ElementsAre(HasSubstr(R"("diagnostics":[])")));
  EXPECT_THAT(request("textDocument/hover", at(7, 8)), ElementsAre(HasSubstr(R"("result":null)")));
}

TEST_F(StartedServer, ValidatesSkippedDocumentsOnceSpaceIsFree) {
  const auto change = [this](std::string_view text, std::string_view uri) {
    return notify("textDocument/didChange", R"({"textDocument":{"uri":)" + in_json(uri) +
                                                R"(,"version":4},"contentChanges":[{"text":)" +
                                                in_json(text) + "}]}");
  };
  const std::string bad = graph_of("      replica: 2\n", false);
  open(graph_of(""));
  EXPECT_THAT(change(std::string(kLongestOpenDocument + 1, ' '), kUri),
              Contains(HasSubstr("a file above 4 MiB is not validated")));
  EXPECT_THAT(change(std::string(kLongestOpenDocument + 1, ' '), kUri),
              Not(Contains(HasSubstr("a file above 4 MiB"))))
      << "it is reported once";
  EXPECT_THAT(change(bad, kUri), ElementsAre(HasSubstr("schema.unknown-field")));
  for (std::size_t i = 1; i < kMaxOpenDocuments; ++i)
    open("a: 1\n", "file:///" + std::to_string(i));
  EXPECT_THAT(open(bad, "file:///more"), ElementsAre(HasSubstr("256 files are open")));
  EXPECT_THAT(change(bad, "file:///more"), IsEmpty());
  notify("textDocument/didClose", R"({"textDocument":{"uri":"file:///1"}})");
  EXPECT_THAT(change(bad, "file:///more"), ElementsAre(HasSubstr("schema.unknown-field")));
  EXPECT_THAT(change(bad, "file:///never-opened"), IsEmpty());
}

TEST_F(StartedServer, OffersFixesAfterAByteOrderMark) {
  open(
      "\xEF\xBB\xBF{\"apiVersion\":\"nvidia.com/"
      "v1alpha1\",\"kind\":\"DynamoModel\",\"metadata\":{\"name\":"
      "\"a\"},\"spec\":{\"modelName\":\"a\",\"baseModelName\":\"a\",\"modelTyp\":\"base\"}}\n");
  const std::string offered =
      request(
          "textDocument/codeAction",
          R"({"textDocument":{"uri":"file:///a.yaml"},"range":{"start":{"line":0,"character":0},)"
          R"("end":{"line":0,"character":0}},"context":{"diagnostics":[]}})")
          .front();
  // The mark is one character.
  EXPECT_THAT(
      offered,
      HasSubstr(
          R"("start":{"line":0,"character":127},"end":{"line":0,"character":135}},"newText":"modelType")"));
  EXPECT_THAT(
      offered,
      HasSubstr(
          R"("start":{"line":0,"character":126},"end":{"line":0,"character":136}},"severity":1)"));
}

TEST_F(StartedServer, SurvivesManyByteOrderMarks) {
  std::string marks;
  while (marks.size() < kLongestOpenDocument - 3) marks += "\xEF\xBB\xBF";
  EXPECT_THAT(open(marks), SizeIs(1));
  EXPECT_THAT(request("textDocument/hover", at(0, 1)), SizeIs(1));
  EXPECT_EQ(std::get<std::shared_ptr<DocumentValidator>>(found_)->fixer().fix(marks, "a.yaml").text,
            marks);
}

TEST_F(StartedServer, OffersFixesForSelectedLines) {
  open(graph_of("      replica: 2\n      envs: [{name: A, value: 1}]\n", false));
  const auto of_line = [&](unsigned line) {
    const std::string where = R"({"line":)" + std::to_string(line) + R"(,"character":0})";
    return request("textDocument/codeAction",
                   R"({"textDocument":{"uri":"file:///a.yaml"},"range":{"start":)" + where +
                       ",\"end\":" + where + R"(},"context":{"diagnostics":[]}})")
        .front();
  };
  EXPECT_THAT(of_line(7), HasSubstr(R"("newText":"replicas")"));
  EXPECT_THAT(of_line(7), HasSubstr(R"("isPreferred":true)"));
  EXPECT_THAT(of_line(7), Not(HasSubstr(R"("newText":"\"1\"")")));
  EXPECT_THAT(of_line(8), HasSubstr(R"("newText":"\"1\"")"));
  EXPECT_THAT(of_line(0), HasSubstr(R"("result":[])"));
  EXPECT_THAT(
      request("textDocument/codeAction",
              R"({"textDocument":{"uri":"file:///a.yaml"},"context":{"only":["source.fixAll"]}})")
          .front(),
      testing::AllOf(HasSubstr("      replicas: 2\\n      envs: [{name: A, value: \\\"1\\\"}]"),
                     Not(HasSubstr("quickfix"))));
}

TEST_F(StartedServer, HoverDescribesTheField) {
  open(graph_of("      envs: [{name: A, value: 1}]\n"));
  EXPECT_THAT(request("textDocument/hover", at(7, 8)).front(),
              testing::AllOf(HasSubstr("**replicas**: an integer"), HasSubstr("Number of replicas"),
                             HasSubstr(R"("start":{"line":7,"character":6})")));
  EXPECT_THAT(request("textDocument/hover", at(8, 30)).front(),
              testing::AllOf(HasSubstr("**value**"), HasSubstr("`schema.type`: ")));
  EXPECT_THAT(request("textDocument/hover", at(700, 1)).front(), HasSubstr(R"("result":null)"));
}

TEST_F(StartedServer, CompletesNamesAndValues) {
  open(graph_of(
      "      envs:\n      - name: A\n        \n      \n    B:\n      sharedMemory:\n        "
      "disabled: \n",
      true, "  backendFramework: \n"));
  const auto labels = [&](unsigned line, unsigned column) {
    return request("textDocument/completion", at(line, column)).front();
  };
  EXPECT_THAT(labels(5, 20), HasSubstr(R"("label":"trtllm","kind":20)"));
  EXPECT_THAT(labels(11, 8),
              HasSubstr(R"("label":"valueFrom","kind":10,"insertText":"valueFrom:")"));
  EXPECT_THAT(labels(12, 6), HasSubstr(R"("label":"componentType","kind":10)"));
  EXPECT_THAT(labels(15, 18), HasSubstr(R"("label":"true")"));
  EXPECT_THAT(labels(0, 12),
              testing::AllOf(HasSubstr("nvidia.com/v1alpha1"), HasSubstr("nvidia.com/v1beta1")));
  EXPECT_THAT(labels(1, 6), HasSubstr("DynamoModel"));
}

TEST_F(StartedServer, OffersValuesOfPodFields) {
  open(
      graph_of("      extraPodSpec:\n        tolerations:\n        - operator: \n"
               "        mainContainer:\n          imagePullPolicy: Allways\n"));
  EXPECT_THAT(request("textDocument/completion", at(10, 20)).front(),
              testing::AllOf(HasSubstr(R"("label":"Exists","kind":20)"), Not(HasSubstr("Gt"))));
  EXPECT_THAT(request("textDocument/completion", at(12, 27)).front(),
              HasSubstr(R"("label":"IfNotPresent","kind":20)"));
  EXPECT_THAT(request("textDocument/hover", at(12, 14)).front(),
              HasSubstr(R"(one of \"Always\", \"IfNotPresent\", \"Never\")"));
  EXPECT_THAT(request("textDocument/codeAction",
                      R"({"textDocument":{"uri":"file:///a.yaml"},"range":{"start":{"line":12,)"
                      R"("character":0},"end":{"line":12,"character":40}},"context":{}})")
                  .front(),
              testing::AllOf(HasSubstr(R"(write \"Always\")"), HasSubstr(R"("newText":"Always")")));
}

TEST_F(StartedServer, OffersValuesOfPodFieldsOfV1beta1) {
  open(
      "apiVersion: nvidia.com/v1beta1\nkind: DynamoGraphDeployment\nmetadata: {name: a}\nspec:\n"
      "  components:\n  - name: A\n    podTemplate:\n      spec:\n        containers:\n"
      "        - name: main\n          image: a:1.5.0\n          imagePullPolicy: Allways\n");
  EXPECT_THAT(request("textDocument/completion", at(11, 27)).front(),
              HasSubstr(R"("label":"IfNotPresent","kind":20)"));
  EXPECT_THAT(request("textDocument/hover", at(11, 14)).front(),
              HasSubstr(R"(one of \"Always\", \"IfNotPresent\", \"Never\")"));
}

TEST_F(StartedServer, OffersValuesOfOpenVocabularies) {
  open(graph_of("    B:\n      componentType: worker\n", true,
                "  pvcs:\n  - name: a\n    create: true\n    volumeAccessMode: \n"));
  EXPECT_THAT(request("textDocument/completion", at(8, 22)).front(),
              HasSubstr(R"("label":"ReadWriteMany","kind":20)"));
  EXPECT_THAT(
      request("textDocument/completion", at(13, 21)).front(),
      testing::AllOf(HasSubstr(R"("label":"prefill","kind":20)"), Not(HasSubstr("router"))));
  EXPECT_THAT(request("textDocument/hover", at(13, 8)).front(),
              HasSubstr(R"(, such as \"frontend\", \"worker\",)"));
}

TEST_F(StartedServer, EnforcesItsLimits) {
  const std::string long_text(kLongestOpenDocument + 1, ' ');
  EXPECT_THAT(open(long_text), Contains(HasSubstr("above 4 MiB")));
  for (std::size_t i = 0; i < kMaxOpenDocuments; ++i) open("a: b", "file:///" + std::to_string(i));
  EXPECT_THAT(open("a: b", "file:///more"), ElementsAre(HasSubstr("256 files are open")));
  EXPECT_THAT(open("a: b", "file:///0"), ElementsAre(HasSubstr("publishDiagnostics")));
}

TEST_F(StartedServer, RejectsUnknownRequests) {
  EXPECT_THAT(request("workspace/symbol", "{}"), ElementsAre(HasSubstr("-32601")));
  EXPECT_THAT(notify("$/cancelRequest", "{}"), IsEmpty());
  EXPECT_THAT(server_.take("{"), ElementsAre(HasSubstr("-32700")));
  EXPECT_THAT(server_.take(""), ElementsAre(HasSubstr("-32700")));
  EXPECT_THAT(server_.take("[]"), ElementsAre(HasSubstr("-32600")));
  EXPECT_THAT(server_.take(R"({"jsonrpc":"2.0","id":1,"result":null})"), IsEmpty());
}

TEST_F(StartedServer, SurvivesArbitraryMessages) {
  const std::vector<std::string_view> methods{"textDocument/didOpen", "textDocument/didChange",
                                              "textDocument/hover", "textDocument/completion",
                                              "textDocument/codeAction"};
  const std::vector<std::string_view> params{
      "null",
      "[]",
      "7",
      R"({"textDocument":null})",
      R"({"textDocument":{"uri":[],"text":{}}})",
      R"({"textDocument":{"uri":"file:///a.yaml"},"contentChanges":[null,{"text":7}]})",
      R"({"textDocument":{"uri":"file:///a.yaml"},"position":{"line":-1,"character":1e300}})",
      R"({"textDocument":{"uri":"file:///a.yaml"},"position":{"line":99999999999,"character":9}})",
      R"({"textDocument":{"uri":"file:///a.yaml"},"range":{"start":[],"end":{"line":{}}},"context":7})"};
  open(graph_of(""));
  for (const std::string_view method : methods) {
    for (const std::string_view each : params) {
      request(method, std::string(each));
      notify(method, std::string(each));
    }
  }
  constexpr std::uint32_t kSeeds = test::played(std::uint32_t{60});
  const std::string good =
      graph_of("      replica: \"2\"\n      envs: [{name: A, value: 1}]\n", false);
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    std::mt19937 random(seed);
    std::string text = good;
    for (int i = 0; i < 4; ++i) text[random() % text.size()] = static_cast<char>(random() % 128);
    open(text);
    for (int i = 0; i < 4; ++i) {
      const auto line = static_cast<unsigned>(random() % 12);
      const auto column = static_cast<unsigned>(random() % 40);
      EXPECT_THAT(request("textDocument/hover", at(line, column)), SizeIs(1));
      EXPECT_THAT(request("textDocument/completion", at(line, column)), SizeIs(1));
    }
    EXPECT_THAT(request("textDocument/codeAction", at(0, 0)), SizeIs(1));
  }
}

// --- The stream
// ----------------------------------------------------------------------------------------

std::string framed(std::string_view body) {
  return "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

TEST(Framing, ReadsConsecutiveMessages) {
  std::istringstream in("content-LENGTH:  2 \r\nContent-Type: x\r\n\r\n{}" + framed("") +
                        framed("ab"));
  EXPECT_EQ(std::get<std::string>(read_message(in)), "{}");
  EXPECT_EQ(std::get<std::string>(read_message(in)), "");
  EXPECT_EQ(std::get<std::string>(read_message(in)), "ab");
  EXPECT_TRUE(std::holds_alternative<EndOfMessages>(read_message(in)));
}

TEST(Framing, RefusesInvalidFraming) {
  for (const std::string& text :
       {std::string("\r\n"), std::string("Content-Length: x\r\n\r\n"),
        std::string("Content-Length: -1\r\n\r\n"),
        std::string("Content-Length: 99999999999999\r\n\r\n"),
        std::string("Content-Length: 5\r\n\r\nab"), std::string("Content-Length: 5"),
        std::string(2000, 'a'), "A: b\r\n" + std::string(4000, '\n')}) {
    std::istringstream in(text);
    EXPECT_TRUE(std::holds_alternative<FramingFault>(read_message(in))) << text.substr(0, 40);
  }
}

TEST(Framing, SkipsLongMessages) {
  std::istringstream in(framed(std::string(kLongestMessage + 1, ' ')) + framed("{}"));
  EXPECT_EQ(std::get<std::string>(read_message(in)), "");
  EXPECT_EQ(std::get<std::string>(read_message(in)), "{}");
}

TEST(Lsp, IsACommand) {
  std::istringstream in(framed(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{}})") +
                        framed(R"({"jsonrpc":"2.0","id":2,"method":"shutdown"})") +
                        framed(R"({"jsonrpc":"2.0","method":"exit"})"));
  std::ostringstream out;
  std::ostringstream err;
  Streams streams{in, out, err};
  Options options;
  options.command = Command::kLsp;
  options.config_file = "none";
  EXPECT_EQ(run(options, streams), 0);
  EXPECT_THAT(out.str(), HasSubstr("Content-Length: "));
  EXPECT_THAT(err.str(), IsEmpty());
  std::istringstream broken("nonsense\r\n\r\n");
  Streams other{broken, out, err};
  EXPECT_EQ(run(options, other), kExitUnusable);
  EXPECT_THAT(err.str(), HasSubstr("must have a header Content-Length"));
}

std::string opened(const std::string& file, std::string_view text) {
  return framed(
      R"({"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":)" +
      in_json(uri_of(file)) + R"(,"version":1,"text":)" + in_json(text) + "}}}");
}

TEST(Lsp, RefusesInvalidCommandLine) {
  const test::Workspace workspace;
  EXPECT_EQ(workspace.run({"lsp", "--config", "none", "--skip", "pod.imag"}).code, kExitUnusable);
  EXPECT_EQ(workspace.run({"lsp", "--config", "@/nothing.yaml"}).code, kExitUnusable);
  workspace.write("wrong.yaml", "pathwy: lws\n");
  const test::RunResult ran = workspace.run({"lsp", "--config", "@/wrong.yaml"});
  EXPECT_EQ(ran.code, kExitUnusable);
  EXPECT_THAT(ran.err, HasSubstr("wrong.yaml:1:1: error: there is no option"));
}

TEST(Lsp, UsesTheNearestConfigurationPerDocument) {
  const test::Workspace workspace;
  workspace.write(".git/HEAD", "");
  workspace.write("late r/.dynamo-admission.yaml", "operator-generation: later\n");
  workspace.write("wrong/.dynamo-admission.yaml", "pathwy: lws\n");
  workspace.write("kustomization.yaml", "patches: [{path: patches/d.yaml}]\n");
  const std::string graph = graph_of("      gpuMemoryService: {enabled: true}\n");
  std::istringstream in(
      framed(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{}})") +
      opened(workspace.path("late r/a.yaml"), graph) + opened(workspace.path("b.yaml"), graph) +
      opened(workspace.path("wrong/c.yaml"), graph) + opened("untitled", "a: 1\n") +
      opened(workspace.path("wrong/e.yaml"), "kind: Deployment\n") +
      opened(workspace.path("patches/d.yaml"), graph) +
      framed(R"({"jsonrpc":"2.0","id":2,"method":"shutdown"})") +
      framed(R"({"jsonrpc":"2.0","method":"exit"})"));
  std::ostringstream out;
  std::ostringstream err;
  Streams streams{in, out, err};
  Options options;
  options.command = Command::kLsp;
  EXPECT_EQ(run(options, streams), 0) << err.str();
  std::vector<std::string> published;
  std::istringstream answers(out.str());
  for (auto read = read_message(answers); std::holds_alternative<std::string>(read);
       read = read_message(answers)) {
    const auto& text = std::get<std::string>(read);
    if (text.find("publishDiagnostics") != std::string::npos) published.push_back(text);
  }
  EXPECT_THAT(published,
              ElementsAre(Not(HasSubstr("schema.unknown-field")),
                          HasSubstr(R"("severity":2,"code":"schema.unknown-field")"),
                          testing::AllOf(HasSubstr(R"("severity":3)"), HasSubstr("not validated: "),
                                         HasSubstr("there is no option \\\"pathwy\\\"")),
                          HasSubstr(R"("diagnostics":[])"), HasSubstr(R"("diagnostics":[])"),
                          testing::AllOf(HasSubstr(R"("severity":3)"),
                                         HasSubstr("not validated: a kustomization names it"))));
}

TEST(Uri, ConvertsEditorUrisToFiles) {
  EXPECT_EQ(file_of("file:///a/b%20c%C3%A4.yaml"), "/a/b c\xC3\xA4.yaml");
  EXPECT_EQ(file_of("file://localhost/a.yaml"), "/a.yaml");
  EXPECT_EQ(file_of("file:///a%2"), "/a%2");
  EXPECT_EQ(file_of("file:///a%zz"), "/a%zz");
  for (const std::string_view none :
       {"untitled:1", "file://host/a.yaml", "", "file:", "file:///a%00b"}) {
    EXPECT_EQ(file_of(none), "") << none;
  }
}

// --- Outline

TEST(Outline, FindsThePathByIndentation) {
  const std::string text =
      "kind: K\nspec:\n  a:\n  - b: 1\n    c:\n      - - d: 2\n          e\n  f: {x: "
      "1}\n---\nkind: L\n  g: ";
  const Positions positions(text);
  const CursorContext deep = context_at(positions, {6, 11});
  EXPECT_EQ(deep.kind, "K");
  EXPECT_THAT(deep.path, ElementsAre("spec", "a", "[]", "c", "[]", "[]"));
  EXPECT_EQ(deep.key, "");
  const CursorContext value = context_at(positions, {3, 7});
  EXPECT_THAT(value.path, ElementsAre("spec", "a", "[]"));
  EXPECT_EQ(value.key, "b");
  EXPECT_EQ(context_at(positions, {10, 5}).kind, "L");
}

}  // namespace
}  // namespace dynamo::cli
