// Key pairs for SSH.
#pragma once

#include <string>
#include <string_view>

#include "tls/pem.hpp"

namespace dynamo::tls {

struct SshKeyPair {
  std::string private_key;  // a file as ssh-keygen writes it, without a passphrase
  std::string public_key;   // one line of authorized_keys, with its line feed
};

// A new ECDSA key on P-256. `comment` is printable ASCII. An error when OpenSSL refuses. Any
// thread.
PemResult<SshKeyPair> generate_ssh_key_pair(std::string_view comment);

}  // namespace dynamo::tls
