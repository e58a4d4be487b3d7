#include "daemon/http_options.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "config/settings.h"
#include "server/http_options.h"

namespace sluice::daemon {
namespace {

using server::AddressHeader;
using server::IetfHeaders;
using server::LegacyHeaders;

constexpr std::string_view kAddress = "ip";

template <class T>
using Word = std::pair<std::string_view, T>;

constexpr std::array kLegacy{
    Word<LegacyHeaders>{"off", LegacyHeaders::off},
    Word<LegacyHeaders>{"delta", LegacyHeaders::delta},
    Word<LegacyHeaders>{"epoch", LegacyHeaders::epoch},
};
constexpr std::array kIetf{
    Word<IetfHeaders>{"off", IetfHeaders::off},         Word<IetfHeaders>{"draft6", IetfHeaders::draft6},
    Word<IetfHeaders>{"draft7", IetfHeaders::draft7},   Word<IetfHeaders>{"draft8", IetfHeaders::draft8},
    Word<IetfHeaders>{"draft12", IetfHeaders::draft12}, Word<IetfHeaders>{"both", IetfHeaders::both},
};
constexpr std::array kAddressHeader{
    Word<AddressHeader>{"x-forwarded-for", AddressHeader::x_forwarded_for},
    Word<AddressHeader>{"forwarded", AddressHeader::forwarded},
    Word<AddressHeader>{"x-real-ip", AddressHeader::x_real_ip},
    Word<AddressHeader>{"cf-connecting-ip", AddressHeader::cf_connecting_ip},
};

/// The configuration has let none but these words through.
template <class T, std::size_t N>
T value_of(const std::array<Word<T>, N>& words, std::string_view word) {
  const auto* const at = std::ranges::find(words, word, &Word<T>::first);
  SLUICE_ASSERT(at != words.end());
  return at->second;
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

/// Of all the names but the address, in their order.
std::vector<server::HeaderSource> sources_of(const std::vector<std::string>& names,
                                             const config::Settings::Http::Descriptors& descriptors) {
  std::vector<server::HeaderSource> sources;
  for (const std::string& name : names) {
    if (name == kAddress) continue;
    const auto header =
        std::ranges::find(descriptors.headers, name, &config::Settings::Http::Header::descriptor);
    SLUICE_ASSERT(header != descriptors.headers.end());
    sources.push_back({name, header->header, contains(descriptors.hashed, name)});
  }
  return sources;
}

}  // namespace

server::HttpOptions http_options(const config::Settings::Http& http) {
  const config::Settings::Http::Descriptors& descriptors = http.descriptors;
  server::HttpOptions options;
  options.legacy = value_of(kLegacy, http.legacy_headers);
  options.ietf = value_of(kIetf, http.ratelimit_headers);
  options.retry_after = http.retry_after;
  options.warning = http.warning;
  options.problem_json = http.problem_json;
  options.deny_status = http.deny_status;
  options.deny_status_header = http.deny_status_header;
  options.identities = sources_of(descriptors.order, descriptors);
  options.extra = sources_of(descriptors.always, descriptors);
  options.address_is_identity = contains(descriptors.order, kAddress);
  const bool has_address = options.address_is_identity || contains(descriptors.always, kAddress);
  options.address_descriptor = has_address ? kAddress : "";
  options.address_header = value_of(kAddressHeader, http.address_header);
  options.trusted_proxies = http.trusted_proxies;
  options.path_headers = descriptors.path_headers;
  options.method_headers = descriptors.method_headers;
  options.routes = http.routes;
  return options;
}

}  // namespace sluice::daemon
