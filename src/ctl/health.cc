#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "ctl/client.h"
#include "ctl/commands.h"
#include "ctl/http_get.h"
#include "ctl/output.h"

namespace sluice::ctl {
namespace {

namespace json = boost::json;

int report(const Options& options, bool well, std::string detail) {
  while (detail.ends_with('\n')) detail.pop_back();
  if (options.json) {
    print(json::serialize(json::object{{"ok", well}, {"detail", detail}}) + "\n");
  } else {
    print(detail + "\n");
  }
  return well ? kExitAllowed : kExitDenied;
}

/// A daemon that answers is alive; and since it listens only once it is configured, it is ready.
int ask_socket(const Options& options) {
  const auto path = socket_path(options);
  if (!path) return fail(path.error().message);
  auto client = Client::connect(*path, options.timeout);
  if (!client) return fail(client.error().message);
  const auto answer = client->call({"PING"});
  if (!answer) return fail(answer.error().message);
  return report(options, true, "ok");
}

}  // namespace

int health(const Options& options) {
  if (options.admin.empty() && !options.socket.empty()) return ask_socket(options);
  const auto address = admin_address(options);
  if (!address) return fail(address.error().message);
  if (address->empty()) return ask_socket(options);
  const auto reply = http_get(*address, options.ready ? "/readyz" : "/healthz", options.timeout);
  if (!reply) return fail(reply.error().message);
  constexpr int kOk = 200;
  constexpr int kUnavailable = 503;
  if (reply->status != kOk && reply->status != kUnavailable) {
    return fail("HTTP status " + std::to_string(reply->status) + " at " + *address + ": is that a sluiced?");
  }
  return report(options, reply->status == kOk, reply->body);
}

}  // namespace sluice::ctl
