// The wavecast command line: verbs, usage errors and the last line of defence. Exit status: 0 done, 1 bad
// input, 2 usage, 3 internal error.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>

#include "hardware/close_names.h"
#include "model/cli/verbs.h"
#include "model/version.h"

namespace wavecast::cli {
namespace {

// The verb that the user was in when parsing failed: the innermost one that was entered.
const CLI::App& entered(const CLI::App& app) {
  const auto subcommands = app.get_subcommands();
  return subcommands.empty() ? app : entered(*subcommands.front());
}

std::vector<std::string> option_names(const CLI::App& verb) {
  std::vector<std::string> names;
  for (const CLI::Option* option : verb.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::vector<std::string> verb_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(verb->get_name());
  return names;
}

std::string full_name(const CLI::App& verb) {
  return verb.get_parent() ? full_name(*verb.get_parent()) + " " + verb.get_name() : std::string("wavecast");
}

// What was wrong, in our words where CLI11's are unclear.
model::Error explain(const CLI::App& verb, const CLI::ParseError& error) {
  const auto rest = verb.remaining(false);
  const bool has_verbs = !verb_names(verb).empty();
  if (has_verbs && !rest.empty() && !rest.front().starts_with('-'))
    return model::Error(rest.front(),
                        has_verbs && verb.get_parent() ? "no such subcommand" : "no such command",
                        hardware::name_remedy(rest.front(), verb_names(verb)));
  for (const std::string& text : rest)
    if (text.size() > 1 && text.starts_with('-'))
      return model::Error(text, "unknown option",
                          hardware::name_remedy(text.substr(0, text.find('=')), option_names(verb)));
  if (dynamic_cast<const CLI::ExtrasError*>(&error) && !rest.empty())
    return model::Error(rest.front(), "one argument too many",
                        "quote names with blanks; repeat an option for several values");
  if (has_verbs)
    return model::Error("", "no command is given",
                        fmt::format("commands: {}", fmt::join(verb_names(verb), ", ")));
  return model::Error("", error.what(), "");
}

Status usage_error(CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& verb = entered(app);
  print_error(explain(verb, error));
  fmt::print(
      stderr, "usage: {} {}\n  '{} --help' lists the options\n", full_name(verb),
      verb_names(verb).empty() ? "[OPTIONS] ..." : fmt::format("{} ...", fmt::join(verb_names(verb), " | ")),
      full_name(verb));
  return Status::usage;
}

Status run(int argc, char** argv) {
  CLI::App app("wavecast predicts how long compiled AMDGPU kernels take on AMD Instinct, without a GPU",
               "wavecast");
  Session session;
  app.set_version_flag("--version", fmt::format("wavecast {}", model::version()));
  app.require_subcommand(1);
  app.set_help_all_flag("--help-all", "Options of every command");
  add_predict(app, session);
  add_emulate(app, session);
  add_inspect(app, session);
  add_occupancy(app, session);
  add_device(app, session);
  app.footer("Exit status: 0 done, 1 bad input, 2 usage, 3 internal error");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != static_cast<int>(CLI::ExitCodes::Success)) return usage_error(app, error);
    app.exit(error);  // --help and --version
  }
  return session.status;
}

}  // namespace
}  // namespace wavecast::cli

int main(int argc, char** argv) {
  using wavecast::cli::Status;
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is seen as EPIPE by write_output
  try {
    return static_cast<int>(wavecast::cli::run(argc, argv));
  } catch (const std::bad_alloc&) {
    std::fputs("wavecast: out of memory\n  use smaller buffers or a smaller launch\n", stderr);
    return static_cast<int>(Status::bad_input);
  } catch (const std::exception& error) {
    fmt::print(stderr,
               "wavecast: internal error: {}\n  this is a defect of wavecast; please report it with the "
               "command line\n",
               error.what());
    return static_cast<int>(Status::internal_error);
  }
}
