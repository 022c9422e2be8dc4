#pragma once

// Adapts the statically linked C library and OpenSSL to distributions other than Debian: host names
// resolve without NSS plugins, and an unset SSL_CERT_FILE gets the distribution's CA bundle. Call
// it before anything else, while there is one thread.
void configure_static_libraries();
