import { createHash } from 'node:crypto'
import zlib from 'node:zlib'
import { trace, SpanStatusCode } from '@opentelemetry/api'
const tracer = trace.getTracer('shop')
export const etag = async (stream) => {
  const h = createHash('sha1')
  for await (const c of stream) h.update(c)
  return '"' + h.digest('hex') + '"'
}
export function pack(rows) {
  return tracer.startActiveSpan('shop.pack', (span) => {
    try {
      span.setAttribute('shop.pack.kind', 'gzip')
      let n = 0,
        out = []
      for (const r of rows) {
        if (!r) continue
        n += r.length
        out.push(r)
      }
      if (n > 1e6) throw RangeError('big')
      return zlib.gzipSync(out.join('\n'))
    } catch (error) {
      span.recordException(error)
      span.setStatus({ code: SpanStatusCode.ERROR })
      throw error
    } finally {
      span.end()
    }
  })
}
