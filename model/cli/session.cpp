// Output, errors and progress of the command line.
#include "model/cli/session.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace wavecast::cli {

tl::unexpected<Failure> bad_input(model::Error error) {
  return tl::unexpected(Failure{std::move(error), Status::bad_input});
}

tl::unexpected<Failure> bad_usage(std::string place, std::string reason, std::string remedy) {
  return tl::unexpected(
      Failure{model::Error(std::move(place), std::move(reason), std::move(remedy)), Status::usage});
}

void finish_verb(CLI::App& verb, Session& session, std::function<Outcome()> run) {
  verb.add_flag("--json", session.json, "Print one JSON document");
  verb.add_flag("-q,--quiet", session.quiet, "No progress bar");
  verb.callback([&verb, &session, run = std::move(run)] {
    const Outcome outcome = run();
    if (outcome) {
      session.status = *outcome;
      return;
    }
    print_error(outcome.error().error);
    if (outcome.error().status == Status::usage)
      fmt::print(stderr, "  'wavecast {} --help' lists the options\n", verb.get_name());
    session.status = outcome.error().status;
  });
}

tl::expected<void, Failure> write_output(std::string_view text) {
  const bool written =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (written || errno == EPIPE) return {};
  return bad_input(
      model::Error("standard output", std::strerror(errno), "free some space or write elsewhere"));
}

tl::expected<void, Failure> write_file(const std::string& path, std::string_view bytes) {
  if (path == "-") return write_output(bytes);
  std::FILE* file = std::fopen(path.c_str(), "wb");
  const bool written = file && std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  const int write_error = errno;
  const bool closed = file && std::fclose(file) == 0;
  if (written && closed) return {};
  return bad_input(model::Error(path,
                                fmt::format("cannot write: {}", std::strerror(written ? errno : write_error)),
                                "check the folder and its permissions"));
}

void print_error(const model::Error& error) {
  std::string text = "wavecast: ";
  if (!error.place.empty()) text += error.place + ": ";
  text += error.reason + "\n";
  if (!error.remedy.empty()) text += "  " + error.remedy + "\n";
  std::fwrite(text.data(), 1, text.size(), stderr);
}

Progress::Progress(std::string label, bool quiet)
    : label_(std::move(label)),
      enabled_(!quiet && isatty(STDERR_FILENO)),
      started_(std::chrono::steady_clock::now()),
      last_(started_) {}

Progress::~Progress() {
  if (shown_) fmt::print(stderr, "\r\x1b[K");  // erase the line
}

void Progress::update(double fraction) {
  if (!enabled_) return;
  const auto now = std::chrono::steady_clock::now();
  // A second before the first sight, then ten times a second: visible without slowing the work down.
  if (now - started_ < std::chrono::seconds(1) || now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  shown_ = true;
  constexpr int kWidth = 30;
  fraction = std::clamp(fraction, 0.0, 1.0);
  const int filled = static_cast<int>(fraction * kWidth);
  fmt::print(stderr, "\r{} [{}{}] {:3.0f} %\x1b[K", label_, std::string(filled, '#'),
             std::string(kWidth - filled, '.'), fraction * 100);
  std::fflush(stderr);
}

}  // namespace wavecast::cli
