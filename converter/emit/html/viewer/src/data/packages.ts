// SPDX-License-Identifier: Apache-2.0
// The package that a function's name says it belongs to.

/**
 * A Go package path, a Java package, or the first namespace of a C++ or Rust name.
 * "" if the name has none.
 */
export function packageOf(name: string): string {
  // Go: github.com/user/module/package.(*Type).Method
  const slash = name.search(/\/[^/(<]*\.[^/]*$/);
  if (slash > 0 && /^[\w.~-]+\//.test(name)) {
    return name.slice(0, name.indexOf('.', slash));
  }
  const plain = name.replace(/^(?:<&?(?:mut |dyn )?|_?\$|\(anonymous namespace\)::|non-virtual thunk to )+/, '');
  const namespace = /^([A-Za-z_]\w*)::/.exec(plain);
  if (namespace !== null) return namespace[1]!;
  // A template's result type may precede the name: "void absl::Foo<int>(…)".
  const typed = /^(?:[\w:<>*& ]+ )?([A-Za-z_]\w*)::/.exec(plain.slice(0, 200));
  if (typed !== null) return typed[1]!;
  const java = /^L?((?:[a-z_]\w*[./])+)[A-Z]/.exec(plain);
  if (java !== null) return java[1]!.slice(0, -1).replaceAll('/', '.');
  const go = /^([a-z]\w*)\.[\w(]/.exec(plain);
  return go === null ? '' : go[1]!;
}
