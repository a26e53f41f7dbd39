// Package jsast parses JavaScript and says what stands in it: functions,
// imports, exports, scopes, comments, and the syntax tree in a form on which
// two files can be proven equal. It is the only importer of goja.
//
// Promises.
//   - The same bytes give the same [Module], whichever [Engine] parsed them:
//     goja in this process and node as a child run the same bundle, and their
//     answers are equal byte by byte.
//   - Every offset counts bytes of the source as it was handed in, byte order
//     mark included.
//   - [Diff] finds every difference that a program could notice, and none in
//     what a formatter may choose. normal.go lists what a formatter may choose.
//   - No code of the file is run, nothing is written, no network is used.
//
// Failures.
//   - [*SyntaxError]: the file is not JavaScript; it has the position. Decorators,
//     types in JavaScript and nesting beyond the bundle's bound count as such.
//   - [*LimitError]: the file is too large, too long, or minified. It was not parsed.
//   - [*EngineError]: the engine failed: it ended, answered nonsense or took more
//     than [Timeout]. Nothing is known of the file. A node that died is started
//     again, once a file.
//   - [*TypesError]: the types of a TypeScript file cannot be taken off, for want of a
//     node that can, or because the file is no JavaScript with types (enum, namespace).
//
// How data flows.
//
//	bytes ─ limits, byte order mark ─ Engine ─ JSON ─ tree, scopes ─ functions, imports, exports
//	                                    │
//	                   bundle/jsast.js: acorn, acorn-jsx, eslint-scope, main.js
//
// The bundle speaks in UTF-16 code units. offsets.go turns them into bytes, once,
// as the answer is decoded; nothing behind it knows of UTF-16.
package jsast
