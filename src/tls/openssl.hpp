// Owning pointers for OpenSSL objects that several folders use, and OpenSSL's error queue as text.
#pragma once

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>
#include <string_view>

namespace dynamo::tls {

template <auto Free>
struct OpensslDelete {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};

using BioPtr = std::unique_ptr<BIO, OpensslDelete<BIO_free>>;
using X509Ptr = std::unique_ptr<X509, OpensslDelete<X509_free>>;
using EvpKeyPtr = std::unique_ptr<EVP_PKEY, OpensslDelete<EVP_PKEY_free>>;
using ExtensionPtr = std::unique_ptr<X509_EXTENSION, OpensslDelete<X509_EXTENSION_free>>;
using GeneralNamesPtr = std::unique_ptr<GENERAL_NAMES, OpensslDelete<GENERAL_NAMES_free>>;
using SslPtr = std::unique_ptr<SSL, OpensslDelete<SSL_free>>;
using SslCtxPtr = std::unique_ptr<SSL_CTX, OpensslDelete<SSL_CTX_free>>;

// A read-only BIO over `text`, which must outlive it. Null if memory is exhausted.
BioPtr bio_over(std::string_view text);

// Everything that was written to a memory BIO.
std::string bio_text(BIO* bio);

// Returns the reason of the newest entry of this thread's error queue in OpenSSL's words, and
// clears the queue. "unknown error" if it is empty. OpenSSL puts no key material there.
std::string take_openssl_error();

// A passphrase callback that always fails: without it OpenSSL prompts on the terminal and blocks.
int refuse_passphrase(char* buffer, int size, int writing, void* seen);

}  // namespace dynamo::tls
