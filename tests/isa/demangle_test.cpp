// Demangling against llvm-cxxfilt, and names made to explode.
#include "isa/demangle.h"

#include <gtest/gtest.h>

#include <sstream>

#include "support/code_object_inputs.h"

namespace wavecast::isa {
namespace {

TEST(Demangle, PrintsWhatCxxfiltPrints) {
  const std::vector<std::string> names = {"_Z7vecCopyPdS_S_ii",
                                          "plain_c_name",
                                          "_ZN12_GLOBAL__N_14fillEPi",
                                          "_Z1fIJidfEEvDpT_",
                                          "_ZN2ns5scaleIfEEvPT_S1_",
                                          "_Z6kernelILi256ELb1E4listIJifEEEvT1_PKv",
                                          "_Z",
                                          "_Znot_mangled",
                                          "",
                                          "_Z1fUlvE_",
                                          "_ZL6staticv",
                                          "_Z16reduce_with_tailIfLj256EEvPKT_mPS0_",
                                          "_ZN7rocprim6detail13sort_selectorIJLj1ELj2EEEEvv"};
  const test::InputBuilder build;
  for (const std::string& name : names) {
    std::string expected = build.run_for_text("printf '%s\\n' '" + name + "' | llvm-cxxfilt-22");
    if (!expected.empty()) expected.pop_back();
    EXPECT_EQ(demangle_kernel_name(name), expected);
  }
}

// f(A<int>, B<A<int>, A<int>>, B<B<...>, B<...>>, ...): every level refers twice to the one before, so that n
// levels print 2^n names. Substitution numbers count in base 36 (Itanium ABI 5.1.10): S_, S0_, S1_, ...
std::string doubling(int levels) {
  const auto substitution = [](int index) {
    std::string digits;
    for (int n = index - 1; index > 0; n /= 36) {
      digits.insert(digits.begin(), "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[n % 36]);
      if (n < 36) break;
    }
    return "S" + digits + "_";
  };
  std::string name = "_Z1f1AIiE";
  for (int i = 0; i < levels; ++i) name += "1BI" + substitution(1 + 2 * i) + substitution(1 + 2 * i) + "E";
  return name;
}

TEST(Demangle, ExplodingNamesAreLeftAlone) {
  EXPECT_NE(demangle_kernel_name(doubling(8)), doubling(8));
  const std::string hostile = doubling(60);  // 2^60 names
  EXPECT_LT(hostile.size(), 1000u);
  EXPECT_EQ(demangle_kernel_name(hostile), hostile);
}

TEST(Demangle, DeepAndLongNamesAreLeftAlone) {
  for (size_t depth : {100u, 5000u, 16000u, 1000000u}) {
    const std::string pointers = "_Z1f" + std::string(depth, 'P') + "i";
    const std::string printed = demangle_kernel_name(pointers);
    EXPECT_TRUE(printed == pointers || printed == "f(int" + std::string(depth, '*') + ")") << depth;
    std::string nested = "_Z1f";
    for (size_t i = 0; i < depth / 4; ++i) nested += "1AI";
    nested += "i" + std::string(depth / 4, 'E');
    EXPECT_FALSE(demangle_kernel_name(nested).empty());
  }
}

}  // namespace
}  // namespace wavecast::isa
