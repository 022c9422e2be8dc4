#pragma once

// Makes the C library and OpenSSL find in any distribution what they would look for as on Debian.
// For a program that has them inside; to be called before anything else, while there is one thread.
// Sets SSL_CERT_FILE at most, where there is no such variable.
void settle_own_libraries();
