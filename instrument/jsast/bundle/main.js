// Parses one file and gives back flat JSON: the syntax tree, the comments and
// the scopes. No engine may influence a byte of it: nothing is printed that an
// engine words by itself, and nothing depends on the depth of its stack.
// Offsets are UTF-16 code units, as JavaScript counts.
import { Node, Parser } from 'acorn'
import jsx from 'acorn-jsx'
import { analyze } from 'eslint-scope'
import { VisitorKeys } from 'estraverse'
import { children, scalars } from './children.js'

// eslint-scope would merge the two for each function and pattern that it visits.
Object.assign(VisitorKeys, children)

// eslint-scope reads the ranges of few nodes, and acorn would make an array for each.
Object.defineProperty(Node.prototype, 'range', { get() { return [this.start, this.end] } })

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
    ecmaVersion: 'latest', sourceType, onComment,
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

// flatten writes: type, start, end, number of fields, and for each field its
// name, its kind, and what the kind says. It fails on a type that is not in
// children: a silently lost child could hide a change. goja runs it for each node,
// so it does without closures, iterators and calls with many arguments.
function flatten(tree, table) {
  const out = []
  const plans = new Map()
  let at = 0
  const planOf = (type) => {
    const keys = children[type]
    if (keys === undefined) throw new Error('unknown node: ' + type)
    const own = scalars[type] || []
    const index = (name) => table.index(name)
    const plan = { type: index(type), children: keys, childAt: keys.map(index), scalars: own, scalarAt: own.map(index), literal: type === 'Literal', element: type === 'TemplateElement', text: type === 'JSXText' }
    plans.set(type, plan)
    return plan
  }
  const value = (index, v) => {
    out[at++] = index
    if (v === null) out[at++] = kindNull
    else if (v === true) out[at++] = kindTrue
    else if (v === false) out[at++] = kindFalse
    else if (typeof v === 'string') {
      out[at++] = kindText
      out[at++] = table.index(v)
    } else throw new Error('no scalar: ' + table.strings[index])
  }
  const scalar = (name, v) => value(table.index(name), v)
  const text = (name, s) => (wellFormed(s) ? scalar(name, s) : scalar(name + '16', hex(s)))
  const visit = (node, depth) => {
    if (depth > maxChain) throw new Refused(node.start, 'is nested too deeply')
    const plan = plans.get(node.type) || planOf(node.type)
    out[at++] = plan.type
    out[at++] = node.start
    out[at++] = node.end
    const counted = at++
    out[counted] = 0
    let n = 0
    const names = plan.children
    for (let i = 0; i < names.length; i++) {
      const child = node[names[i]]
      if (child === undefined) continue
      n++
      out[at++] = plan.childAt[i]
      if (child === null) out[at++] = kindNull
      else if (Array.isArray(child)) {
        out[at++] = kindList
        out[at++] = child.length
        for (let j = 0; j < child.length; j++) {
          if (child[j] === null) out[at++] = -1
          else visit(child[j], depth + 1)
        }
      } else {
        out[at++] = kindNode
        visit(child, depth + 1)
      }
    }
    if (plan.literal) n += literal(node, scalar, text)
    else if (plan.element) {
      scalar('raw', node.value.raw)
      n++
    } else if (plan.text) {
      text('value', node.value)
      n++
    }
    const own = plan.scalars
    for (let i = 0; i < own.length; i++) {
      const v = node[own[i]]
      if (v === undefined) continue
      value(plan.scalarAt[i], v)
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
    ecmaVersion: 2022, sourceType, jsx: true, fallback: 'none',
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
    references: referencesOf(s.references, place, table),
  }))
}

function referencesOf(list, place, table) {
  const out = []
  for (let i = 0; i < list.length; i++) {
    const r = list[i]
    const at = i * 6
    const to = r.resolved && place.get(r.resolved)
    out[at] = r.identifier.start
    out[at + 1] = r.identifier.end
    out[at + 2] = table.index(r.identifier.name)
    out[at + 3] = (r.isRead() ? 1 : 0) | (r.isWrite() ? 2 : 0) | (r.init ? 4 : 0)
    out[at + 4] = to ? to[0] : -1
    out[at + 5] = to ? to[1] : -1
  }
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

// Only tests call this: the fields of a file's nodes that no table names. They
// would be lost.
const known = new Set(['type', 'start', 'end', 'range', 'raw', 'value', 'regex', 'bigint', 'sourceType'])
globalThis.aburnLostFields = (source, type) => {
  const lost = new Set()
  const visit = (node) => {
    for (const name of Object.keys(node)) {
      if (known.has(name) || (scalars[node.type] || []).includes(name)) continue
      if (!children[node.type].includes(name)) lost.add(node.type + '.' + name)
    }
    for (const name of children[node.type]) {
      for (const child of [].concat(node[name])) if (child) visit(child)
    }
  }
  visit(parse(source, type).tree)
  return [...lost].sort().join(' ')
}
