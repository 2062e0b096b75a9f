// Runs the built wavecast as a process: arguments in, exit status, standard output and standard error out.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace wavecast::test {

struct Finished {
  int status = -1;  // exit status, or 128 + signal
  std::string out, err;
};

inline std::string file_text(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

// A file name of this test's own below GoogleTest's temporary folder.
inline std::string temporary(const std::string& name) {
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  return ::testing::TempDir() + "wavecast_" + std::to_string(getpid()) + "_" + test->name() + "_" + name;
}

// `input` is what standard input reads (a path). Output goes through files, so that nothing can block.
inline Finished run_wavecast(const std::vector<std::string>& arguments,
                             const std::string& input = "/dev/null") {
  const std::string out = temporary("stdout"), err = temporary("stderr");
  const std::string program = std::string(WAVECAST_BINARY_DIR) + "/wavecast";
  std::vector<char*> argv = {const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    constexpr int kCreate = O_WRONLY | O_CREAT | O_TRUNC;
    dup2(open(input.c_str(), O_RDONLY), STDIN_FILENO);
    dup2(open(out.c_str(), kCreate, 0600), STDOUT_FILENO);
    dup2(open(err.c_str(), kCreate, 0600), STDERR_FILENO);
    execv(program.c_str(), argv.data());
    _exit(127);
  }
  int wait_status = 0;
  waitpid(child, &wait_status, 0);
  Finished finished{WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status),
                    file_text(out), file_text(err)};
  unlink(out.c_str());
  unlink(err.c_str());
  return finished;
}

// A compiled test kernel: WAVECAST_KERNEL_DIR/NAME.TARGET.co.
inline std::string kernel_file(const std::string& name, const std::string& target = "gfx942") {
  return std::string(WAVECAST_KERNEL_DIR) + "/" + name + "." + target + ".co";
}

}  // namespace wavecast::test
