#include "kube/config/config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <string>
#include <vector>

#include "kube/config/config_server.hpp"
#include "tests/certs/fixtures.hpp"
#include "tests/support/fake_clock.hpp"
#include "text/base64.hpp"
#include "text/timestamp.hpp"

namespace dynamo::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;

// The secrets in the files below: no message may contain them.
constexpr std::string_view kSecret = "s3cr3t-t0k3n";

class KubeconfigTest : public ::testing::Test {
 protected:
  KubeconfigTest() {
    files_.write("ca.crt", ca_.pem());
    client_ = ca_.client("jane");
    files_.write("client.crt", client_.certificate_pem);
    files_.write("client.key", client_.key_pem);
    files_.write("token", std::string(kSecret) + "\n");
  }

  static std::string kubeconfig(const std::string& cluster, const std::string& user,
                                const std::string& current = "dev") {
    return "apiVersion: v1\nkind: Config\ncurrent-context: " + current +
           "\ncontexts:\n- name: dev\n  context: {cluster: c, user: u, namespace: team}\n"
           "- name: other\n  context: {cluster: c, user: nobody}\n"
           "- name: lost\n  context: {cluster: nowhere, user: u}\n"
           "- name: anonymous\n  context: {cluster: c}\n"
           "- name: clusterless\n  context: {user: u}\n"
           "clusters:\n- name: c\n  cluster: {" +
           cluster + "}\nusers:\n- name: u\n  user: {" + user + "}\n";
  }

  Result<ConnectionConfig> load(const std::string& text, std::string_view context = "") {
    files_.write("config", text);
    return load_kubeconfig(files_.file("config"), context, clock_);
  }
  Result<ConnectionConfig> load(const std::string& cluster, const std::string& user,
                                std::string_view context) {
    return load(kubeconfig(cluster, user), context);
  }
  std::string refusal(const std::string& text, std::string_view context = "") {
    const auto config = load(text, context);
    EXPECT_FALSE(config) << text;
    if (config) return "";
    EXPECT_EQ(config.error().failure, FailureKind::kConfig);
    EXPECT_THAT(config.error().text, Not(HasSubstr("\n")));
    EXPECT_THAT(config.error().text, Not(HasSubstr(std::string(kSecret))));
    EXPECT_THAT(config.error().text, Not(HasSubstr("PRIVATE KEY")));
    std::string message = config.error().text;
    // Removes the directory, so that tests can check the rest.
    const std::string folder = files_.path() + "/";
    for (std::size_t at = 0; (at = message.find(folder)) != std::string::npos;) {
      message.erase(at, folder.size());
    }
    return message;
  }

  const std::string cluster_ = "server: \"https://10.0.0.1:6443\"";
  test::FakeClock clock_{std::chrono::system_clock::now()};
  const test::TestCa ca_{std::chrono::system_clock::now()};
  test::TempDirectory files_;
  certs::KeyPair client_;
};

TEST_F(KubeconfigTest, UsesCurrentOrRequestedContext) {
  const auto current = load(cluster_, "token: " + std::string(kSecret), "").value();
  EXPECT_EQ(current.context, "dev");
  EXPECT_EQ(current.namespace_name, "team");
  EXPECT_EQ(current.address(), "https://10.0.0.1:6443");
  EXPECT_EQ(current.token, kSecret);
  EXPECT_TRUE(current.tls);
  EXPECT_TRUE(current.ca.empty());

  const auto anonymous = load(cluster_, "token: a", "anonymous").value();
  EXPECT_EQ(anonymous.context, "anonymous");
  EXPECT_THAT(anonymous.token, IsEmpty());
  EXPECT_THAT(anonymous.namespace_name, IsEmpty());
}

TEST_F(KubeconfigTest, ReadsCertificatesFromFilesAndData) {
  const auto files =
      load(cluster_ + ", certificate-authority: ca.crt, tls-server-name: kubernetes",
           "client-certificate: ./client.crt, client-key: " + files_.file("client.key"), "")
          .value();
  EXPECT_EQ(files.ca.file, files_.path() + "/ca.crt");
  EXPECT_EQ(files.client_certificate.file, files_.path() + "/./client.crt");
  EXPECT_EQ(files.client_key.file, files_.file("client.key"));
  EXPECT_EQ(files.server_name, "kubernetes");

  // Data takes precedence over a file, which then need not exist.
  const auto data =
      load(cluster_ + ", certificate-authority: gone, certificate-authority-data: " +
               text::encode_base64(ca_.pem()),
           "client-certificate-data: " + text::encode_base64(client_.certificate_pem) +
               ", client-key-data: " + text::encode_base64(client_.key_pem),
           "")
          .value();
  EXPECT_EQ(data.ca.data, ca_.pem());
  EXPECT_THAT(data.ca.file, IsEmpty());
  EXPECT_EQ(data.client_certificate.data, client_.certificate_pem);
  EXPECT_EQ(data.client_key.data, client_.key_pem);
}

TEST_F(KubeconfigTest, ReadsTokenFile) {
  const auto config = load(cluster_, "tokenFile: token", "").value();
  EXPECT_EQ(config.token_file, files_.path() + "/token");
}

TEST_F(KubeconfigTest, ReadsExecPlugin) {
  const auto config =
      load(cluster_ +
               ", certificate-authority: ca.crt, extensions: [{name: "
               "client.authentication.k8s.io/exec, extension: {audience: me}}]",
           "exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: bin/log-in, args: "
           "[get-token, --for=me], env: [{name: A, value: b=c}], provideClusterInfo: true, "
           "interactiveMode: IfAvailable, installHint: install it}",
           "")
          .value();
  ASSERT_TRUE(config.exec.has_value());
  EXPECT_EQ(config.exec->command, files_.path() + "/bin/log-in");
  EXPECT_THAT(config.exec->arguments, ElementsAre("get-token", "--for=me"));
  EXPECT_THAT(config.exec->environment, ElementsAre(Pair("A", "b=c")));
  EXPECT_EQ(config.exec->api_version, "client.authentication.k8s.io/v1beta1");
  EXPECT_EQ(config.exec->install_hint, "install it");
  EXPECT_EQ(config.exec->cluster_info,
            R"({"server":"https://10.0.0.1:6443","certificate-authority-data":")" +
                text::encode_base64(ca_.pem()) + R"(","config":{"audience":"me"}})");

  const auto found = load(cluster_,
                          "exec: {apiVersion: client.authentication.k8s.io/v1, command: aws, "
                          "interactiveMode: Never}",
                          "")
                         .value();
  EXPECT_EQ(found.exec->command, "aws");
  EXPECT_THAT(found.exec->cluster_info, IsEmpty());
}

TEST_F(KubeconfigTest, MergesSeveralFilesLikeKubectl) {
  files_.write("first", "current-context: dev\nusers:\n- {name: u, user: {token: first}}\n");
  files_.write("config", kubeconfig(cluster_, "token: second", "other"));
  const std::string paths =
      files_.file("gone") + ":" + files_.file("first") + "::" + files_.file("config");
  const auto config = load_kubeconfig(paths, "", clock_).value();
  EXPECT_EQ(config.context, "dev");
  EXPECT_EQ(config.token, "first");
  EXPECT_EQ(config.host, "10.0.0.1");
}

TEST_F(KubeconfigTest, ReadsJson) {
  const auto config =
      load(R"({"current-context":"a","contexts":[{"name":"a","context":{"cluster":"c"}}],)"
           R"("clusters":[{"name":"c","cluster":{"server":"https://a/"}}]})")
          .value();
  EXPECT_EQ(config.host, "a");
}

// ---- Bad input

struct BadUser {
  std::string user;
  std::string message;
};

TEST_F(KubeconfigTest, RefusesUnusableUser) {
  const std::string exec = "exec: {apiVersion: client.authentication.k8s.io/v1, ";
  files_.write("empty", "");
  files_.write("text", "no certificate");
  const std::vector<BadUser> table{
      {"username: jane, password: s3cr3t-t0k3n",
       "username: must not be set; API servers take no passwords any more"},
      {"password: s3cr3t-t0k3n",
       "password: must not be set; API servers take no passwords any more"},
      {"auth-provider: {name: gcp}",
       "auth-provider: must not be set; use the exec plugin that took its place"},
      {"token: a, as: root", "as: must not be set; impersonation is not supported"},
      {"token: [s3cr3t-t0k3n]", "token: must be a string"},
      {"token: \"s3cr3t-t0k3n\\nX: y\"", "token: must consist of visible ASCII characters"},
      {"tokenFile: gone", "tokenFile: gone: must exist"},
      {"tokenFile: .", "tokenFile: .: must be a regular file"},
      {"client-certificate: client.crt",
       "client-key: must be set, or -data; certificate and key belong together"},
      {"client-key-data: " + text::encode_base64(client_.key_pem),
       "client-certificate: must be set, or -data; certificate and key belong together"},
      {"client-certificate: gone, client-key: client.key", "client-certificate: gone: must exist"},
      {"client-certificate: client.crt, client-key-data: \"!\"",
       "client-key-data: must be base64 of PEM text"},
      {"client-certificate: text, client-key: client.key",
       "client-certificate: text: must hold a PEM certificate, has none"},
      {"client-certificate: client.crt, client-key: client.crt",
       "client-key: client.crt: must hold a PEM private key, has none"},
      {"client-certificate: ca.crt, client-key: client.key",
       "client-key: client.key: does not belong to the certificate in config: "
       "users[u].user.client-certificate: ca.crt"},
      {"exec: run", "exec: must be an object"},
      {"exec: {command: a}",
       "exec.apiVersion: must be client.authentication.k8s.io/v1 or …/v1beta1"},
      {"exec: {apiVersion: client.authentication.k8s.io/v1alpha1, command: a}",
       "exec.apiVersion: must be client.authentication.k8s.io/v1 or …/v1beta1"},
      {exec + "args: []}", "exec.command: must name a program"},
      {exec + "command: a, args: [1]}", "exec.args: must be a list of strings"},
      {exec + "command: a, args: {}}", "exec.args: must be a list of strings"},
      {exec + "command: a, env: [{name: A}]}", "exec.env: must be a list of name and value"},
      {exec + "command: a, env: [{name: A=B, value: c}]}",
       "exec.env: must be a list of name and value"},
      {exec + "command: a, interactiveMode: Always}",
       "exec.interactiveMode: must be Never or IfAvailable; there is no terminal to ask on"},
  };
  for (const BadUser& each : table) {
    EXPECT_EQ(refusal(kubeconfig(cluster_, each.user)), "config: users[u].user." + each.message);
  }
}

TEST_F(KubeconfigTest, RefusesUntrustedCluster) {
  const std::vector<BadUser> table{
      {"certificate-authority: ca.crt", "server: must be the URL of the API server, is missing"},
      {cluster_ + ", insecure-skip-tls-verify: true",
       "insecure-skip-tls-verify: must not be set; give the CA of the server in "
       "certificate-authority-data"},
      {cluster_ + ", proxy-url: \"http://s3cr3t-t0k3n@proxy\"",
       "proxy-url: must not be set; proxies are not supported"},
      {cluster_ + ", certificate-authority: gone", "certificate-authority: gone: must exist"},
      {cluster_ + ", certificate-authority-data: c2hvcnQ",
       "certificate-authority-data: must be base64 of PEM text"},
      {cluster_ + ", certificate-authority-data: bm9uZQ==",
       "certificate-authority-data: must hold a PEM certificate, has none"},
      {cluster_ + ", certificate-authority: token",
       "certificate-authority: token: must hold a PEM certificate, has none"},
      {"server: \"http://10.0.0.1\"", "server: must be an https URL; http is for loopback only"},
      {"server: \"ftp://10.0.0.1\"", "server: must be a URL that begins with https://"},
      {"server: \"https://me:s3cr3t-t0k3n@host\"", "server: must not hold a user name or password"},
  };
  for (const BadUser& each : table) {
    EXPECT_EQ(refusal(kubeconfig(each.user, "token: a")),
              "config: clusters[c].cluster." + each.message);
  }
}

TEST_F(KubeconfigTest, IgnoresFieldsSetToNull) {
  EXPECT_TRUE(load(cluster_ + ", insecure-skip-tls-verify: false, proxy-url: \"\"",
                   "username: \"\", as-groups: [], auth-provider: null", ""));
}

TEST_F(KubeconfigTest, RefusesClientCertificateOutsideValidity) {
  certs::LeafRequest wish = ca_.request({});
  wish.usage = certs::Usage::kClient;
  wish.not_before = clock_.wall() - std::chrono::hours(2);
  wish.not_after = clock_.wall() - std::chrono::hours(1);
  files_.write_pair(ca_.leaf(wish));
  const std::string user = "client-certificate: tls.crt, client-key: tls.key";
  EXPECT_EQ(
      refusal(kubeconfig(cluster_, user)),
      "config: users[u].user.client-certificate: tls.crt: the client certificate expired at " +
          text::format_timestamp(wish.not_after));
  wish.not_before = clock_.wall() + std::chrono::hours(1);
  wish.not_after = clock_.wall() + std::chrono::hours(2);
  files_.write_pair(ca_.leaf(wish));
  EXPECT_EQ(
      refusal(kubeconfig(cluster_, user)),
      "config: users[u].user.client-certificate: tls.crt: the client certificate is not valid "
      "before " +
          text::format_timestamp(wish.not_before));
}

TEST_F(KubeconfigTest, RefusesEncryptedKey) {
  // Encrypted with a passphrase like `openssl ec -aes128`; the key itself is not used.
  BIO* out = BIO_new(BIO_s_mem());
  EVP_PKEY* key = EVP_EC_gen("P-256");
  PEM_write_bio_PrivateKey(out, key, EVP_aes_128_cbc(), reinterpret_cast<const unsigned char*>("x"),
                           1, nullptr, nullptr);
  char* data = nullptr;
  const long size = BIO_get_mem_data(out, &data);
  files_.write("locked.key", std::string_view(data, static_cast<std::size_t>(size)));
  EVP_PKEY_free(key);
  BIO_free(out);
  EXPECT_EQ(
      refusal(kubeconfig(cluster_, "client-certificate: client.crt, client-key: locked.key")),
      "config: users[u].user.client-key: locked.key: the private key is encrypted; it must be "
      "stored without a passphrase");
}

TEST_F(KubeconfigTest, RefusesMissingFields) {
  const std::string good = kubeconfig(cluster_, "token: a");
  EXPECT_EQ(refusal(good, "nobody"),
            "config: the context that was asked for: names context \"nobody\", which must be among "
            "contexts, and is not");
  EXPECT_EQ(refusal(kubeconfig(cluster_, "token: a", "gone")),
            "config: current-context: names context \"gone\", which must be among contexts, and is "
            "not");
  EXPECT_EQ(refusal(kubeconfig(cluster_, "token: a", "\"a\\nb\"")),
            "config: current-context: names context \"a\\x0ab\", which must be among contexts, and "
            "is not");
  EXPECT_EQ(refusal(kubeconfig(cluster_, "token: a", "\"\"")),
            "config: current-context: must name a context, or one must be asked for");
  EXPECT_EQ(
      refusal(good, "other"),
      "config: contexts[other].context.user: names user \"nobody\", which must be among users, "
      "and is not");
  EXPECT_EQ(
      refusal(good, "lost"),
      "config: contexts[lost].context.cluster: names cluster \"nowhere\", which must be among "
      "clusters, and is not");
  EXPECT_EQ(refusal(good, "clusterless"),
            "config: contexts[clusterless].context.cluster: must name a cluster");
}

TEST_F(KubeconfigTest, RefusesFilesThatAreNotKubeconfigs) {
  EXPECT_EQ(refusal(""), "config: must not be empty");
  EXPECT_EQ(refusal("- a\n"),
            "config: must be a kubeconfig, an object with clusters, users and contexts");
  EXPECT_THAT(refusal("a: [\n"), HasSubstr("config: line "));
  EXPECT_EQ(refusal("a: b\n---\nc: d\n"), "config: must hold one document, has more");
  EXPECT_EQ(refusal("users: {token: s3cr3t-t0k3n}\ncurrent-context: dev\n"),
            "config: current-context: names context \"dev\", which must be among contexts, and is "
            "not");
  EXPECT_EQ(refusal("current-context: dev\ncontexts: [{name: dev, context: s3cr3t-t0k3n}]\n"),
            "config: contexts[dev].context: must be an object");
  EXPECT_THAT(refusal(std::string("a: b\n") + std::string((4U << 20U) + 1, '#')),
              HasSubstr("config: must have at most "));
}

TEST_F(KubeconfigTest, ReportsMissingFile) {
  const auto gone = load_kubeconfig(files_.file("gone"), "", clock_);
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().text, files_.file("gone") + ": must exist");
  EXPECT_EQ(load_kubeconfig("", "", clock_).error().text, "kubeconfig: must exist");
}

TEST_F(KubeconfigTest, FileErrorNamesSourceOfPath) {
  EXPECT_EQ(load_kubeconfig("/nonexistent", "", clock_, "from KUBECONFIG").error().text,
            "/nonexistent: must exist (from KUBECONFIG)");
  files_.write("empty", "");
  EXPECT_EQ(load_kubeconfig(files_.file("empty"), "", clock_, "from --kubeconfig").error().text,
            files_.file("empty") + ": must not be empty (from --kubeconfig)");
}

// ---- Server URLs

struct Url {
  std::string text;
  std::string host;
  std::string port;
  std::string prefix;
};

TEST(ServerUrl, IsSplitIntoParts) {
  const std::vector<Url> table{
      {"https://10.0.0.1", "10.0.0.1", "443", ""},
      {"https://api.example.com:6443/", "api.example.com", "6443", ""},
      {"https://rancher/k8s/clusters/c-1/", "rancher", "443", "/k8s/clusters/c-1"},
      {"https://[fd00::1]:6443", "fd00::1", "6443", ""},
      {"https://[::1]", "::1", "443", ""},
      {"http://127.0.0.1:8001", "127.0.0.1", "8001", ""},
      {"http://localhost", "localhost", "80", ""},
      {"http://[::1]:8001/", "::1", "8001", ""},
  };
  for (const Url& each : table) {
    ConnectionConfig config;
    ASSERT_TRUE(read_server(each.text, "server", config)) << each.text;
    EXPECT_EQ(config.host, each.host);
    EXPECT_EQ(config.port, each.port);
    EXPECT_EQ(config.prefix, each.prefix);
    EXPECT_EQ(config.tls, each.text.starts_with("https"));
  }
}

TEST(ServerUrl, IsRefusedWithoutBeingQuoted) {
  for (const char* text : {"",
                           "s3cr3t",
                           "//s3cr3t",
                           "HTTPS://s3cr3t",
                           "https://",
                           "https://:443",
                           "https://a:0",
                           "https://a:65536",
                           "https://a:",
                           "https://a:1x",
                           "https://s3cr3t b",
                           "https://[::1",
                           "https://[s3cr3t]",
                           "https://[::1]x",
                           "https://a?b=s3cr3t",
                           "https://a/#s3cr3t",
                           "https://a/b c",
                           "https://u:s3cr3t@a",
                           "http://128.0.0.1",
                           "http://[::2]",
                           "http://localhost.s3cr3t.com",
                           "https://a\r\nb"}) {
    ConnectionConfig config;
    const auto read = read_server(text, "server", config);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().failure, FailureKind::kConfig);
    EXPECT_THAT(read.error().text,
                AllOf(::testing::StartsWith("server: must "), Not(HasSubstr("s3cr3t"))));
  }
}

// ---- In the cluster

class InClusterTest : public KubeconfigTest {};

TEST_F(InClusterTest, ReadsServiceAccountOfPod) {
  files_.write("namespace", "dynamo-system\n");
  const auto config = load_in_cluster(files_.path(), "fd00::1", "443").value();
  EXPECT_EQ(config.address(), "https://[fd00::1]:443");
  EXPECT_EQ(config.token_file, files_.path() + "/token");
  EXPECT_EQ(config.ca.file, files_.path() + "/ca.crt");
  EXPECT_EQ(config.namespace_name, "dynamo-system");
}

TEST_F(InClusterTest, NamespaceIsOptional) {
  EXPECT_THAT(load_in_cluster(files_.path(), "10.0.0.1", "443").value().namespace_name, IsEmpty());
}

TEST_F(InClusterTest, RefusesInvalidEnvironment) {
  const auto text = [&](std::string_view host, std::string_view port) {
    const auto config = load_in_cluster(files_.path(), host, port);
    return config ? std::string("loaded") : config.error().text;
  };
  EXPECT_EQ(text("", "443"),
            "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT: must be set, as they are in "
            "every pod");
  EXPECT_EQ(text("10.0.0.1", ""), text("", "443"));
  EXPECT_THAT(text("10.0.0.1", "x"), HasSubstr("must have a port between 1 and 65535"));
  EXPECT_THAT(text("10.0.0.1", "443/a"), HasSubstr("must "));
  EXPECT_THAT(text("a b", "443"), HasSubstr("must name a host"));
  files_.remove("ca.crt");
  EXPECT_EQ(text("10.0.0.1", "443"), files_.path() + "/ca.crt: must exist");
  files_.remove("token");
  EXPECT_EQ(text("10.0.0.1", "443"), files_.path() + "/token: must exist");
}

}  // namespace
}  // namespace dynamo::kube
