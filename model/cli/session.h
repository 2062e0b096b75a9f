// What every verb shares: output, errors with exit status, progress. The only part of the command line that
// writes.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "model/error.h"

namespace CLI {
class App;
}

namespace wavecast::cli {

// Exit status of the process, part of the command line's contract.
enum class Status { done = 0, bad_input = 1, usage = 2, internal_error = 3 };

// A failed verb: what to print and how to exit.
struct Failure {
  model::Error error;
  Status status = Status::bad_input;
};

// A verb ends with a status (a check that failed is bad_input without an error) or a Failure.
using Outcome = tl::expected<Status, Failure>;

// Makes the two kinds of Failure.
tl::unexpected<Failure> bad_input(model::Error error);
tl::unexpected<Failure> bad_usage(std::string place, std::string reason, std::string remedy = {});

// Options that every verb takes.
struct Session {
  bool json = false;
  bool quiet = false;
  Status status = Status::done;
};

// Adds --json and -q to a verb and makes `run` its action; `run`'s failure is printed and sets the session's
// status.
void finish_verb(CLI::App& verb, Session& session, std::function<Outcome()> run);

// Writes to standard output. A reader that went away is no error; a full disk is.
tl::expected<void, Failure> write_output(std::string_view text);

// Writes a whole file; "-" is standard output.
tl::expected<void, Failure> write_file(const std::string& path, std::string_view bytes);

// "wavecast: PLACE: REASON\n  REMEDY\n" on standard error.
void print_error(const model::Error& error);

// A bar on standard error for work over a second; nothing unless standard error is a terminal and `quiet` is
// false.
class Progress {
 public:
  Progress(std::string label, bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void update(double fraction);

 private:
  std::string label_;
  bool enabled_, shown_ = false;
  std::chrono::steady_clock::time_point started_, last_;
};

}  // namespace wavecast::cli
