#include "rules/key.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/address.h"
#include "base/assert.h"
#include "base/hash.h"
#include "base/text.h"
#include "rules/policy.h"
#include "rules/request.h"

namespace sluice::rules {
namespace {

constexpr char kEndOfRule = '/';  // no rule's name holds one
constexpr char kTagText = 't';
constexpr char kTagNoAddress = 'x';
constexpr char kTagSecret = 's';
constexpr char kTagHashed = '#';

const Value& value_of(const KeyPart& part, const Request& request) {
  const Value* value = request.find(part.descriptor);
  SLUICE_ASSERT(value != nullptr);  // compile() lets a key name only what the rule's match names
  return *value;
}

std::string_view as_view(const Sha256& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

/// The address whose bits count: IPv6 ones by their leading bits.
Address counted(const Address& address, int ipv6_prefix) {
  return address.kind() == Address::Kind::ipv6 ? address.masked(ipv6_prefix) : address;
}

/// What precedes the bytes of a text.
std::string text_header(const Value& value) {
  const char tag = value.kind() == ValueKind::text ? kTagText : kTagNoAddress;
  return std::string(1, tag).append(std::to_string(value.text().size())).append(1, ':');
}

std::size_t encoded_size(const KeyPart& part, const Request& request) {
  if (part.form == KeyPart::Form::digest) return 1 + sizeof(Sha256);
  const Value& value = value_of(part, request);
  if (const Address* address = value.address()) return address->form().size();
  return text_header(value).size() + value.text().size();
}

void append_parts(const KeyPlan& plan, const Request& request, std::string& out) {
  for (const KeyPart& part : plan.parts) {
    const Value& value = value_of(part, request);
    if (part.form == KeyPart::Form::digest) {
      out.append(1, kTagSecret).append(as_view(value.digest()));
    } else if (const Address* address = value.address()) {
      out.append(counted(*address, plan.ipv6_prefix).form());
    } else {
      out.append(text_header(value)).append(value.text());
    }
  }
}

std::string describe_part(const KeyPart& part, const KeyPlan& plan, const Request& request,
                          std::span<const std::string> secrets) {
  const Value& value = value_of(part, request);
  const std::string name = printable(part.descriptor);
  if (std::ranges::find(secrets, part.descriptor) != secrets.end()) return name + "=<hidden>";
  const Address* address = value.address();
  if (address == nullptr) return fmt::format("{}=\"{}\"", name, printable(value.text()));

  const std::string text = counted(*address, plan.ipv6_prefix).text();
  const bool is_block = address->kind() == Address::Kind::ipv6 && plan.ipv6_prefix < Address::kIpv6Bits;
  return is_block ? fmt::format("{}={}/{}", name, text, plan.ipv6_prefix) : fmt::format("{}={}", name, text);
}

}  // namespace

void encode_key(const KeyPlan& plan, const Request& request, std::string& out) {
  std::size_t size = 0;
  for (const KeyPart& part : plan.parts) size += encoded_size(part, request);
  out.assign(plan.rule).append(1, kEndOfRule);
  if (size <= kMaxPlainKey) {
    out.reserve(out.size() + size);
    append_parts(plan, request, out);
    return;
  }
  // In memory of its own: `out` lives on, and would keep the room that long values need.
  std::string values;
  values.reserve(size);
  append_parts(plan, request, values);
  out.append(1, kTagHashed).append(as_view(sha256(values)));
}

std::string describe_key(const KeyPlan& plan, const Request& request, std::span<const std::string> secrets) {
  if (plan.parts.empty()) return plan.rule;
  std::string parts;
  for (const KeyPart& part : plan.parts) {
    if (!parts.empty()) parts += ", ";
    parts += describe_part(part, plan, request, secrets);
  }
  return fmt::format("{}{{{}}}", plan.rule, parts);
}

}  // namespace sluice::rules
