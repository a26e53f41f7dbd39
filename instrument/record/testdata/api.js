// As much of @opentelemetry/api 1.9 as these tests need: it meets the SDK under the
// same symbol and by the same rules.
const KEY = Symbol.for('opentelemetry.js.api.1')
const VERSION = '1.9.0'
const own = () => globalThis[KEY] || {}
const noop = { getTracer: () => ({ startSpan: () => ({}), startActiveSpan: (...a) => a.pop()({ end () {}, setAttribute () {} }) }) }
class ProxyTracerProvider {
  getTracer (...a) { return this.getDelegateTracer(...a) || noop.getTracer() }
  getDelegateTracer (...a) { return this._delegate && this._delegate.getTracer(...a) }
  setDelegate (d) { this._delegate = d }
}
const proxy = new ProxyTracerProvider()
exports.SpanStatusCode = { OK: 1, ERROR: 2 }
exports.context = { active: () => own().context.active(), with: (...a) => own().context.with(...a), bind: (...a) => own().context.bind(...a) }
exports.trace = {
  getTracer: (...a) => (own().trace || noop).getTracer(...a),
  disable () { if (globalThis[KEY]) delete globalThis[KEY].trace },
  setGlobalTracerProvider (provider) {
    const api = globalThis[KEY] = globalThis[KEY] ?? { version: VERSION }
    if (api.trace) {
      if (api.diag) api.diag.error('Error: @opentelemetry/api: Attempted duplicate registration of API: trace')
      return false
    }
    api.trace = proxy
    proxy.setDelegate(provider)
    return true
  }
}
