'use strict'
// Loaded into every node process and worker of a recorded command, before anything
// else. As recorder.cjs it stands in for an OpenTelemetry SDK; as tap.cjs it copies
// what the project's own SDK ends. Each line goes to disk before the call returns,
// so that neither process.exit nor a kill loses one. It must never throw.
try {
  (function () {
    const fs = require('fs')
    const path = require('path')
    const vm = require('vm')
    const { AsyncLocalStorage, createHook, executionAsyncResource } = require('async_hooks')
    const { threadId } = require('worker_threads')

    // Tests replace clocks and file systems: everything is taken once, before they can.
    const { openSync, writeSync } = fs
    const clock = process.hrtime.bigint
    const epoch = BigInt(Date.now()) * 1000000n - clock()
    const now = () => epoch + clock()
    const { stringify } = JSON
    const NativeError = Error
    const { randomBytes } = require('crypto')

    const API = Symbol.for('opentelemetry.js.api.1')
    const SPAN = Symbol.for('OpenTelemetry Context Key SPAN')
    const INSTALLED = Symbol.for('aburn.record')
    const MAX_BYTES = 32 << 20 // of one thread's file
    const MAX_VALUE = 200 // characters of a value
    const MAX_ATTRIBUTES = 128
    const MAX_EVENTS = 32
    const tapping = path.basename(__filename) === 'tap.cjs'

    if (globalThis[INSTALLED]) return
    Object.defineProperty(globalThis, INSTALLED, { value: true })

    // ---- the spool: one file a thread, one line a fact
    const file = path.join(__dirname, `${process.pid}.${threadId}.${Date.now().toString(36)}.jsonl`)
    const fd = openSync(file, 'ax', 0o600) // throws where the folder is gone: then nothing is recorded
    let room = MAX_BYTES
    function put (fact) {
      if (room <= 0) return
      try {
        const line = stringify(fact) + '\n'
        room -= line.length
        writeSync(fd, room > 0 ? line : '{"k":"cut"}\n')
      } catch {}
    }
    put({ k: 'start', pid: process.pid, thread: threadId, node: process.version, script: process.argv[1] || '', words: process.argv.slice(2, 6).map(short) })
    process.on('exit', () => put({ k: 'exit' }))

    // ---- which test runs
    // What node:test runs, or may. The hook costs time, so other programs do without.
    const testChild = process.env.NODE_TEST_CONTEXT !== undefined || process.execArgv.includes('--test') || /test|spec/i.test(process.argv[1] || '')
    const TEST = Symbol('test')
    if (testChild) {
      // A test is an AsyncResource, and what it starts inherits from it.
      createHook({
        init (id, type, trigger, resource) {
          try {
            resource[TEST] = type === 'Test' ? resource : executionAsyncResource()[TEST]
          } catch {}
        }
      }).enable()
    }
    let mochaTest = null
    // mocha finds these root hooks because MOCHA_OPTIONS requires this file again.
    exports.mochaHooks = {
      beforeEach () {
        const t = this.currentTest
        mochaTest = t ? { file: t.file, name: t.fullTitle() } : null
      },
      afterEach () { mochaTest = null }
    }
    function nodeTest () {
      const names = []
      const test = executionAsyncResource()[TEST]
      for (let t = test; t && t.parent; t = t.parent) names.unshift(t.name)
      return names.length ? { file: (test.loc && test.loc.file) || process.argv[1], name: names.join(' ') } : null
    }
    function vitest (realm) {
      const worker = realm.__vitest_worker__ || globalThis.__vitest_worker__
      if (!worker) return null
      const t = worker.current
      const names = []
      // Of tests that run side by side only the file is known.
      if (t && t.type === 'test' && !t.concurrent) {
        for (let s = t; s && s.name !== undefined && s !== s.file; s = s.suite) names.unshift(s.name)
      }
      return { file: worker.filepath, name: names.join(' ') }
    }
    function jest (realm) {
      const matchers = realm[Symbol.for('$$jest-matchers-object')]
      const state = matchers && matchers.state
      return state && state.testPath ? { file: state.testPath, name: state.currentTestName || '' } : null
    }
    function currentTest (realm) {
      try {
        return mochaTest || (testChild && nodeTest()) || vitest(realm) || jest(realm) || null
      } catch {
        return null
      }
    }

    // ---- who makes a span: the innermost frame of the project
    function caller () {
      const { prepareStackTrace, stackTraceLimit } = NativeError
      try {
        NativeError.stackTraceLimit = 40
        NativeError.prepareStackTrace = (_, frames) => frames
        const frames = new NativeError().stack
        for (const frame of Array.isArray(frames) ? frames : []) {
          let name = frame.getFileName() || frame.getEvalOrigin?.() || ''
          if (name.startsWith('file:')) name = require('url').fileURLToPath(name)
          if (name === __filename || !path.isAbsolute(name) || /[\\/]node_modules[\\/]/.test(name)) continue
          return { file: name.split('?')[0], line: frame.getLineNumber() || 0 }
        }
      } catch {} finally {
        NativeError.prepareStackTrace = prepareStackTrace
        NativeError.stackTraceLimit = stackTraceLimit
      }
      return null
    }

    // ---- values: a kind, and for scalars the value
    function short (value) {
      const s = String(value)
      return s.length > MAX_VALUE ? s.slice(0, MAX_VALUE) + '…' : s
    }
    function kindOf (value) {
      if (value === null || value === undefined) return String(value)
      if (Array.isArray(value)) {
        const kinds = new Set(value.filter((v) => v !== null && v !== undefined).map(kindOf))
        if (kinds.size === 2 && kinds.has('int') && kinds.has('double')) return 'double[]'
        return kinds.size === 0 ? 'array[]' : kinds.size === 1 ? [...kinds][0] + '[]' : 'mixed[]'
      }
      if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'double'
      return typeof value
    }
    function tell (key, value) {
      const kind = kindOf(value)
      const scalar = kind === 'string' || kind === 'int' || kind === 'double' || kind === 'boolean'
      return scalar ? [short(key), kind, short(value)] : [short(key), kind]
    }
    function tellAll (attributes) {
      return Object.keys(attributes || {}).slice(0, MAX_ATTRIBUTES).map((key) => tell(key, attributes[key]))
    }

    // ---- the recorder: an SDK of its own
    const store = new AsyncLocalStorage()
    class Context {
      constructor (values) { this.values = values }
      getValue (key) { return this.values.get(key) }
      setValue (key, value) { return new Context(new Map(this.values).set(key, value)) }
      deleteValue (key) {
        const values = new Map(this.values)
        values.delete(key)
        return new Context(values)
      }
    }
    const ROOT = new Context(new Map())
    const patched = Symbol('aburn')
    const contexts = {
      active: () => store.getStore() || ROOT,
      with: (context, fn, self, ...args) => store.run(context, () => fn.apply(self, args)),
      bind (context, target) {
        if (typeof target === 'function') {
          const bound = function (...args) { return store.run(context, () => target.apply(this, args)) }
          Object.defineProperty(bound, 'length', { configurable: true, value: target.length })
          return bound
        }
        if (target && typeof target.on === 'function' && !target[patched]) {
          Object.defineProperty(target, patched, { value: true })
          for (const name of ['on', 'addListener', 'once', 'prependListener', 'prependOnceListener']) {
            const add = target[name]
            if (typeof add !== 'function') continue
            target[name] = function (event, listener) {
              const bound = contexts.bind(context, listener)
              bound.listener = listener // removeListener looks here
              return add.call(this, event, bound)
            }
          }
        }
        return target
      },
      enable () { return contexts },
      disable () { return contexts }
    }

    class Span {
      constructor (realm, scope, name, options, context) {
        const parent = options.root ? undefined : context && context.getValue && context.getValue(SPAN)
        const above = parent && parent.spanContext && parent.spanContext()
        const valid = above && /^[0-9a-f]{32}$/.test(above.traceId) && !/^0+$/.test(above.traceId)
        this.ids = { traceId: valid ? above.traceId : randomBytes(16).toString('hex'), spanId: randomBytes(8).toString('hex'), traceFlags: 1 }
        this.parent = valid ? above.spanId : ''
        this.remote = !!(valid && above.isRemote)
        this.scope = scope
        this.name = String(name)
        this.kind = options.kind || 0
        this.attributes = new Map()
        this.undefined = []
        this.events = []
        this.links = (options.links || []).length
        this.status = { code: 0 }
        this.begun = now()
        this.ended = false
        this.at = caller()
        this.test = currentTest(realm)
        this.setAttributes(options.attributes)
        put({ k: 'begin', s: this.ids.spanId, t: this.ids.traceId, p: this.parent, kind: this.kind, b: String(this.begun), n: short(this.name), at: this.at, test: this.test, sc: short(scope) })
      }

      spanContext () { return this.ids }
      isRecording () { return !this.ended }
      setAttribute (key, value) {
        if (!this.ended && (this.attributes.has(key) || this.attributes.size < MAX_ATTRIBUTES)) {
          try { this.attributes.set(String(key), tell(key, value)) } catch {}
        }
        return this
      }

      setAttributes (attributes) {
        for (const key of Object.keys(attributes || {})) this.setAttribute(key, attributes[key])
        return this
      }

      addEvent (name, attributes) {
        if (!this.ended && this.events.length < MAX_EVENTS) {
          const given = attributes && typeof attributes === 'object' && !Array.isArray(attributes) && !(attributes instanceof Date)
          try { this.events.push({ n: short(name), a: given ? tellAll(attributes) : [] }) } catch {}
        }
        return this
      }

      addLink () { this.links++; return this }
      addLinks (links) { this.links += (links || []).length; return this }
      setStatus (status) {
        if (!this.ended && status) this.status = { code: status.code || 0, message: status.message }
        return this
      }

      updateName (name) { if (!this.ended) this.name = String(name); return this }
      recordException (error) {
        const e = error || {}
        const told = {} // what the SDK tells
        if (typeof error === 'string') told['exception.message'] = error
        else {
          if (e.code || e.name) told['exception.type'] = String(e.code || e.name)
          if (e.message) told['exception.message'] = String(e.message)
          if (e.stack) told['exception.stacktrace'] = String(e.stack)
        }
        this.addEvent('exception', told)
      }

      end () {
        if (this.ended) {
          put({ k: 'twice', s: this.ids.spanId })
          return
        }
        this.ended = true
        put({ k: 'span', s: this.ids.spanId, t: this.ids.traceId, p: this.parent, r: this.remote, n: short(this.name), sc: short(this.scope), kind: this.kind, b: String(this.begun), e: String(now()), a: [...this.attributes.values()], ev: this.events, ln: this.links, st: this.status.code, at: this.at, test: this.test })
      }
    }

    function tracer (realm, scope) {
      return {
        startSpan: (name, options, context) => new Span(realm, scope, name, options || {}, context || contexts.active()),
        startActiveSpan (name, ...rest) {
          const fn = rest.pop()
          if (typeof fn !== 'function') return undefined
          const context = rest[1] || contexts.active()
          const span = new Span(realm, scope, name, rest[0] || {}, context)
          return contexts.with(context.setValue(SPAN, span), fn, undefined, span)
        }
      }
    }

    // A copy of the API takes the object under the symbol if its version is at least
    // its own. It registers nothing of another version, and tells its log so.
    function standIn (realm) {
      const silent = () => {}
      const api = {
        version: '1.99.0',
        trace: {
          getTracer: (name) => tracer(realm, String(name)),
          getDelegate () { return this },
          getDelegateTracer (name) { return this.getTracer(name) },
          setDelegate: silent
        },
        context: contexts,
        diag: {
          verbose: silent,
          debug: silent,
          info: silent,
          warn: silent,
          error (message) {
            if (/registration of API: trace|Registration of version \S+ for trace/.test(String(message))) {
              put({ k: 'refused', at: caller(), test: currentTest(realm) })
            }
          }
        }
      }
      return new Proxy(api, { set: () => true, deleteProperty: () => true })
    }

    // ---- the tap: the project's own SDK, listened to
    const tapped = new WeakSet()
    function once (object) {
      if (!object || tapped.has(object)) return false
      tapped.add(object)
      return true
    }
    const nanos = (t) => String(Array.isArray(t) ? BigInt(t[0]) * 1000000000n + BigInt(t[1]) : 0n)
    function tapSpan (realm, span) {
      if (!once(span) || typeof span.end !== 'function' || !span.isRecording()) return span
      const ids = span.spanContext()
      const at = caller()
      const test = currentTest(realm)
      const scope = () => (span.instrumentationScope || span.instrumentationLibrary || {}).name || ''
      put({ k: 'begin', s: ids.spanId, t: ids.traceId, b: nanos(span.startTime), n: short(span.name), at, test, sc: short(scope()) })
      const end = span.end
      let ended = false
      span.end = function () {
        const result = end.apply(this, arguments)
        try {
          if (ended) put({ k: 'twice', s: ids.spanId })
          else {
            const parent = span.parentSpanContext || {}
            put({ k: 'span', s: ids.spanId, t: ids.traceId, p: parent.spanId || span.parentSpanId || '', r: !!parent.isRemote, n: short(span.name), sc: short(scope()), kind: span.kind || 0, b: nanos(span.startTime), e: nanos(span.endTime), a: tellAll(span.attributes), ev: (span.events || []).slice(0, MAX_EVENTS).map((e) => ({ n: short(e.name), a: tellAll(e.attributes) })), ln: (span.links || []).length, st: (span.status || {}).code || 0, at, test, res: tellAll((span.resource || {}).attributes) })
          }
          ended = true
        } catch {}
        return result
      }
      return span
    }
    function tapTracer (realm, t) {
      if (!once(t) || typeof t.startSpan !== 'function') return t
      const start = t.startSpan
      t.startSpan = function () { // startActiveSpan of an SDK calls this one
        const span = start.apply(this, arguments)
        try { return tapSpan(realm, span) } catch { return span }
      }
      return t
    }
    function tapProvider (realm, provider) {
      if (!once(provider)) return
      if (typeof provider.setDelegate === 'function') { // the API's own, in front of the SDK's
        const set = provider.setDelegate
        provider.setDelegate = function (delegate) {
          tapProvider(realm, delegate)
          return set.apply(this, arguments)
        }
        const delegate = provider._delegate
        if (delegate) tapProvider(realm, delegate)
        return
      }
      if (typeof provider.getTracer !== 'function') return
      put({ k: 'provider', n: short((provider.constructor || {}).name) })
      const get = provider.getTracer
      provider.getTracer = function () { return tapTracer(realm, get.apply(this, arguments)) }
    }
    function listen (realm, api) {
      let trace = api.trace
      if (trace) tapProvider(realm, trace)
      Object.defineProperty(api, 'trace', {
        configurable: true,
        enumerable: true,
        get: () => trace,
        set (provider) {
          trace = provider
          try { tapProvider(realm, provider) } catch {}
        }
      })
      return api
    }
    function tap (realm) {
      let api = realm[API] && listen(realm, realm[API])
      Object.defineProperty(realm, API, {
        configurable: true,
        get: () => api,
        set (value) { // at each registration, with the same object again; one that was taken back has lost its accessor
          const own = value && Object.getOwnPropertyDescriptor(value, 'trace')
          api = value && !(own && own.set) ? listen(realm, value) : value
        }
      })
    }

    function install (realm) {
      try {
        if (tapping) tap(realm)
        else Object.defineProperty(realm, API, { configurable: true, writable: true, value: standIn(realm) })
      } catch {}
    }
    install(globalThis)
    // jest, and vitest's vm pools, run tests in a context with a global object of its own.
    // The context object does not show all of it, so code inside is asked.
    const create = vm.createContext
    const inside = vm.runInContext
    vm.createContext = function createContext () {
      const context = create.apply(this, arguments)
      try { install(inside('globalThis', context)) } catch {}
      return context
    }
    require('module').syncBuiltinESMExports()
  })()
} catch {}
