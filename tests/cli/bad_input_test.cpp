// What a person sees after a mistake: exit status 1 for bad input and 2 for usage, and a message with place,
// reason and remedy in two lines. Each case is a mistake that people make.
#include <gtest/gtest.h>

#include <fstream>

#include "cli/process.h"

namespace wavecast::test {
namespace {

struct Mistake {
  std::string name;
  std::vector<std::string> arguments;
  int status;
  std::vector<std::string> parts;  // of standard error, in any order
};

std::string co() { return kernel_file("vector_add"); }

std::string written(const std::string& name, const std::string& text) {
  const std::string path = temporary(name);
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

void expect_mistake(const Mistake& mistake) {
  const Finished result = run_wavecast(mistake.arguments);
  EXPECT_EQ(result.status, mistake.status) << mistake.name << "\n" << result.err;
  EXPECT_EQ(result.out, "") << mistake.name;
  EXPECT_TRUE(result.err.starts_with("wavecast: ")) << mistake.name << "\n" << result.err;
  EXPECT_NE(result.err.find("\n  "), std::string::npos) << mistake.name << ": no remedy\n" << result.err;
  for (const std::string& part : mistake.parts)
    EXPECT_NE(result.err.find(part), std::string::npos) << mistake.name << ": no '" << part << "' in\n"
                                                        << result.err;
}

std::vector<std::string> predict(std::vector<std::string> more, const std::string& file = co()) {
  std::vector<std::string> arguments = {"predict", file, "-k", "vector_add", "--grid", "4", "--block", "64"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}
const std::vector<std::string> kGoodArguments = {"--arg", "buf:1024", "--arg", "buf:1024",
                                                 "--arg", "buf:1024", "--arg", "u32:256"};

TEST(Usage, ExitsWithTwoAndShowsTheWayOut) {
  for (const Mistake& mistake : {
           Mistake{"no command", {}, 2, {"no command", "predict", "usage:"}},
           Mistake{"mistyped command", {"prdict"}, 2, {"prdict", "did you mean 'predict'", "usage:"}},
           Mistake{"unknown option",
                   {"predict", "--gird", "4"},
                   2,
                   {"--gird", "unknown option", "--grid", "usage: wavecast predict"}},
           Mistake{"unknown option with value",
                   {"device", "show", "mi300x", "--sett=l2"},
                   2,
                   {"--sett", "--set"}},
           Mistake{"mistyped subcommand", {"device", "lst"}, 2, {"lst", "did you mean 'list'"}},
           Mistake{"no file", {"predict", "--grid", "1"}, 2, {"no code object", "FILE"}},
           Mistake{"bad model", predict({"--model", "exact"}), 2, {"--model", "cycle", "analytic"}},
           Mistake{"one argument too many", {"inspect", "a", "b"}, 2, {"b", "too many"}},
           Mistake{"missing value", {"predict", co(), "--grid"}, 2, {"--grid"}},
           Mistake{"no block", {"occupancy", "--vgprs", "32"}, 2, {"--block"}},
           Mistake{"nothing to ask", {"occupancy", "--block", "64"}, 2, {"--vgprs"}},
           Mistake{"file and numbers", {"occupancy", co(), "--vgprs", "3", "--block", "64"}, 2, {"either"}},
           Mistake{"register count", {"occupancy", "--vgprs", "many", "--block", "64"}, 2, {"--vgprs"}},
           Mistake{"disassemble without kernel", {"inspect", co(), "--disassemble"}, 2, {"--kernel"}},
           Mistake{"trace of the analytic model",
                   predict({"--model", "analytic", "--trace", "t.json"}),
                   2,
                   {"--trace"}},
           Mistake{"dump without file",
                   {"emulate", co(), "-k", "vector_add", "--grid", "1", "--block", "64", "--arg", "buf:256",
                    "--arg", "buf:256", "--arg", "buf:256", "--arg", "u32:64", "--dump", "2"},
                   2,
                   {"BUFFER=FILE"}},
       })
    expect_mistake(mistake);
}

TEST(Files, AreNamedWithWhatTheyAreInstead) {
  const std::string text = written("notes.txt", "these are notes\n"), empty = written("empty", "");
  const std::string cut = written("cut.co", file_text(co()).substr(0, 700));
  for (const Mistake& mistake : {
           Mistake{"missing", {"inspect", "no_such_file.co"}, 1, {"no_such_file.co"}},
           Mistake{"folder", {"inspect", ::testing::TempDir()}, 1, {::testing::TempDir()}},
           Mistake{"text", {"inspect", text}, 1, {text}},
           Mistake{"empty", {"predict", empty, "--grid", "1", "--block", "64"}, 1, {empty}},
           Mistake{"truncated", {"inspect", cut}, 1, {cut}},
           Mistake{"host program", {"inspect", "/proc/self/exe"}, 1, {"host program", "--offload-arch"}},
       })
    expect_mistake(mistake);
}

TEST(Kernels, AreListedWhenTheNameIsWrong) {
  expect_mistake({"unknown kernel",
                  {"predict", co(), "-k", "vector_ad_d", "--grid", "1", "--block", "64"},
                  1,
                  {"vector_ad_d", "vector_add"}});
  expect_mistake({"ambiguous",
                  {"inspect", kernel_file("transpose"), "-k", "transpose"},
                  1,
                  {"transpose_padded", "transpose_conflicting"}});
  expect_mistake(
      {"several, none named", {"inspect", kernel_file("transpose"), "-k", "a"}, 1, {"transpose_padded"}});
}

TEST(Targets, OfTheFileAndFittingDevicesAreNamed) {
  expect_mistake({"wrong device",
                  predict(kGoodArguments, kernel_file("vector_add", "gfx90a")),
                  1,
                  {"gfx942", "mi300x", "gfx90a", "--offload-arch=gfx942"}});
  expect_mistake({"wrong target", {"inspect", co(), "--target", "gfx90a"}, 1, {"gfx90a", "gfx942"}});
  expect_mistake({"unknown device", predict({"-d", "mi300xx"}), 1, {"mi300xx", "mi300x"}});
  expect_mistake({"unknown parameter", predict({"--set", "l2.capacity=8MiB"}), 1, {"l2.capacity"}});
  expect_mistake({"parameter unit", predict({"--set", "l2.capacity_per_xcd=8parsec"}), 1, {"parsec"}});
  expect_mistake({"unknown device to show", {"device", "show", "mi400"}, 1, {"mi400", "mi300x"}});
}

TEST(Limits, AreNamedWithBothNumbers) {
  const auto launch = [](const char* grid, const char* block, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {"predict", co(), "-k",      "vector_add",
                                          "--grid",  grid, "--block", block};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  };
  for (const Mistake& mistake : {
           Mistake{"block", launch("1", "2048"), 1, {"2048", "1024"}},
           Mistake{"block in two dimensions", launch("1", "64,32"), 1, {"2048", "1024"}},
           Mistake{"zero grid", launch("0", "64"), 1, {"zero"}},
           Mistake{"huge grid", launch("2147483648", "1"), 1, {"2147483647"}},
           Mistake{"too many work-items", launch("67108864", "64"), 1, {"4294967295"}},
           Mistake{"four dimensions", launch("1,1,1,1", "64"), 1, {"three"}},
           Mistake{"negative grid", launch("-1", "64"), 1, {"--grid"}},
           Mistake{"LDS", launch("1", "64", {"--dynamic-lds", "65KiB"}), 1, {"66560", "65536"}},
           Mistake{"no grid", {"predict", co(), "--block", "64"}, 1, {"--grid"}},
           Mistake{"clock", predict({"--clock", "2"}), 1, {"--clock", "MHz"}},
           Mistake{"registers", {"occupancy", "--vgprs", "600", "--block", "64"}, 1, {"600", "256"}},
       })
    expect_mistake(mistake);
}

TEST(Arguments, AreCheckedAgainstTheKernel) {
  for (const Mistake& mistake : {
           Mistake{"too few",
                   predict({"--arg", "buf:1024"}),
                   1,
                   {"kernel takes 4 arguments: float const*, float const*, float*, unsigned int; got 1"}},
           Mistake{"none", predict({}), 1, {"got 0"}},
           Mistake{"value for a pointer",
                   predict({"--arg", "u64:0", "--arg", "buf:1024", "--arg", "buf:1024", "--arg", "u32:1"}),
                   1,
                   {"argument 0", "float const*", "buf:SIZE"}},
           Mistake{"wrong width",
                   predict({"--arg", "buf:1024", "--arg", "buf:1024", "--arg", "buf:1024", "--arg", "u64:1"}),
                   1,
                   {"argument 3", "4 bytes", "u32:"}},
           Mistake{"wrong type",
                   predict({"--arg", "buf:1024", "--arg", "buf:1024", "--arg", "buf:1024", "--arg", "f32:1"}),
                   1,
                   {"argument 3", "unsigned int"}},
           Mistake{"grammar", predict({"--arg", "float:1"}), 1, {"float:1", "f32:1.5"}},
           Mistake{"missing file",
                   predict({"--arg", "buf:1024:file:no_such.bin", "--arg", "same:0", "--arg", "buf:1024",
                            "--arg", "u32:1"}),
                   1,
                   {"no_such.bin"}},
           Mistake{"out of memory",
                   predict({"--arg", "buf:1000000GiB:random:f32", "--arg", "same:0", "--arg", "buf:1024",
                            "--arg", "u32:1"}),
                   1,
                   {"GiB"}},
       })
    expect_mistake(mistake);
}

TEST(LaunchFiles, PointAtLineAndColumn) {
  const std::string bad = written("bad.yaml", "kernel: vector_add\ngird: [1]\n"),
                    yaml = written("broken.yaml", "kernel: [\n");
  const std::string no_file =
      written("no_file.yaml", "code_object: gone.co\nkernel: k\ngrid: 1\nblock: 64\n");
  const std::string both = written("both.yaml", "kernel: vector_add\ngrid: 1\nblock: 64\nkernarg: [u32:1]\n");
  expect_mistake({"unknown key", {"emulate", "--launch", bad}, 1, {bad + ":2:1", "grid"}});
  expect_mistake({"no YAML", {"emulate", "--launch", yaml}, 1, {yaml + ":2"}});
  expect_mistake({"missing", {"emulate", "--launch", "no_such.yaml"}, 1, {"no_such.yaml"}});
  expect_mistake({"relative path", {"emulate", "--launch", no_file}, 1, {::testing::TempDir() + "gone.co"}});
  expect_mistake({"arguments twice", {"emulate", co(), "--launch", both, "--arg", "u32:1"}, 2, {"--arg"}});
}

TEST(Output, ThatCannotBeWrittenIsAnError) {
  const Finished full = run_wavecast({"device", "show", "mi300x", "--json"});
  ASSERT_EQ(full.status, 0) << full.err;
  // /dev/full accepts the open and refuses the write.
  const std::string command =
      std::string(WAVECAST_BINARY_DIR) + "/wavecast device show mi300x --json > /dev/full 2> /dev/null";
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 1);
  // A reader that stops early is no error, and not a signal.
  const std::string pipe =
      "set -o pipefail; " + std::string(WAVECAST_BINARY_DIR) + "/wavecast device show mi300x --json | true";
  EXPECT_EQ(WEXITSTATUS(std::system(("bash -c '" + pipe + "'").c_str())), 0);
}

}  // namespace
}  // namespace wavecast::test
