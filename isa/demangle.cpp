// Demangling through llvm::demangle, guarded: substitutions let a 300-byte name demangle to gigabytes, and
// the parser recurses once per nesting level. So the parse tree's printed size is bounded first (the tree
// shares nodes, so that takes linear time), and long names are left alone. Source: Itanium C++ ABI; LLVM 22
// llvm/Demangle.
#include "isa/demangle.h"

#include <llvm/Demangle/Demangle.h>
#include <llvm/Demangle/ItaniumDemangle.h>

#include <algorithm>
#include <limits>
#include <memory_resource>
#include <new>
#include <type_traits>
#include <unordered_map>
#include <utility>

namespace wavecast::isa {
namespace {

using llvm::itanium_demangle::Node;
using llvm::itanium_demangle::NodeArray;

// Names of real kernels reach several kilobytes, demangled some tens; beyond these limits no person reads
// them.
constexpr size_t kLongestMangled = 16 * 1024;
constexpr double kLongestDemangled = 1024 * 1024;
constexpr int kDeepest =
    1000;  // nesting of types; parse-tree recursion costs some hundred bytes of stack per level

// The interface ManglingParser asks of an allocator; nodes need no destructor.
class Arena {
 public:
  void reset() { memory_.release(); }
  template <class T, class... Args>
  T* makeNode(Args&&... args) {
    return new (memory_.allocate(sizeof(T), alignof(T))) T(std::forward<Args>(args)...);
  }
  void* allocateNodeArray(size_t count) {
    return memory_.allocate(sizeof(Node*) * count + 1, alignof(Node*));
  }

 private:
  std::pmr::monotonic_buffer_resource memory_;
};

// An upper bound of the characters printed for a node, and of the work to print it.
class SizeBound {
 public:
  double of(const Node* node) { return node ? visit(node).size : 0; }

 private:
  struct Bound {
    double size = 0;
    double pack =
        1;  // elements of the largest parameter pack below: an expansion prints its child that often
  };
  static constexpr double kEndless = std::numeric_limits<double>::infinity();
  static constexpr double kPunctuation =
      32;  // the longest fixed text of a node, such as "__attribute__((vector"

  Bound visit(const Node* node) {
    if (const auto found = known_.find(node); found != known_.end()) return found->second;
    if (depth_ >= kDeepest) return {kEndless, 1};
    known_[node] = {0, 1};  // a forward reference may lead back here; printing stops at it, too
    ++depth_;
    Bound bound;
    node->visit([&](const auto* concrete) { bound = children(concrete); });
    --depth_;
    bound.size += kPunctuation;
    return known_[node] = bound;
  }

  template <class Concrete>
  Bound children(const Concrete* node) {
    Bound sum;
    node->match([&](const auto&... arguments) { (add(sum, arguments), ...); });
    if (node->getKind() == Node::KParameterPackExpansion) sum.size *= sum.pack;
    if (node->getKind() == Node::KParameterPack) sum.pack = std::max(sum.pack, sum.size / kPunctuation);
    return sum;
  }
  Bound children(const llvm::itanium_demangle::ForwardTemplateReference* node) {
    return node->Ref ? visit(node->Ref) : Bound{};
  }

  void add(Bound& sum, const Node* child) {
    if (!child) return;
    const Bound bound = visit(child);
    sum.size += bound.size;
    sum.pack = std::max(sum.pack, bound.pack);
  }
  void add(Bound& sum, NodeArray children) {
    for (const Node* child : children) add(sum, child);
  }
  void add(Bound& sum, std::string_view text) { sum.size += static_cast<double>(text.size()); }
  template <class Other>
  requires(!std::is_convertible_v<Other, const Node*>) void add(Bound&, const Other&) {
  }  // flags and numbers: part of kPunctuation

  std::unordered_map<const Node*, Bound> known_;
  int depth_ = 0;
};

bool prints_reasonably(std::string_view name) {
  llvm::itanium_demangle::ManglingParser<Arena> parser(name.data(), name.data() + name.size());
  const Node* root = parser.parse();
  return root && SizeBound().of(root) <= kLongestDemangled;
}

}  // namespace

std::string demangle_kernel_name(std::string_view name) {
  const bool mangled = name.starts_with("_Z") && name.size() <= kLongestMangled;
  return mangled && prints_reasonably(name) ? llvm::demangle(name) : std::string(name);
}

}  // namespace wavecast::isa
