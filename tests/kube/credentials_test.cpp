#include "kube/config/credentials.hpp"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "kube/config/exec_plugin.hpp"
#include "tests/kube/transport_fixture.hpp"
#include "text/timestamp.hpp"

namespace dynamo::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

std::string authorization(const std::string& request) {
  constexpr std::string_view kName = "Authorization: Bearer ";
  const std::size_t at = request.find(kName);
  if (at == std::string::npos) return "none";
  const std::size_t begin = at + kName.size();
  return request.substr(begin, request.find("\r\n", begin) - begin);
}

// A zombie does not run: its parent may not have reaped it yet.
bool is_running(int process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string line;
  if (!std::getline(file, line)) return false;
  const std::size_t name_end = line.rfind(')');
  return name_end != std::string::npos && line.substr(name_end, 3) != ") Z";
}

// 200 for requests with this token, 401 for others.
Script accepting(std::shared_ptr<std::string> token) {
  return [token](Peer& peer) {
    for (;;) {
      const std::string request = peer.read_request();
      if (request.empty()) return;
      peer.send(answer(authorization(request) == *token ? 200 : 401, "{}"));
    }
  };
}

// ---- Tokens

class TokenTest : public TransportTest {
 protected:
  std::vector<std::string> tokens(const ScriptedServer& server) const {
    std::vector<std::string> result;
    for (const std::string& request : server.requests()) result.push_back(authorization(request));
    return result;
  }
  test::TempDirectory files_;
};

TEST_F(TokenTest, IsSent) {
  ScriptedServer server({answering(answer(200, "{}"))});
  config_.token = "abc";
  connect(server);
  ASSERT_TRUE(get());
  EXPECT_THAT(tokens(server), ElementsAre("abc"));
}

TEST_F(TokenTest, FileIsReadAgainAfterOneMinute) {
  ScriptedServer server({answering(answer(200, "{}"))});
  files_.write("token", "first\n");
  config_.token = "never";
  config_.token_file = files_.file("token");
  connect(server);
  ASSERT_TRUE(get());
  files_.write("token", "second\n");
  ASSERT_TRUE(get());
  clock_.tick(std::chrono::seconds(61));
  ASSERT_TRUE(get());
  EXPECT_THAT(tokens(server), ElementsAre("first", "first", "second"));
  EXPECT_EQ(server.connections(), 1);
}

TEST_F(TokenTest, FileIsReadAgainWhenTokenIsRefused) {
  const auto good = std::make_shared<std::string>("second");
  ScriptedServer server({accepting(good)});
  files_.write("token", "first");
  config_.token_file = files_.file("token");
  connect(server);
  EXPECT_EQ(get().value().status, 401);
  EXPECT_THAT(tokens(server), ElementsAre("first")) << "the same token is not sent twice";
  files_.write("token", "second");
  EXPECT_EQ(run(transport_->send(request(HttpMethod::kPost))).value().status, 200);
  EXPECT_THAT(tokens(server), ElementsAre("first", "first", "second"));
  EXPECT_EQ(server.connections(), 1);
}

TEST_F(TokenTest, RefusedRequestIsRepeatedOnlyOnce) {
  ScriptedServer server({answering(answer(401, "no"))});
  files_.write("token", "first");
  config_.token_file = files_.file("token");
  connect(server);
  ASSERT_TRUE(get());
  files_.write("token", "second");
  EXPECT_EQ(get().value().status, 401);
  EXPECT_THAT(tokens(server), ElementsAre("first", "first", "second"));
}

TEST_F(TokenTest, IsRenewedForStreams) {
  const auto good = std::make_shared<std::string>("second");
  ScriptedServer server({accepting(good)});
  files_.write("token", "first");
  config_.token_file = files_.file("token");
  connect(server);
  EXPECT_EQ(open().error().http_status, 401);
  files_.write("token", "second");
  EXPECT_TRUE(open());
}

TEST_F(TokenTest, StaysInUseWhenFileTurnsBad) {
  ScriptedServer server({answering(answer(200, "{}"))});
  files_.write("token", "first");
  config_.token_file = files_.file("token");
  connect(server);
  ASSERT_TRUE(get());
  files_.remove("token");
  for (int i = 0; i < 3; ++i) {
    clock_.tick(std::chrono::seconds(61));
    ASSERT_TRUE(get());
  }
  EXPECT_THAT(tokens(server), ElementsAre("first", "first", "first", "first"));
  ASSERT_THAT(logger_.lines(), SizeIs(1));
  EXPECT_EQ(logger_.lines()[0].message,
            "the credentials for the API server cannot be reloaded; the old ones stay in use");
  EXPECT_TRUE(logger_.lines()[0].mentions(files_.file("token") + ": must exist"));
  files_.write("token", "second");
  clock_.tick(std::chrono::seconds(61));
  ASSERT_TRUE(get());
  EXPECT_EQ(tokens(server).back(), "second");
  ASSERT_THAT(logger_.lines(), SizeIs(2));
  EXPECT_EQ(logger_.lines()[1].message, "the credentials for the API server are readable again");
}

TEST_F(TokenTest, IsRefusedWhenMalformed) {
  ScriptedServer server({answering(answer(200, "{}"))});
  config_.token_file = files_.file("token");
  for (const char* text : {"", " \n", "a b", "a\r\nX-Remote-User: root", "\xc3\xa4"}) {
    files_.write("token", text);
    connect(server);
    const auto response = get();
    ASSERT_FALSE(response) << text;
    EXPECT_EQ(response.error().failure, FailureKind::kConfig);
    EXPECT_THAT(response.error().text, HasSubstr(files_.file("token") + ": must hold a token"));
  }
  EXPECT_THAT(server.requests(), IsEmpty());
}

TEST_F(TokenTest, IsNeverPartOfError) {
  config_.token = "s3cr3t";
  ScriptedServer server({[](Peer& peer) {
    peer.read_request();
    peer.send("nonsense\r\n\r\n");
  }});
  connect(server);
  EXPECT_THAT(get().error().text, Not(HasSubstr("s3cr3t")));
}

// ---- Client certificates

TEST_F(TokenTest, ClientCertificateExpiryIsReported) {
  const test::TestCa ca(clock_.wall());
  ScriptedOptions options;
  options.pair = ca.leaf({"127.0.0.1"});
  options.client_ca_pem = ca.pem();
  ScriptedServer server({answering(answer(200, "{}"))}, options);
  const auto put = [&](std::chrono::hours from, std::chrono::hours to) {
    certs::LeafRequest wish = ca.request({});
    wish.usage = certs::Usage::kClient;
    wish.not_before = clock_.wall() + from;
    wish.not_after = clock_.wall() + to;
    files_.write_pair(ca.leaf(wish));
  };
  put(std::chrono::hours(-1), std::chrono::hours(2));
  config_.client_certificate = {"", files_.file("tls.crt"), "tls.crt"};
  config_.client_key = {"", files_.file("tls.key"), "tls.key"};
  connect(server, ca.pem());
  ASSERT_TRUE(get());
  clock_.tick(std::chrono::hours(3));
  const auto response = get();
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().failure, FailureKind::kConfig);
  EXPECT_THAT(response.error().text, HasSubstr("tls.crt: the client certificate expired at "));
  put(std::chrono::hours(-10), std::chrono::hours(20));
  EXPECT_TRUE(get()) << "read again as soon as there is a new one";
}

// ---- Programs

class ExecTest : public TokenTest {
 protected:
  // A shell script that records each run, and its KUBERNETES_EXEC_INFO, in files.
  void program(const std::string& body) {
    files_.write("run.sh", "#!/bin/sh\necho x >>\"" + files_.file("runs") + "\"\n" + body + "\n");
    ASSERT_EQ(::chmod(files_.file("run.sh").c_str(), 0755), 0);
    ExecConfig exec;
    exec.api_version = "client.authentication.k8s.io/v1";
    exec.command = files_.file("run.sh");
    exec.origin = "config: users[u].user.exec";
    exec.environment = {{"GREETING", "hello"}};
    exec.install_hint = "get it at example.com";
    config_.exec = exec;
  }
  void prints(const std::string& status) {
    program(
        "echo '{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":"
        "\"ExecCredential\",\"status\":{" +
        status + "}}'");
  }
  // The n-th run prints the n-th status; further ones the last.
  void prints_in_turn(const std::vector<std::string>& statuses) {
    for (std::size_t i = 0; i < statuses.size(); ++i) {
      files_.write("printed" + std::to_string(i + 1),
                   R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential",)"
                   R"("status":{)" +
                       statuses[i] + "}}");
    }
    const std::string last = std::to_string(statuses.size());
    program("n=$(wc -l <\"" + files_.file("runs") + "\")\n[ $n -lt " + last + " ] || n=" + last +
            "\ncat \"" + files_.file("printed") + "$n\"");
  }
  static std::string members(const certs::KeyPair& pair) {
    const auto escaped = [](std::string text) {
      for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2) {
        text.replace(at, 1, "\\n");
      }
      return text;
    };
    return R"("clientCertificateData":")" + escaped(pair.certificate_pem) +
           R"(","clientKeyData":")" + escaped(pair.key_pem) + '"';
  }
  std::string expires_in_an_hour() const {
    return R"(,"expirationTimestamp":")" +
           text::format_timestamp(clock_.wall() + std::chrono::hours(1)) + '"';
  }
  certs::KeyPair client_for_two_hours(const test::TestCa& ca) const {
    certs::LeafRequest wish = ca.request({});
    wish.usage = certs::Usage::kClient;
    wish.not_before = clock_.wall() - std::chrono::hours(1);
    wish.not_after = clock_.wall() + std::chrono::hours(2);
    return ca.leaf(wish);
  }
  std::size_t runs() const {
    return ::access(files_.file("runs").c_str(), F_OK) == 0 ? files_.read("runs").size() / 2 : 0;
  }
  std::string refusal() {
    const auto response = get();
    EXPECT_FALSE(response);
    return response ? "" : response.error().text;
  }

  std::shared_ptr<std::string> good_ = std::make_shared<std::string>("from-program");
  ScriptedServer server_{{accepting(good_)}};
};

TEST_F(ExecTest, ProvidesToken) {
  prints(R"("token":"from-program")");
  connect(server_);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(get().value().status, 200);
  EXPECT_EQ(runs(), 1U);
}

TEST_F(ExecTest, RunsOnceForConcurrentRequests) {
  prints(R"("token":"from-program")");
  connect(server_);
  std::vector<std::shared_ptr<RunningCall<Response>>> all;
  all.reserve(2);
  for (int i = 0; i < 2; ++i)
    all.push_back(start(transport_->send(Request(HttpMethod::kGet, "/"))));
  for (const auto& each : all) EXPECT_EQ(wait(each).value().status, 200);
  EXPECT_EQ(runs(), 1U);
}

TEST_F(ExecTest, RunsAgainWhenCredentialsExpire) {
  prints(R"("token":"from-program","expirationTimestamp":"2026-02-03T05:00:00Z")");
  test::FakeClock clock;  // 2026-02-03T04:05:06Z
  config_.host = "127.0.0.1";
  config_.port = std::to_string(server_.port());
  config_.tls = false;
  HttpTransport transport(loop_, config_, options_, clock, logger_);
  const auto ask = [&] { return run(transport.send(Request(HttpMethod::kGet, "/"))); };
  EXPECT_TRUE(ask());
  clock.tick(std::chrono::minutes(54));
  EXPECT_TRUE(ask());
  EXPECT_EQ(runs(), 1U);
  clock.tick(std::chrono::minutes(1));
  const auto expired = ask();
  ASSERT_FALSE(expired);
  EXPECT_EQ(expired.error().text,
            "config: users[u].user.exec: the program gave credentials that are expired");
  EXPECT_EQ(runs(), 2U);
}

TEST_F(ExecTest, RunsAgainWhenTokenIsRefusedAfterPause) {
  program("n=$(wc -l <\"" + files_.file("runs") +
          "\")\necho '{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":"
          "\"ExecCredential\",\"status\":{\"token\":\"t'$n'\"}}'");
  *good_ = "t2";
  connect(server_);
  EXPECT_EQ(get().value().status, 401);
  EXPECT_EQ(runs(), 1U);
  clock_.tick(std::chrono::seconds(11));
  EXPECT_EQ(get().value().status, 200);
  EXPECT_EQ(runs(), 2U);
}

TEST_F(ExecTest, DoesNotRunAgainWhenServerIsUnreachable) {
  prints(R"("token":"from-program")");
  auto server = std::make_unique<ScriptedServer>(std::vector<Script>{accepting(good_)});
  const std::uint16_t port = server->port();
  connect(*server);
  EXPECT_EQ(get().value().status, 200);
  server.reset();
  clock_.tick(std::chrono::seconds(11));
  EXPECT_EQ(get().error().failure, FailureKind::kConnect);
  ScriptedServer again({accepting(good_)}, {.port = port});
  EXPECT_EQ(get().value().status, 200);
  EXPECT_EQ(runs(), 1U);
}

TEST_F(ExecTest, DoesNotRunWhenTokenExists) {
  prints(R"("token":"from-program")");
  config_.token = "given";
  connect(server_);
  ASSERT_TRUE(get());
  EXPECT_THAT(tokens(server_), ElementsAre("given"));
  EXPECT_EQ(runs(), 0U);
}

TEST_F(ExecTest, ReceivesItsArgumentsAndClusterInfo) {
  program("echo \"$KUBERNETES_EXEC_INFO\" >\"" + files_.file("info") +
          "\"\necho \"$GREETING $1 $2 [$(cat)]\" >\"" + files_.file("words") + "\"\necho not-json");
  config_.exec->arguments = {"a b", "c'd"};
  config_.exec->cluster_info = R"({"server":"https://a"})";
  connect(server_);
  EXPECT_THAT(refusal(), HasSubstr("must print an ExecCredential as JSON, and did not"));
  EXPECT_EQ(files_.read("info"),
            R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential",)"
            R"("spec":{"interactive":false,"cluster":{"server":"https://a"}}})"
            "\n");
  EXPECT_EQ(files_.read("words"), "hello a b c'd []\n");
}

TEST_F(ExecTest, ProvidesClientCertificate) {
  const test::TestCa ca(clock_.wall());
  ScriptedOptions options;
  options.pair = ca.leaf({"127.0.0.1"});
  options.client_ca_pem = ca.pem();
  ScriptedServer server({answering(answer(200, "{}"))}, options);
  prints_in_turn({members(ca.client("me"))});
  connect(server, ca.pem());
  EXPECT_TRUE(get());
  EXPECT_TRUE(get());
  EXPECT_EQ(runs(), 1U);
  EXPECT_EQ(server.connections(), 1);
}

TEST_F(ExecTest, MayReplaceCertificateByToken) {
  const test::TestCa ca(clock_.wall());
  ScriptedOptions options;
  options.pair = ca.leaf({"127.0.0.1"});
  ScriptedServer server({answering(answer(200, "{}"))}, options);
  prints_in_turn({members(client_for_two_hours(ca)), R"("token":"from-program")"});
  connect(server, ca.pem());
  ASSERT_TRUE(get());
  clock_.tick(std::chrono::hours(3));
  for (int i = 0; i < 2; ++i) {
    const auto response = get();
    ASSERT_TRUE(response) << response.error().text;
  }
  EXPECT_THAT(tokens(server), ElementsAre("none", "from-program", "from-program"));
  EXPECT_EQ(runs(), 2U);
  EXPECT_EQ(server.connections(), 2) << "nothing goes on with the old certificate";
}

TEST_F(ExecTest, CertificateIsDroppedWhenNoLongerProvided) {
  const test::TestCa ca(clock_.wall());
  ScriptedOptions options;
  options.pair = ca.leaf({"127.0.0.1"});
  options.client_ca_pem = ca.pem();
  ScriptedServer server({answering(answer(200, "{}"))}, options);
  prints_in_turn({members(ca.client("me")) + expires_in_an_hour(), R"("token":"second")"});
  connect(server, ca.pem());
  ASSERT_TRUE(get());
  clock_.tick(std::chrono::hours(2));
  const auto response = get();
  ASSERT_FALSE(response) << "this server wants a certificate";
  EXPECT_EQ(response.error().failure, FailureKind::kConnect);
  EXPECT_EQ(runs(), 2U);
}

TEST_F(ExecTest, DoesNotReplaceCertificateOfKubeconfig) {
  const test::TestCa ca(clock_.wall());
  const test::TestCa unknown(clock_.wall(), "another CA");
  ScriptedOptions options;
  options.pair = ca.leaf({"127.0.0.1"});
  options.client_ca_pem = ca.pem();
  ScriptedServer server({answering(answer(200, "{}"))}, options);
  files_.write_pair(ca.client("me"));
  config_.client_certificate = {"", files_.file("tls.crt"), "tls.crt"};
  config_.client_key = {"", files_.file("tls.key"), "tls.key"};
  prints_in_turn({members(unknown.client("me")) + expires_in_an_hour(), R"("token":"second")"});
  connect(server, ca.pem());
  for (int i = 0; i < 2; ++i) {
    const auto response = get();
    EXPECT_TRUE(response) << response.error().text;
    clock_.tick(std::chrono::hours(2));
  }
  EXPECT_THAT(tokens(server), ElementsAre("none", "second"));
}

TEST_F(ExecTest, MayReplaceTokenByCertificate) {
  const test::TestCa ca(clock_.wall());
  ScriptedOptions options;
  options.pair = ca.leaf({"127.0.0.1"});
  ScriptedServer server({answering(answer(200, "{}"))}, options);
  prints_in_turn({R"("token":"from-program")" + expires_in_an_hour(), members(ca.client("me"))});
  connect(server, ca.pem());
  ASSERT_TRUE(get());
  clock_.tick(std::chrono::hours(2));
  ASSERT_TRUE(get());
  EXPECT_THAT(tokens(server), ElementsAre("from-program", "none"));
}

TEST_F(ExecTest, ReportsWhyItFailed) {
  program("echo one >&2; printf 'two\\033[1m\\n\\n' >&2; exit 3");
  connect(server_);
  EXPECT_EQ(refusal(), "config: users[u].user.exec: the program " + files_.file("run.sh") +
                           " failed with status 3: two [1m");
  program("kill -9 $$");
  connect(server_);
  EXPECT_EQ(refusal(), "config: users[u].user.exec: the program " + files_.file("run.sh") +
                           " failed with status 137");
  config_.exec->command = files_.file("gone");
  connect(server_);
  EXPECT_EQ(refusal(), "config: users[u].user.exec: the program " + files_.file("gone") +
                           " cannot be started: No such file or directory (get it at example.com)");
}

TEST_F(ExecTest, ProcessGroupIsKilledAfterDeadline) {
  program("sleep 1000 &\necho $! >\"" + files_.file("pid") + "\"\nwait");
  options_.credentials.exec_deadline = std::chrono::seconds(3);
  connect(server_);
  EXPECT_THAT(refusal(), HasSubstr("took too long and was stopped"));
  const int started = std::stoi(files_.read("pid"));
  EXPECT_TRUE(run_until([&] { return !is_running(started); }));
}

TEST_F(ExecTest, IsKilledWhenOutputIsEndless) {
  program("yes");
  connect(server_);
  EXPECT_THAT(refusal(), HasSubstr("printed more than 1048576 bytes and was stopped"));
}

TEST_F(ExecTest, BackgroundProcessMayHoldOutput) {
  program("sleep 1000 &\necho $! >\"" + files_.file("pid") +
          "\"\necho '{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":"
          "\"ExecCredential\",\"status\":{\"token\":\"from-program\"}}'");
  connect(server_);
  EXPECT_EQ(get().value().status, 200);
  ::kill(std::stoi(files_.read("pid")), SIGKILL);
}

TEST_F(ExecTest, RequestEndsWithItsOwnDeadline) {
  program("sleep 1000");
  connect(server_);
  Request request(HttpMethod::kGet, "/");
  request.deadline = std::chrono::milliseconds(30);
  const auto response = run(transport_->send(request));
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().failure, FailureKind::kDeadline);
}

TEST_F(ExecTest, CancelledRequestEndsWithoutProgram) {
  program("sleep 1000");
  connect(server_);
  const auto started = start(transport_->send(Request(HttpMethod::kGet, "/")));
  ASSERT_TRUE(run_until([&] { return runs() == 1; }));
  started->cancel();
  EXPECT_EQ(wait(started).error().failure, FailureKind::kCancelled);
}

TEST_F(ExecTest, EndsWithTransport) {
  program("echo $$ >\"" + files_.file("pid") + "\"\nexec sleep 1000");
  connect(server_);
  const auto started = start(transport_->send(Request(HttpMethod::kGet, "/")));
  ASSERT_TRUE(run_until([&] {
    return ::access(files_.file("pid").c_str(), F_OK) == 0 && !files_.read("pid").empty();
  }));
  started->cancel();
  EXPECT_FALSE(wait(started));
  transport_.reset();
  const int child = std::stoi(files_.read("pid"));
  EXPECT_TRUE(run_until([&] { return !is_running(child); }));
}

TEST_F(ExecTest, EndsWithLoop) {
  program("echo $$ >\"" + files_.file("pid") + "\"\nexec sleep 1000");
  config_.host = "127.0.0.1";
  config_.port = std::to_string(server_.port());
  config_.tls = false;
  auto loop = std::make_unique<boost::asio::io_context>();
  auto transport = std::make_unique<HttpTransport>(*loop, config_, options_, clock_, logger_);
  boost::asio::co_spawn(
      *loop,
      [](HttpTransport& used) -> aio::Task<> {
        co_await used.send(Request(HttpMethod::kGet, "/"));
      }(*transport),
      [](const std::exception_ptr&) {});
  loop->poll();
  ASSERT_TRUE(run_until([&] {
    return ::access(files_.file("pid").c_str(), F_OK) == 0 && !files_.read("pid").empty();
  }));
  transport.reset();
  loop.reset();
  const int child = std::stoi(files_.read("pid"));
  EXPECT_TRUE(run_until([&] { return !is_running(child); }));
  ::waitpid(child, nullptr, WNOHANG);  // no other code reaps it any more
}

TEST(ExecCredential, IsRefusedWhenIncomplete) {
  ExecConfig config;
  config.api_version = "client.authentication.k8s.io/v1";
  config.command = "log-in";
  config.origin = "exec";
  const auto text = [&](const std::string& status,
                        const std::string& version = "client.authentication.k8s.io/v1") {
    const auto parsed = parse_exec_credential(
        R"({"kind":"ExecCredential","apiVersion":")" + version + R"(","status":)" + status + "}",
        config);
    return parsed ? std::string("good") : parsed.error().text;
  };
  const std::string must = "exec: the program log-in must print ";
  EXPECT_EQ(text(R"({"token":"s3cr3t"})"), "good");
  EXPECT_EQ(text(R"({"token":"s3cr3t"})", "client.authentication.k8s.io/v1beta1"),
            must + "an ExecCredential of client.authentication.k8s.io/v1");
  EXPECT_EQ(text("null"), must + "a status with token or clientCertificateData");
  EXPECT_EQ(text(R"({"token":1})"), must + "a status with token or clientCertificateData");
  EXPECT_EQ(text(R"({"token":"s3cr3t","clientKeyData":"k"})"),
            must + "clientCertificateData and clientKeyData together");
  EXPECT_EQ(text(R"({"token":"s3cr3t\r\nX: y"})"), must + "a token of visible ASCII characters");
  EXPECT_EQ(text(R"({"token":"s3cr3t","expirationTimestamp":"tomorrow"})"),
            must + "expirationTimestamp as RFC 3339 has it");
  EXPECT_EQ(parse_exec_credential("s3cr3t", config).error().text,
            must + "an ExecCredential as JSON, and did not");
}

}  // namespace
}  // namespace dynamo::kube
