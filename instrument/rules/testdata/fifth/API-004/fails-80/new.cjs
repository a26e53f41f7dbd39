const { Worker, parentPort, isMainThread } = require('node:worker_threads')
const { trace, SpanStatusCode } = require('@opentelemetry/api')
const { BasicTracerProvider } = require('@opentelemetry/sdk-trace-base')
const tracer = trace.getTracer('shop')

const pending = new Map()
let next = 0

const call = (worker, method, ...args) =>
  new Promise((resolve, reject) => {
    const id = ++next
    pending.set(id, { resolve, reject })
    worker.postMessage({ id, method, args })
  })

const handle = async ({ id, method, args }) => {
  return tracer.startActiveSpan('shop.rpc.handle', async (span) => {
    try {
      span.setAttribute('shop.rpc.method', String(method))
      let answer
      try {
        answer = { id, value: await handle.methods[method](...args) }
      } catch ({ message, code }) {
        answer = { id, failure: { message, code } }
      }
      parentPort.postMessage(answer)
      return answer.failure === undefined
    } catch (error) {
      span.recordException(error)
      span.setStatus({ code: SpanStatusCode.ERROR })
      throw error
    } finally {
      span.end()
    }
  })
}

handle.methods = Object.assign(Object.create(null), { add: (a, b) => a + b })

async function all (worker, calls) {
  return tracer.startActiveSpan('shop.rpc.all', async (span) => {
    try {
      const out = []
      for (const [method, ...args] of calls) {
        out.push(await call(worker, method, ...args))
      }
      return out
    } catch (error) {
      span.recordException(error)
      span.setStatus({ code: SpanStatusCode.ERROR })
      throw error
    } finally {
      span.end()
    }
  })
}

if (!isMainThread) parentPort.on('message', handle)

module.exports = { call, all, Worker }
