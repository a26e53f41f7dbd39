const numbers = [0, -0, 1e21, 1e-7, 123456789012345680000, .5, 5., 0b11, 0o17, 0xFf, 1_000_000, 5e-324, 1.7976931348623157e308, 1e999, 0.1 + 0.2, 2 ** 53, 4.35, 100000000000000000000, 1e300];
const big = [0n, 0x10n, 1_000n, 0b1n, 123456789012345678901234567890n];
const strings = ['', "\0\b\f\n\r\t\v\x7f\u2028\u2029", '\u{1F600}', 'a\
b', '\ud800', '\udc00\ud800', '<\/script>', '"\'`\\', 'ü', '😀', '\x80\x9f'];
const templates = [``, `a${1}b${`c${2}`}d`, String.raw`\u{zzz}${1}\x`, `
  text 😀 \`  \${no}
`];
const regexps = [/a/, /[/\]]+/dgimsuy, /(?<year>\d{4})-\k<year>/u, /[\p{L}--[a-z]]/v, /(?<=a)b(?!c)/, /(?i:a)/, /\u{1F600}/u, /a{,3}/];
a ??= b ||= c &&= d; a?.b?.[c]?.(d); (a?.b).c; a ** b; a ?? (b || c); void typeof delete a.b;
x = y ? z : w, async (a) => a, async a => { await a }, (a, b = a, { c, d: [e] }, ...f) => ({ a }), function* () { yield; yield* a; };
new (foo())(1, ...a); new foo; new new X()(); import('x', { with: { type: 'json' } });
var { a, b: { c = 1 }, ...rest } = o, [, d, , [e2]] = p;
[a, b] = [b, a]; ({ a, b: c.d } = e);
