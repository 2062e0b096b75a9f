// Parts of the vector ALU tables: each file contributes its rows, the rows functions of semantics.h
// concatenate them.
#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "isa/semantics/semantics.h"

namespace wavecast::isa {

std::span<const SemanticsRow> vop1_basic_rows();       // moves, bits, rounding, frexp   vop1.cpp
std::span<const SemanticsRow> vop1_conversion_rows();  //                                vop1_conversions.cpp
std::span<const SemanticsRow>
vop1_transcendental_rows();                          //                                vop1_transcendental.cpp
std::span<const SemanticsRow> vop2_basic_rows();     // 32-bit and 64-bit              vop2.cpp
std::span<const SemanticsRow> vop2_16bit_rows();     //                                vop2_16bit.cpp
std::span<const SemanticsRow> vop3_integer_rows();   //                                vop3.cpp
std::span<const SemanticsRow> vop3_float_rows();     //                                vop3_float.cpp
std::span<const SemanticsRow> vop3_division_rows();  // div_*, trig_preop              vop3_division.cpp
std::span<const SemanticsRow> vop3_16bit_rows();     //                                vop3_16bit.cpp
std::span<const SemanticsRow> vop3_conversion_rows();  // cvt_pk, fp8                    vop3_conversions.cpp
std::span<const SemanticsRow> vop3_scaled_rows();   // gfx950 scaled conversions vop3_scaled_conversions.cpp
std::span<const SemanticsRow> cross_lane_rows();    // readlane, mbcnt, permlane      cross_lane.cpp
std::span<const SemanticsRow> vop3p_packed_rows();  // v_pk_*                         vop3p.cpp
std::span<const SemanticsRow> vop3p_dot_rows();     // v_dot*, v_fma_mix*             vop3p_dot.cpp

inline std::vector<SemanticsRow> concatenate(std::initializer_list<std::span<const SemanticsRow>> parts) {
  std::vector<SemanticsRow> rows;
  for (auto part : parts) rows.insert(rows.end(), part.begin(), part.end());
  return rows;
}

}  // namespace wavecast::isa
