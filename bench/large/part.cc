// SPDX-License-Identifier: Apache-2.0

// One of the units of a large C++ program with debug information and deep
// chains of inlined functions, which bench/symbolize resolves. PART numbers it.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

namespace large {

template <int N>
struct Key {
  int a = N;
  std::string b;
  bool operator<(const Key& o) const {
    return std::tie(a, b) < std::tie(o.a, o.b);
  }
  bool operator==(const Key& o) const { return a == o.a && b == o.b; }
};
template <int N>
struct Hash {
  size_t operator()(const Key<N>& k) const {
    return std::hash<std::string>()(k.b) * 31 + k.a;
  }
};

template <int N>
int Work(int n) {
  std::map<Key<N>, std::vector<double>> tree;
  std::unordered_map<Key<N>, std::string, Hash<N>> table;
  std::set<Key<N>> seen;
  std::deque<Key<N>> queue;
  std::list<std::unique_ptr<Key<N>>> owned;
  std::mt19937_64 random(n);
  for (int i = 0; i < n; ++i) {
    Key<N> k{static_cast<int>(random() % 100), std::to_string(i)};
    tree[k].push_back(i);
    table.emplace(k, k.b + "!");
    seen.insert(k);
    queue.push_front(k);
    owned.push_back(std::make_unique<Key<N>>(k));
  }
  std::sort(queue.begin(), queue.end());
  std::stable_sort(queue.begin(), queue.end(),
                   [](const auto& x, const auto& y) { return y < x; });
  owned.sort([](const auto& x, const auto& y) { return *x < *y; });
  std::vector<std::variant<int, std::string, Key<N>>> mixed;
  std::ostringstream out;
  for (const auto& [k, v] : tree) {
    out << k.b << std::accumulate(v.begin(), v.end(), 0.0);
    if (k.a % 2 != 0)
      mixed.push_back(k);
    else
      mixed.push_back(k.b);
  }
  std::function<int(int)> fold = [&](int i) {
    return i == 0 ? N : fold(i - 1) + static_cast<int>(mixed.size());
  };
  std::sort(mixed.begin(), mixed.end());
  std::regex pattern("([a-z]+)" + std::to_string(N));
  std::smatch match;
  const std::string text = out.str();
  int total = fold(n % 7) + std::regex_search(text, match, pattern);
  for (auto it = std::sregex_iterator(text.begin(), text.end(), pattern);
       it != std::sregex_iterator(); ++it) {
    total += static_cast<int>(it->length());
  }
  for (auto& v : mixed) {
    total += std::visit(
        [](auto& x) -> int {
          using T = std::decay_t<decltype(x)>;
          if constexpr (std::is_same_v<T, int>)
            return x;
          else if constexpr (std::is_same_v<T, std::string>)
            return x.size();
          else
            return x.a;
        },
        v);
  }
  return total + static_cast<int>(table.size() + seen.size());
}

#define PERF2X_JOIN(a, b) PERF2X_JOINED(a, b)
#define PERF2X_JOINED(a, b) a##b

int PERF2X_JOIN(Part, PART)(int n) {
  return Work<PART * 2>(n) + Work<PART * 2 + 1>(n);
}

}  // namespace large
