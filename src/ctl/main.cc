// sluicectl: ask, inspect and check a Sluice daemon from the command line.
#include <CLI/CLI.hpp>
#include <functional>
#include <iostream>
#include <string>

#include "base/time.h"
#include "base/version.h"
#include "ctl/commands.h"

namespace {

using sluice::ctl::Options;

/// What a verb does is run after the whole line was parsed, so that options may follow it.
using Action = std::function<int()>;

void add_output_option(CLI::App& verb, Options& options) {
  verb.add_flag("--json", options.json, "print JSON for machines");
}

void add_question(CLI::App& app, Options& options, Action& action, const std::string& name,
                  const std::string& command, const std::string& help, const std::string& cost_help) {
  CLI::App* verb = app.add_subcommand(name, help);
  verb->add_option("descriptors", options.descriptors,
                   "what the request says of itself: user=123 ip=203.0.113.5")
      ->required()
      ->type_name("name=value");
  verb->add_option("--cost", options.cost, cost_help)->type_name("N");
  add_output_option(*verb, options);
  verb->callback([&options, &action, command] {
    action = [&options, command] { return sluice::ctl::ask(command, options); };
  });
}

void add_config_verbs(CLI::App& app, Options& options, Action& action) {
  CLI::App* config = app.add_subcommand("config", "look at configuration files, without a daemon");
  config->require_subcommand(1);

  CLI::App* check = config->add_subcommand("check", "say whether a file is right, or where it is wrong");
  check->add_option("file", options.config, "configuration file")->required()->type_name("FILE");
  add_output_option(*check, options);
  check->callback([&] { action = [&options] { return sluice::ctl::config_check(options); }; });

  CLI::App* explain = config->add_subcommand("explain", "say which rules match these descriptors, and why");
  explain->add_option("descriptors", options.descriptors, "user=123 ip=203.0.113.5")
      ->required()
      ->type_name("name=value");
  add_output_option(*explain, options);
  explain->callback([&] { action = [&options] { return sluice::ctl::config_explain(options); }; });

  CLI::App* reference = config->add_subcommand("reference", "print a file with every setting explained");
  reference->callback([&] { action = [] { return sluice::ctl::config_reference(); }; });
}

void add_watching_verbs(CLI::App& app, Options& options, Action& action) {
  CLI::App* top = app.add_subcommand("top", "what the daemon does, live: q leaves");
  top->add_flag("--once", options.once, "print it once; the default where the output is no terminal");
  add_output_option(*top, options);
  top->callback([&] { action = [&options] { return sluice::ctl::top(options); }; });

  CLI::App* health = app.add_subcommand("health", "for probes: 0 well, 1 not well, 2 no answer");
  health->add_flag("--ready", options.ready, "configured and listening, too; says nothing of the store");
  add_output_option(*health, options);
  health->callback([&] { action = [&options] { return sluice::ctl::health(options); }; });
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Asks and inspects a Sluice daemon.", "sluicectl");
  Options options;
  std::string timeout = "1s";
  Action action;
  app.require_subcommand(1);
  app.fallthrough();
  app.set_version_flag("--version", std::string(sluice::version()));
  app.add_option("-s,--socket", options.socket, "the daemon's socket; default: as the configuration says")
      ->envname("SLUICE_SOCKET");
  app.add_option("-a,--admin", options.admin,
                 "the daemon's admin address, for top and health; default: as the configuration says")
      ->envname("SLUICE_ADMIN")
      ->type_name("HOST:PORT");
  app.add_option("-c,--config", options.config, "configuration file")
      ->capture_default_str()
      ->envname("SLUICE_CONFIG");
  app.add_option("--timeout", timeout, "longest wait for the daemon")->capture_default_str();
  app.footer(
      "Exit status: 0 allowed or fine, 1 denied, 2 error.\n"
      "Example: sluicectl -s /run/sluice/sluice.sock check user=123 --cost 2 --json");

  add_question(app, options, action, "check", "CHECK", "take tokens, if every limit has them",
               "tokens to take [1]");
  add_question(app, options, action, "peek", "PEEK", "what a check would answer, taking nothing",
               "tokens to ask for [1]");
  add_question(app, options, action, "refund", "REFUND", "give tokens back", "tokens to give back [1]");
  CLI::App* reset = app.add_subcommand("reset", "forget the counters of these descriptors");
  reset->add_option("descriptors", options.descriptors, "user=123")->required()->type_name("name=value");
  add_output_option(*reset, options);
  reset->callback([&] { action = [&options] { return sluice::ctl::reset(options); }; });
  CLI::App* ping = app.add_subcommand("ping", "is the daemon there, and how fast?");
  add_output_option(*ping, options);
  ping->callback([&] { action = [&options] { return sluice::ctl::ping(options); }; });
  add_watching_verbs(app, options, action);
  add_config_verbs(app, options, action);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? sluice::ctl::kExitAllowed : sluice::ctl::kExitError;
  }
  const auto wait = sluice::parse_duration(timeout);
  if (!wait) {
    std::cerr << "sluicectl: --timeout wants a duration such as 500ms or 2s, not \"" << timeout << "\"\n";
    return sluice::ctl::kExitError;
  }
  options.timeout = *wait;
  return action();
}
