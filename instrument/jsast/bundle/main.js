// Parses one file and gives back flat JSON: the syntax tree, the comments and
// the scopes. No engine may influence a byte of it: nothing is printed that an
// engine words by itself, and nothing depends on the depth of its stack.
// Offsets are UTF-16 code units, as JavaScript counts.
import { Parser } from 'acorn'
import jsx from 'acorn-jsx'
import { analyze } from 'eslint-scope'
import { children } from './children.js'

const maxParseDepth = 600 // calls of the parser's own; an array in an array needs three
const maxChain = 1500 // operators in a row, and levels of the tree

class Refused extends Error {
  constructor(pos, message) {
    super(message)
    this.pos = pos
  }
}

// bounded counts in the methods through which every recursion of the parser goes.
// They are hot, so they do without closures and spread arguments: with them goja
// takes a tenth longer.
function bounded(Base) {
  return class extends Base {
    enter() {
      this.depth = (this.depth || 0) + 1
      if (this.depth > maxParseDepth) throw new Refused(this.start, 'is nested too deeply')
    }
    parseStatement(context, topLevel, exports) {
      this.enter()
      const result = super.parseStatement(context, topLevel, exports)
      this.depth--
      return result
    }
    parseMaybeAssign(forInit, errors, afterLeft) {
      this.enter()
      const result = super.parseMaybeAssign(forInit, errors, afterLeft)
      this.depth--
      return result
    }
    parseMaybeUnary(errors, sawUnary, incDec, forInit) {
      this.enter()
      const result = super.parseMaybeUnary(errors, sawUnary, incDec, forInit)
      this.depth--
      return result
    }
    parseExprAtom(errors, forInit, forNew) {
      this.enter()
      const result = super.parseExprAtom(errors, forInit, forNew)
      this.depth--
      return result
    }
    parseBindingAtom() {
      this.enter()
      const result = super.parseBindingAtom()
      this.depth--
      return result
    }
    jsx_parseElementAt(start, loc) {
      this.enter()
      const result = super.jsx_parseElementAt(start, loc)
      this.depth--
      return result
    }
    regexp_disjunction(state) {
      this.enter()
      const result = super.regexp_disjunction(state)
      this.depth--
      return result
    }
    regexp_eatNestedClass(state) {
      this.enter()
      const result = super.regexp_eatNestedClass(state)
      this.depth--
      return result
    }
    // Calls itself once for each operator of a chain.
    parseExprOp(left, start, loc, minPrecedence, forInit) {
      this.chain = (this.chain || 0) + 1
      if (this.chain > maxChain) throw new Refused(this.start, 'is nested too deeply')
      const result = super.parseExprOp(left, start, loc, minPrecedence, forInit)
      this.chain--
      return result
    }
    // acorn-jsx cuts &#x1F600; to 16 bits, so two entities would count as one.
    jsx_readEntity() {
      const start = this.pos
      const text = super.jsx_readEntity()
      const number = /^&#(?:x([\da-f]+)|(\d+));$/i.exec(this.input.slice(start, this.pos))
      if (number === null) return text
      const point = number[1] ? parseInt(number[1], 16) : parseInt(number[2], 10)
      return point <= 0x10ffff ? String.fromCodePoint(point) : number[0]
    }
    getTokenFromCode(code) {
      if (code === 64) throw new Refused(this.pos, 'decorators are not supported')
      return super.getTokenFromCode(code)
    }
  }
}

const JavaScript = Parser.extend(jsx(), bounded)

function parseAs(source, sourceType) {
  const comments = []
  const onComment = (block, text, start, end) => comments.push(block ? 1 : 0, start, end)
  const tree = JavaScript.parse(source, {
    ecmaVersion: 'latest', sourceType, onComment, ranges: true, // eslint-scope reads ranges
  })
  return { tree, comments, sourceType }
}

// parse takes 'module', 'commonjs', or 'auto': CommonJS if it is valid there,
// else an ES module, as node decides for a file that nothing else declares.
function parse(source, type) {
  if (type !== 'auto') return parseAs(source, type)
  try {
    return parseAs(source, 'commonjs')
  } catch (asCommonJS) {
    try {
      return parseAs(source, 'module')
    } catch (asModule) {
      throw (position(asModule) >= position(asCommonJS)) ? asModule : asCommonJS
    }
  }
}

function position(e) {
  return typeof e.pos === 'number' ? e.pos : -1
}

class Table {
  constructor() {
    this.strings = []
    this.at = new Map()
  }
  index(s) {
    let i = this.at.get(s)
    if (i === undefined) {
      i = this.strings.length
      this.at.set(s, i)
      this.strings.push(s)
    }
    return i
  }
}

const kindNull = 0, kindFalse = 1, kindTrue = 2, kindText = 3, kindNode = 4, kindList = 5
const skipped = new Set(['type', 'start', 'end', 'range', 'raw', 'value', 'regex', 'bigint', 'sourceType'])

// flatten writes: type, start, end, number of fields, and for each field its
// name, its kind, and what the kind says. It fails on a type that is not in
// children: a silently lost child could hide a change.
function flatten(tree, table) {
  const out = []
  const plans = new Map()
  // What a node with these fields consists of is worked out once, not for each node.
  const planOf = (node) => {
    const names = Object.keys(node)
    const id = node.type + ' ' + names.join()
    let plan = plans.get(id)
    if (plan === undefined) {
      const keys = children[node.type]
      if (keys === undefined) throw new Error('unknown node: ' + node.type)
      const named = (name) => ({ name, index: table.index(name) })
      plan = {
        type: table.index(node.type),
        children: keys.filter((k) => names.includes(k)).map(named),
        scalars: names.filter((k) => !skipped.has(k) && !keys.includes(k)).sort().map(named),
      }
      plans.set(id, plan)
    }
    return plan
  }
  const value = (index, v) => {
    if (v === null) out.push(index, kindNull)
    else if (typeof v === 'boolean') out.push(index, v ? kindTrue : kindFalse)
    else if (typeof v === 'string') out.push(index, kindText, table.index(v))
    else throw new Error('no scalar: ' + table.strings[index])
  }
  const scalar = (name, v) => value(table.index(name), v)
  const text = (name, s) => (wellFormed(s) ? scalar(name, s) : scalar(name + '16', hex(s)))
  const visit = (node, depth) => {
    if (depth > maxChain) throw new Refused(node.start, 'is nested too deeply')
    const plan = planOf(node)
    const counted = out.push(plan.type, node.start, node.end, 0) - 1
    let n = 0
    for (const { name, index } of plan.children) {
      const child = node[name]
      if (child === undefined) continue
      n++
      if (child === null) out.push(index, kindNull)
      else if (Array.isArray(child)) {
        out.push(index, kindList, child.length)
        for (const c of child) {
          if (c === null) out.push(-1)
          else visit(c, depth + 1)
        }
      } else {
        out.push(index, kindNode)
        visit(child, depth + 1)
      }
    }
    switch (node.type) {
      case 'Literal':
        n += literal(node, scalar, text)
        break
      case 'TemplateElement':
        scalar('raw', node.value.raw)
        n++
        break
      case 'JSXText':
        text('value', node.value)
        n++
        break
    }
    for (const { name, index } of plan.scalars) {
      const v = node[name]
      if (v === undefined) continue
      value(index, v)
      n++
    }
    out[counted] = n
  }
  visit(tree, 0)
  return out
}

function literal(node, scalar, text) {
  if (node.regex) {
    scalar('kind', 'regexp')
    scalar('pattern', node.regex.pattern)
    scalar('flags', node.regex.flags)
    return 3
  }
  if (typeof node.bigint === 'string') {
    scalar('kind', 'bigint')
    scalar('value', BigInt(node.bigint).toString())
    return 2
  }
  const v = node.value
  if (v === null) {
    scalar('kind', 'null')
    return 1
  }
  scalar('kind', typeof v)
  if (typeof v === 'string') text('value', v)
  else scalar('value', String(v))
  return 2
}

function wellFormed(s) {
  for (let i = 0; i < s.length; i++) {
    const c = s.charCodeAt(i)
    if (c < 0xd800 || c > 0xdfff) continue
    const next = s.charCodeAt(i + 1)
    if (c > 0xdbff || !(next >= 0xdc00 && next <= 0xdfff)) return false
    i++
  }
  return true
}

function hex(s) {
  let out = ''
  for (let i = 0; i < s.length; i++) out += s.charCodeAt(i).toString(16).padStart(4, '0')
  return out
}

// scopesOf writes of a variable its name and of each definition the kind, the
// start and end of the name and of the node; of a reference its start, end, name,
// flags (1 reads, 2 writes, 4 is the initialiser), and the scope and variable that
// it resolves to, or -1.
function scopesOf(tree, sourceType, table) {
  const manager = analyze(tree, {
    ecmaVersion: 2022, sourceType, jsx: true, childVisitorKeys: children, fallback: 'none',
  })
  const number = new Map()
  manager.scopes.forEach((s, i) => number.set(s, i))
  const place = new Map()
  for (const s of manager.scopes) s.variables.forEach((v, i) => place.set(v, [number.get(s), i]))
  return manager.scopes.map((s) => ({
    type: s.type,
    range: [s.block.start, s.block.end],
    upper: s.upper ? number.get(s.upper) : -1,
    dynamic: s.dynamic && s.type !== 'global',
    variables: s.variables.map((v) => {
      const out = [table.index(v.name)]
      for (const d of v.defs) {
        const kind = d.type === 'Variable' && d.parent ? d.parent.kind : d.type
        out.push(table.index(kind), d.name.start, d.name.end, d.node.start, d.node.end)
      }
      return out
    }),
    references: flat(s.references, (r) => {
      const flags = (r.isRead() ? 1 : 0) | (r.isWrite() ? 2 : 0) | (r.init ? 4 : 0)
      const to = (r.resolved && place.get(r.resolved)) || [-1, -1]
      return [r.identifier.start, r.identifier.end, table.index(r.identifier.name), flags, to[0], to[1]]
    }),
  }))
}

function flat(list, f) {
  const out = []
  for (const x of list) out.push(...f(x))
  return out
}

function answer(source, type) {
  try {
    const { tree, comments, sourceType } = parse(source, type)
    const table = new Table()
    const flat = flatten(tree, table)
    const scopes = scopesOf(tree, sourceType, table)
    return { type: sourceType, tree: flat, comments, scopes, strings: table.strings }
  } catch (e) {
    if (e instanceof Refused) return { error: { pos: e.pos, message: e.message } }
    if (e instanceof SyntaxError && typeof e.pos === 'number') {
      return { error: { pos: e.pos, message: e.message.replace(/ \(\d+:\d+\)$/, '') } }
    }
    return { failure: String(e && e.message) }
  }
}

// The one function that an engine calls.
globalThis.aburnParse = (source, type) => JSON.stringify(answer(source, type))
