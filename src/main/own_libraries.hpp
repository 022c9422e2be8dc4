#pragma once

// Makes the statically linked C library and OpenSSL find on any distribution what they would find
// on Debian. Call it before anything else, while there is one thread. Sets at most SSL_CERT_FILE,
// if it is not set.
void settle_own_libraries();
