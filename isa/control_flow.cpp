// Blocks end at branches and start at branch targets; a loop is the body of all back edges to one header.
#include "isa/control_flow.h"

#include <algorithm>

namespace wavecast::isa {

namespace {

constexpr uint32_t kUndefined = 0xffffffff;

bool is_call(const Instruction& instruction) {
  return instruction.mnemonic == "s_call_b64" || instruction.mnemonic == "s_swappc_b64";
}
bool ends_block(const Instruction& instruction) {
  return instruction.instruction_class == InstructionClass::branch ||
         instruction.instruction_class == InstructionClass::end_program || !instruction.next_is_code;
}
// Calls come back; unconditional jumps and the end of the program do not go on.
bool falls_through(const Instruction& instruction) {
  if (!instruction.next_is_code || instruction.instruction_class == InstructionClass::end_program)
    return false;
  if (instruction.instruction_class != InstructionClass::branch) return true;
  return is_call(instruction) || instruction.mnemonic.starts_with("s_cbranch");
}

std::vector<uint32_t> find_blocks(Program& program, std::span<const uint32_t> entries) {
  const auto count = static_cast<uint32_t>(program.instructions.size());
  std::vector<bool> leader(count, false);
  if (count > 0) leader[0] = true;
  for (uint32_t entry : entries) leader[entry] = true;
  for (uint32_t i = 0; i < count; ++i) {
    const Instruction& instruction = program.instructions[i];
    if (instruction.branch_target >= 0) leader[static_cast<uint32_t>(instruction.branch_target)] = true;
    if (ends_block(instruction) && i + 1 < count) leader[i + 1] = true;
  }
  std::vector<uint32_t> block_of(count);
  for (uint32_t i = 0; i < count; ++i) {
    if (leader[i]) program.blocks.push_back({.first = i, .count = 0, .successors = {}, .loop = -1});
    ++program.blocks.back().count;
    block_of[i] = static_cast<uint32_t>(program.blocks.size() - 1);
  }
  for (BasicBlock& block : program.blocks) {
    const uint32_t last = block.first + block.count - 1;
    const Instruction& instruction = program.instructions[last];
    if (falls_through(instruction)) block.successors.push_back(block_of[last + 1]);
    if (instruction.branch_target < 0 || is_call(instruction)) continue;
    const uint32_t target = block_of[static_cast<uint32_t>(instruction.branch_target)];
    if (block.successors.empty() || block.successors.front() != target) block.successors.push_back(target);
  }
  return block_of;
}

// Immediate dominators over a virtual root that precedes every entry and every block nobody jumps to.
class Dominators {
 public:
  Dominators(const Program& program, const std::vector<uint32_t>& roots)
      : root_(static_cast<uint32_t>(program.blocks.size())) {
    predecessors.resize(root_ + 1);
    for (uint32_t block = 0; block < root_; ++block)
      for (uint32_t successor : program.blocks[block].successors) predecessors[successor].push_back(block);
    number_blocks(program, roots);
    immediate_.assign(root_ + 1, kUndefined);
    immediate_[root_] = root_;
    for (uint32_t root : roots) is_root_[root] = true;
    while (improve()) {
    }
  }
  bool reachable(uint32_t block) const { return immediate_[block] != kUndefined; }
  bool dominates(uint32_t ancestor, uint32_t block) const {
    while (number_[block] < number_[ancestor]) block = immediate_[block];
    return block == ancestor;
  }
  std::vector<std::vector<uint32_t>> predecessors;

 private:
  // Postorder numbers; the root gets the highest.
  void number_blocks(const Program& program, const std::vector<uint32_t>& roots) {
    number_.assign(root_ + 1, kUndefined);
    is_root_.assign(root_ + 1, false);
    std::vector<bool> seen(root_ + 1, false);
    std::vector<std::pair<uint32_t, size_t>> stack;
    for (uint32_t root : roots) {
      if (seen[root]) continue;
      seen[root] = true;
      stack.push_back({root, 0});
      while (!stack.empty()) {
        auto& [block, next] = stack.back();
        const std::vector<uint32_t>& successors = program.blocks[block].successors;
        if (next == successors.size()) {
          number_[block] = static_cast<uint32_t>(order_.size());
          order_.push_back(block);
          stack.pop_back();
          continue;
        }
        const uint32_t successor = successors[next++];
        if (!seen[successor]) {
          seen[successor] = true;
          stack.push_back({successor, 0});
        }
      }
    }
    number_[root_] = static_cast<uint32_t>(order_.size());
  }
  uint32_t intersect(uint32_t a, uint32_t b) const {
    while (a != b) {
      while (number_[a] < number_[b]) a = immediate_[a];
      while (number_[b] < number_[a]) b = immediate_[b];
    }
    return a;
  }
  bool improve() {
    bool changed = false;
    for (size_t i = order_.size(); i-- > 0;) {
      const uint32_t block = order_[i];
      uint32_t best = is_root_[block] ? root_ : kUndefined;
      for (uint32_t predecessor : predecessors[block])
        if (immediate_[predecessor] != kUndefined)
          best = best == kUndefined ? predecessor : intersect(best, predecessor);
      if (best == immediate_[block]) continue;
      immediate_[block] = best;
      changed = true;
    }
    return changed;
  }

  uint32_t root_;
  std::vector<uint32_t> number_, order_, immediate_;
  std::vector<bool> is_root_;
};

// Every block that nobody jumps to begins something: a kernel, a function, code that is only called
// indirectly.
std::vector<uint32_t> find_roots(const Program& program, std::span<const uint32_t> entries,
                                 const std::vector<uint32_t>& block_of) {
  std::vector<bool> targeted(program.blocks.size(), false);
  for (const BasicBlock& block : program.blocks)
    for (uint32_t successor : block.successors) targeted[successor] = true;
  std::vector<uint32_t> roots;
  for (uint32_t entry : entries) roots.push_back(block_of[entry]);
  for (uint32_t block = 0; block < program.blocks.size(); ++block)
    if (!targeted[block]) roots.push_back(block);
  return roots;
}

// Blocks from which a back edge to `header` can be reached without passing the header. `seen_for[block]`
// remembers the last header that saw a block, so that it needs no clearing.
std::vector<uint32_t> loop_body(uint32_t header, std::vector<uint32_t> sources, const Dominators& dominators,
                                std::vector<uint32_t>& seen_for) {
  std::vector<uint32_t> body{header};
  seen_for[header] = header;
  std::vector<uint32_t> work = std::move(sources);
  while (!work.empty()) {
    const uint32_t block = work.back();
    work.pop_back();
    if (seen_for[block] == header) continue;
    seen_for[block] = header;
    body.push_back(block);
    for (uint32_t predecessor : dominators.predecessors[block])
      if (dominators.reachable(predecessor)) work.push_back(predecessor);
  }
  std::sort(body.begin(), body.end());
  return body;
}

void find_loops(Program& program, const Dominators& dominators) {
  std::vector<std::vector<uint32_t>> back_edges(program.blocks.size());
  for (uint32_t block = 0; block < program.blocks.size(); ++block) {
    if (!dominators.reachable(block)) continue;
    for (uint32_t successor : program.blocks[block].successors)
      if (dominators.dominates(successor, block)) back_edges[successor].push_back(block);
  }
  std::vector<uint32_t> seen_for(program.blocks.size(), kUndefined);
  for (uint32_t header = 0; header < program.blocks.size(); ++header) {
    if (back_edges[header].empty()) continue;
    Loop& loop = program.loops.emplace_back();
    loop.header = header;
    loop.blocks = loop_body(header, back_edges[header], dominators, seen_for);
  }
  // Outer loops first: a loop inside another has fewer blocks, so blocks end up with their innermost loop.
  std::sort(program.loops.begin(), program.loops.end(), [](const Loop& a, const Loop& b) {
    return a.blocks.size() != b.blocks.size() ? a.blocks.size() > b.blocks.size() : a.header < b.header;
  });
  for (size_t i = 0; i < program.loops.size(); ++i) {
    Loop& loop = program.loops[i];
    loop.parent = program.blocks[loop.header].loop;
    if (loop.parent >= 0) loop.depth = program.loops[static_cast<size_t>(loop.parent)].depth + 1;
    for (uint32_t block : loop.blocks) {
      program.blocks[block].loop = static_cast<int32_t>(i);
      const uint32_t first = program.blocks[block].first;
      for (uint32_t k = 0; k < program.blocks[block].count; ++k)
        loop.code_bytes += program.instructions[first + k].size;
    }
  }
}

}  // namespace

void find_control_flow(Program& program, std::span<const uint32_t> entries) {
  program.blocks.clear();
  program.loops.clear();
  if (program.instructions.empty()) return;
  const std::vector<uint32_t> block_of = find_blocks(program, entries);
  const Dominators dominators(program, find_roots(program, entries, block_of));
  find_loops(program, dominators);
}

}  // namespace wavecast::isa
