'use strict'
// Evaluates expressions with values that record each call of code. What an expression reads by a name that
// is written in it is no call: aburn's table of harmless expressions says so.
const vm = require('node:vm')

let trips = []
let written = new Set()
const trip = (what) => { trips.push(what); throw new Error('trap: ' + what) }

// Members that the language reads by itself.
const implicit = new Set(['toString', 'valueOf', 'toJSON', 'then', 'length', 'constructor', 'exec', 'flags', 'message', 'cause', 'name', 'join'])
let computed = false

// A proxy all of whose traps trip, except the reading of members that are written. Those give other values.
function trap(label, over, shift) {
  const handler = {}
  for (const name of Object.getOwnPropertyNames(Reflect)) {
    if (typeof Reflect[name] === 'function') handler[name] = () => trip(label + ' ' + name)
  }
  handler.get = (_, key) => {
    const name = String(key)
    if (typeof key === 'symbol' || !written.has(name) && (!computed || implicit.has(name))) trip(label + ' reads ' + name)
    if (name === '__proto__') trip(label + ' reads its prototype')
    if (name === 'length' && Array.isArray(over)) return over.length
    return value(name.length * 5 + shift)
  }
  return new Proxy(over, handler)
}

// A list with methods of its own, of a class of its own.
function evilList() {
  class List extends Array {
    static get [Symbol.species]() { return trip('species') }
  }
  const list = List.of(1, 2, 3)
  for (const name of Object.getOwnPropertyNames(Array.prototype)) {
    if (name !== 'length' && name !== 'constructor') Object.defineProperty(list, name, { value: () => trip('list ' + name) })
  }
  for (const symbol of [Symbol.iterator, Symbol.isConcatSpreadable, Symbol.toPrimitive]) {
    Object.defineProperty(list, symbol, { get: () => trip('list ' + String(symbol)) })
  }
  return list
}

// An ordinary object whose own conversions are traps.
function evilObject(label) {
  const o = { id: 1 }
  for (const name of ['toString', 'valueOf', 'toJSON', Symbol.toPrimitive, Symbol.hasInstance, Symbol.iterator, Symbol.toStringTag]) {
    Object.defineProperty(o, name, { enumerable: true, get: () => written.has(name) ? () => trip(label + ' calls ' + String(name)) : trip(label + ' reads ' + String(name)) })
  }
  return o
}

const values = [
  trap('object', function () {}, 0), trap('object', {}, 3), trap('list', [1, 2], 7), evilList(), evilObject('object'), 'text,of it', 12.5, 10n, Symbol('s'), null, undefined,
  true, '', NaN,
]
const value = (which) => values[which % values.length]

const names = ['order', 'items', 'n', 's', 'x', 'y']
const out = []
let text = ''
process.stdin.setEncoding('utf8')
process.stdin.on('data', (data) => { text += data })
process.stdin.on('end', () => {
  for (const source of JSON.parse(text)) {
    // A member of what may be absent: rule SAF-005 judges that with the function around it.
    const unsure = source.startsWith('/*unsure*/')
    let f
    try { f = vm.runInThisContext(`(function (${names}) { const trace = { getActiveSpan() {} }; return (${source}) })`) } catch (error) {
      out.push({ expression: source, what: String(error) })
      continue
    }
    computed = source.includes('[')
    written = new Set(source.match(/[\w$]+/g))
    for (let round = 0; round < 2 * values.length; round++) {
      trips = []
      const given = names.map((_, i) => value(round < values.length ? round : round * 5 + i * (round - values.length + 1)))
      let failed = ''
      try { f.apply(value(round + 1), given) } catch (error) {
        failed = trips[0] ?? String(error && error.message)
        if (unsure && /^Cannot read properties of (null|undefined)/.test(failed)) failed = ''
      }
      if (trips.length) failed = trips[0]
      if (failed) {
        out.push({ expression: source, what: failed + ' in round ' + round })
        break
      }
    }
  }
  process.stdout.write(JSON.stringify(out.map((o) => ({ Expression: o.expression, What: o.what }))))
})
