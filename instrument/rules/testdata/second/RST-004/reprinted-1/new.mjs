import {trace, SpanStatusCode} from "@opentelemetry/api"
const tracer = trace.getTracer("shop")

export class Cart {
  lines = []

  add(line) {
    this.lines.push(line)
    return this.#problems(10)
  }

  #problems(limit) {
    return tracer.startActiveSpan("shop.cart.check", (span) => {

      try {
        const found = []
        if (this.lines.length > limit) found.push("too many")
        for (const line of this.lines) {
          if (line.count < 1) found.push("no count")
          if (line.price < 0) found.push("no price")
        }
        const unique = new Set(found)
        const list = [...unique]
        list.sort()
        return list
      } catch (error) {
        span.recordException(error)
        span.setStatus({code: SpanStatusCode.ERROR})
        throw error
      } finally {
        span.end()
      }
    })
  }
}
