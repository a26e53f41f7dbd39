<!-- an old comment
with (Math) { var a = abs(-010); }
function f(a, a) { arguments[0] = eval('a'); delete a; }
label: for (var i = 0, j; i < 3; i++) { if (i) continue label; else break label }
if (a) function g() {}
switch (a) { case 1: let q = 1; default: q; }
try { throw 1 } catch { } finally { debugger }
do ; while (0) x = 1
var await = 1, async = 2, of = 3, get = 4, let_ = yield_;
async
(x => x)
var o = { __proto__: null, async, get, set: 1, async get() {}, get get() { return 1 }, *gen() {}, [a + 1]: 2, 0x10: 3, 1n: 4, 'q': 5 };
--> also a comment
