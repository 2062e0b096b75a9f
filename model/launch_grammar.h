// The grammar that --arg and launch files share: scalars, raw bytes, buffers and their contents.
// Places of errors are left to the caller, who knows whether this is an option or a line of a file.
#pragma once

#include <string_view>

#include "model/launch_description.h"

namespace wavecast::model {

inline constexpr std::string_view kArgumentGrammar =
    "u32:4096 i8:-1 f32:1.5 f16:.. bf16:.. f64:.. hex:0011aa null "
    "buf:SIZE[:zero|iota:TYPE|random:TYPE[:LO:HI][:seed=N]|"
    "fill:TYPE:VALUE|file:PATH] same:I";
inline constexpr std::string_view kInitGrammar =
    "zero | iota:TYPE | random:TYPE[:LO:HI][:seed=N] | fill:TYPE:VALUE | file:PATH";

// One argument as text. A buffer is appended to launch.buffers under `buffer_name`; same:I refers to
// launch.arguments.
Expected<ArgumentDescription> parse_argument(LaunchDescription& launch, std::string_view text,
                                             std::string buffer_name);

// A scalar of a type, its bytes little-endian.
Expected<ArgumentDescription> parse_scalar(ElementType type, std::string_view value);

// Raw bytes from hexadecimal digits, first byte first; blanks and '_' between bytes are allowed.
Expected<ArgumentDescription> parse_hex(std::string_view digits);

// "random:f32:0:1:seed=2" and the other forms of kInitGrammar.
Expected<BufferInit> parse_buffer_init(std::string_view text);

// Type by name. Errors: lists the types.
Expected<ElementType> require_element_type(std::string_view name);

// The buffer must hold whole elements and, for a file, exactly its bytes are checked when it is read.
Expected<void> check_buffer(const BufferDescription& buffer);

}  // namespace wavecast::model
