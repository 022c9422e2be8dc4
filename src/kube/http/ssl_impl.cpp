// The one place where the non-template parts of Asio's TLS are compiled.
#include <boost/asio/ssl/impl/src.hpp>
