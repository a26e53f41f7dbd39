// The same in CommonJS without strict mode.
const path = require('path')

exports.join = function (a, b) {
  return path.join(a, b, String(this === exports))
}

function alias(a) {
  arguments[0] = 'changed'
  return a
}

function hoisted(x) {
  return inner(x)
  function inner(y) { return y * 2 }
}

function variables(n) {
  for (var i = 0; i < n; i++) { var last = i }
  return [i, last, typeof undeclared]
}

function globalThisOne() { return this === globalThis }

module.exports.callback = (list) => list.map((x) => x + 1).filter(function (x) { return x > this.min }, { min: 2 })

async function many(n) {
  const all = []
  for (let i = 0; i < n; i++) all.push((async () => { await null; return i })())
  return await Promise.all(all)
}

function fails() { null.x }

console.log(exports.join('a', 'b'), alias('kept'), hoisted(4), variables(3), globalThisOne(), exports.callback([1, 2, 3]))
many(3).then((x) => console.log(x))
try { fails() } catch (e) { console.log(e.constructor.name) }
