// Kernel selection: which code object a device gets, and every way of naming a kernel.
// The demangled spellings expected here are those of c++filt.
#include <gtest/gtest.h>

#include "isa/code_object_file.h"
#include "support/code_object_inputs.h"

namespace wavecast::isa {
namespace {

using test::InputBuilder;

// void ns::scale<float>(float*, float), the same for double, plain C gemm_nt and gemm_nn, and (anonymous
// namespace)::fill(int*)
const std::vector<std::string> kKernels = {"_ZN2ns5scaleIfEEvPT_S1_", "_ZN2ns5scaleIdEEvPT_S1_", "gemm_nt",
                                           "gemm_nn", "_ZN12_GLOBAL__N_14fillEPi"};

CodeObjectFile open_file(const std::string& path) {
  auto file = CodeObjectFile::open(path);
  if (!file) throw std::runtime_error(file.error().place + ": " + file.error().reason);
  return std::move(*file);
}

std::string selected(const CodeObjectFile& file, std::string_view name, std::string_view processor = "") {
  const auto selection = select_kernel(file, name, processor);
  if (!selection) return "error: " + selection.error().reason + " | " + selection.error().remedy;
  return selection->get().name;
}

TEST(SelectKernel, ByEveryFormOfTheName) {
  const InputBuilder build;
  const CodeObjectFile file = open_file(build.plain_code_object("k.co", kKernels, "gfx942"));
  const std::string scale_float = kKernels[0], scale_double = kKernels[1];
  EXPECT_EQ(selected(file, scale_float), scale_float);
  EXPECT_EQ(selected(file, scale_float + ".kd"), scale_float);
  EXPECT_EQ(selected(file, "void ns::scale<float>(float*, float)"), scale_float);
  EXPECT_EQ(selected(file, "ns::scale<double>(double*,double)"), scale_double);
  EXPECT_EQ(selected(file, "ns::scale<float>"), scale_float);
  EXPECT_EQ(selected(file, "scale<double>"), scale_double);
  EXPECT_EQ(selected(file, "<float>"), scale_float);
  EXPECT_EQ(selected(file, "gemm_nt"), "gemm_nt");
  EXPECT_EQ(selected(file, "_nn"), "gemm_nn");
  EXPECT_EQ(selected(file, "fill"), kKernels[4]);
  EXPECT_EQ(selected(file, "(anonymous namespace)::fill"), kKernels[4]);
}

TEST(SelectKernel, ExactFormsGoBeforeSubstrings) {
  const InputBuilder build;
  const CodeObjectFile file =
      open_file(build.plain_code_object("k.co", {"copy", "copy_back", "_Z4copyPi"}, "gfx942"));
  EXPECT_EQ(selected(file, "copy"), "copy");
  EXPECT_EQ(selected(file, "copy(int*)"), "_Z4copyPi");
  EXPECT_EQ(selected(file, "_back"), "copy_back");
}

TEST(SelectKernel, AmbiguousAndUnknownNamesListCandidates) {
  const InputBuilder build;
  const CodeObjectFile file = open_file(build.plain_code_object("k.co", kKernels, "gfx942"));
  const std::string ambiguous = selected(file, "scale");
  EXPECT_NE(ambiguous.find("holds 2 kernels that match 'scale'"), std::string::npos) << ambiguous;
  EXPECT_NE(ambiguous.find("ns::scale<double>, ns::scale<float>"), std::string::npos) << ambiguous;
  EXPECT_NE(selected(file, "gemm").find("gemm_nn, gemm_nt"), std::string::npos);
  EXPECT_NE(selected(file, "").find("holds 5 kernels"), std::string::npos);
  const std::string misspelt = selected(file, "gem_nt");
  EXPECT_NE(misspelt.find("holds no kernel 'gem_nt' | did you mean gemm_nt"), std::string::npos) << misspelt;
  const std::string wrong = selected(file, "reduce_everything");
  EXPECT_NE(wrong.find("its kernels are"), std::string::npos) << wrong;
}

TEST(SelectKernel, LongListsAreCut) {
  const InputBuilder build;
  std::vector<std::string> many;
  for (int i = 0; i < 40; ++i) many.push_back("kernel_" + std::to_string(i));
  const CodeObjectFile file = open_file(build.plain_code_object("k.co", many, "gfx942"));
  const std::string text = selected(file, "kernel_");
  EXPECT_NE(text.find("holds 40 kernels"), std::string::npos);
  EXPECT_NE(text.find("and 30 more"), std::string::npos) << text;
}

TEST(SelectKernel, OverloadsAreToldApartByTheirParameters) {
  const InputBuilder build;
  const CodeObjectFile file =
      open_file(build.plain_code_object("k.co", {"_Z4fillPi", "_Z4fillPf", "_Z7fill_upv"}, "gfx942"));
  const std::string text = selected(file, "fill");
  EXPECT_NE(text.find("fill(float*), fill(int*)"), std::string::npos) << text;
  EXPECT_EQ(text.find("fill_up"), std::string::npos);
}

TEST(SelectKernel, TheOnlyKernelNeedsNoName) {
  const InputBuilder build;
  EXPECT_EQ(selected(open_file(build.plain_code_object("k.co", {"only"}, "gfx90a")), ""), "only");
}

TEST(SelectKernel, WrongTargetListsTheOnesThereAre) {
  const InputBuilder build;
  const CodeObjectFile file = open_file(build.bundle(
      "f", {{"hipv4-amdgcn-amd-amdhsa--gfx90a", build.plain_code_object("a", {"k"}, "gfx90a")},
            {"hipv4-amdgcn-amd-amdhsa--gfx908", build.plain_code_object("b", {"k"}, "gfx908")}}));
  const auto selection = select_kernel(file, "k", "gfx942");
  ASSERT_FALSE(selection);
  EXPECT_EQ(selection.error().place, file.origin());
  EXPECT_NE(selection.error().reason.find("no code for gfx942, only for gfx908, gfx90a"), std::string::npos);
  EXPECT_NE(selection.error().remedy.find("--offload-arch=gfx942"), std::string::npos);
  EXPECT_NE(selected(file, "k").find("several targets: gfx908, gfx90a"), std::string::npos);
  EXPECT_EQ(selected(file, "k", "gfx90a"), "k");
  EXPECT_NE(selected(file, "k", "mi300x").find("names no AMDGPU processor"), std::string::npos);
}

TEST(SelectKernel, PrefersTheCodeObjectADeviceLoads) {
  const InputBuilder build;
  const auto bundle = [&](const std::vector<std::string>& targets) {
    std::vector<InputBuilder::Image> images;
    for (const std::string& target : targets) {
      const std::string name = "co" + std::to_string(images.size());
      build.code_object(name, test::code_object_source({test::KernelSpec{.name = "k"}}, target, 6), target);
      images.push_back({"hipv4-amdgcn-amd-amdhsa--" + target, build.path(name)});
    }
    return open_file(build.bundle("f", images));
  };
  const auto target_for = [](const CodeObjectFile& file, std::string_view processor) {
    const auto selection = select_kernel(file, "k", processor);
    return selection ? to_string(selection->code_object.target) : selection.error().reason;
  };
  const CodeObjectFile xnack = bundle({"gfx90a:xnack+", "gfx90a:xnack-"});
  EXPECT_EQ(target_for(xnack, "gfx90a"), "gfx90a:xnack-");
  EXPECT_EQ(target_for(xnack, ""), "gfx90a:xnack-");
  EXPECT_EQ(target_for(xnack, "gfx90a:xnack+"), "gfx90a:xnack+");
  const CodeObjectFile ecc = bundle({"gfx908:sramecc-", "gfx908:sramecc+"});
  EXPECT_EQ(target_for(ecc, "gfx908"), "gfx908:sramecc+");
  const CodeObjectFile generic = bundle({"gfx9-4-generic", "gfx942"});
  EXPECT_EQ(target_for(generic, "gfx942"), "gfx942");
  EXPECT_EQ(target_for(generic, "gfx950"), "gfx9-4-generic");
  EXPECT_NE(target_for(generic, "gfx90a").find("no code for gfx90a"), std::string::npos);
  EXPECT_NE(target_for(bundle({"gfx90a:xnack-"}), "gfx90a:xnack+").find("no code for gfx90a:xnack+"),
            std::string::npos);
}

TEST(SelectKernel, LooksThroughAllBundlesOfAProgram) {
  const InputBuilder build;
  std::string objects;
  for (const char* name : {"one", "two", "three"}) {
    const std::string image = build.plain_code_object(
        std::string(name) + ".co", {std::string("kernel_") + name, "shared_template"}, "gfx942");
    const std::string fat =
        build.bundle(std::string(name) + ".hipfb", {{"hipv4-amdgcn-amd-amdhsa--gfx942", image}});
    objects += " " + build.host_object(std::string(name) + ".o", fat);
  }
  build.run("ld.lld-22 -shared" + objects + " -o " + build.path("lib.so"));
  const CodeObjectFile file = open_file(build.path("lib.so"));
  EXPECT_EQ(selected(file, "kernel_three"), "kernel_three");
  EXPECT_EQ(selected(file, "_two", "gfx942"), "kernel_two");
  // The same kernel in several bundles is no ambiguity; the first one is taken.
  const auto selection = select_kernel(file, "shared", "");
  ASSERT_TRUE(selection);
  EXPECT_NE(selection->code_object.find("kernel_one"), nullptr);
  EXPECT_NE(selected(file, "").find("holds 4 kernels"), std::string::npos);
}

}  // namespace
}  // namespace wavecast::isa
