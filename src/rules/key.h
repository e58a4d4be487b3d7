// The names of counters.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rules/condition.h"
#include "rules/request.h"

namespace sluice::rules {

/// One descriptor that separates a rule's counters.
struct KeyPart {
  /// `digest`: the rule knows this value by its SHA-256 only, so it must not reach the store or a log.
  enum class Form : std::uint8_t { plain, digest };

  std::string descriptor;
  Form form = Form::plain;
};

/// How one rule names its counters.
struct KeyPlan {
  std::string rule;
  std::vector<KeyPart> parts;  ///< in the order of the rule's match; none: one counter
  int ipv6_prefix = 64;        ///< IPv6 addresses that share these bits share a counter
};

/// Writes the key into `out`, reusing its memory. Every part must be present in the request. The layout is
/// the rule's name, '/', and for each part
///   '4' and 4 bytes, or '6' and 16 bytes: an address;
///   't', the decimal length, ':' and the bytes: text;
///   'x' and the same: the value of an address descriptor that is no address;
///   's' and 32 bytes: the SHA-256 of a secret.
/// Each is self-delimiting, so different values never give equal keys. Where the parts take more than
/// kMaxPlainKey bytes, '#' and their SHA-256 stand for them; no part begins with '#'.
void encode_key(const KeyPlan& plan, const Request& request, std::string& out);

/// The same for people: `per-user{user="7", ip=2001:db8::/64}`. Shows nothing of the descriptors in
/// `secrets`.
[[nodiscard]] std::string describe_key(const KeyPlan& plan, const Request& request,
                                       std::span<const std::string> secrets);

/// Of what encode_key wrote: `user=7 ip=2001:db8::/64`; bytes that cannot be shown are escaped, and of a
/// SHA-256, or of the value of one of `secrets`, the first four bytes follow a '#'. `*`: all share one
/// counter. Nothing: `key` is not of this plan.
[[nodiscard]] std::optional<std::string> describe_encoded_key(const KeyPlan& plan, std::string_view key,
                                                              std::span<const std::string> secrets);

}  // namespace sluice::rules
