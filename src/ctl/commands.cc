#include "ctl/commands.h"

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/load.h"
#include "ctl/answer.h"
#include "ctl/client.h"
#include "ctl/output.h"
#include "rules/descriptor.h"
#include "wire/resp/reply_parser.h"

namespace sluice::ctl {
namespace {

int report(const config::Problems& problems) {
  for (const config::Problem& problem : problems) {
    static_cast<void>(std::fprintf(stderr, "%s\n", problem.text().c_str()));
  }
  return kExitError;
}

Result<wire::resp::Value> call(const Options& options, const std::vector<std::string_view>& words) {
  const auto path = socket_path(options);
  if (!path) return std::unexpected(path.error());
  auto client = Client::connect(*path, options.timeout);
  if (!client) return std::unexpected(client.error());
  return client->call(words);
}

std::vector<std::string_view> words_of(std::string_view verb, const Options& options) {
  std::vector<std::string_view> words{verb};
  words.insert(words.end(), options.descriptors.begin(), options.descriptors.end());
  if (!options.cost.empty()) {
    words.emplace_back("COST");
    words.emplace_back(options.cost);
  }
  return words;
}

}  // namespace

int ask(const std::string& verb, const Options& options) {
  const auto value = call(options, words_of(verb, options));
  if (!value) return fail(value.error().message);
  const auto answer = read_answer(*value);
  if (!answer) return fail(answer.error().message);
  print((options.json ? for_machines(*answer) : for_people(*answer)) + "\n");
  return answer->allowed ? kExitAllowed : kExitDenied;
}

int reset(const Options& options) {
  const auto value = call(options, words_of("RESET", options));
  if (!value) return fail(value.error().message);
  const std::string count = std::to_string(value->integer);
  print(options.json ? "{\"reset\":" + count + "}\n"
                     : count + (count == "1" ? " counter" : " counters") + " reset\n");
  return kExitAllowed;
}

int ping(const Options& options) {
  const auto started = std::chrono::steady_clock::now();
  const auto value = call(options, {"PING"});
  if (!value) return fail(value.error().message);
  const auto took =
      std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - started);
  const std::string us = std::to_string(took.count());
  print(options.json ? "{\"ok\":true,\"connect_and_ping_us\":" + us + "}\n"
                     : value->text + " (connected and answered in " + us + " us)\n");
  return kExitAllowed;
}

int config_check(const Options& options) {
  const auto config = config::load_file(options.config);
  if (!config) return report(config.error());
  const std::string rules = std::to_string(config->settings.policy.rules.size());
  const std::string bypasses = std::to_string(config->settings.policy.bypass.size());
  print(options.json ? "{\"ok\":true,\"rules\":" + rules + ",\"bypasses\":" + bypasses + "}\n"
                     : options.config + ": fine, " + rules + " rules, " + bypasses + " bypasses\n");
  return kExitAllowed;
}

int config_explain(const Options& options) {
  const auto config = config::load_file(options.config);
  if (!config) return report(config.error());
  std::vector<rules::Descriptor> descriptors;
  for (const std::string& word : options.descriptors) {
    const std::size_t equals = word.find('=');
    if (equals == 0 || equals == std::string::npos) return fail("\"" + word + "\" is not name=value");
    const std::string_view view = word;
    descriptors.push_back({.name = view.substr(0, equals), .value = view.substr(equals + 1)});
  }
  const bool bypassed = config->policy->bypass_of(descriptors).has_value();
  const auto rules = config->policy->explain(descriptors);
  print(options.json ? for_machines(rules, bypassed) : for_people(rules, bypassed));
  return kExitAllowed;
}

int config_reference() {
  print(config::reference_toml());
  return kExitAllowed;
}

}  // namespace sluice::ctl
