import fp from 'fastify-plugin'
import { trace, SpanStatusCode } from '@opentelemetry/api'

import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
const tracer = trace.getTracer('shop')

/** Orders of one tenant. */
async function orders (fastify, opts) {
  const { prefix = '/orders', limit = 50 } = opts

  fastify.get(prefix, async (request, reply) => {
    const { rows } = await fastify.pg.query('SELECT * FROM orders LIMIT $1', [limit])
    reply.header('x-count', rows.length)
    return rows
  })

  fastify.decorate('cancelOrder', cancelOrder)

  async function cancelOrder (id, reason = 'unknown') {
    return tracer.startActiveSpan('shop.order.cancel', async (span) => {
      try {
        span.setAttribute('shop.cancel.reason', String(reason))
        const order = await fastify.repo.load(id)
        if (!order) throw fastify.httpErrors.notFound()
        order.state = 'cancelled'
        await fastify.repo.save(order, { reason })
        return order
      } catch (error) {
        span.recordException(error)
        span.setStatus({ code: SpanStatusCode.ERROR })
        throw error
      } finally {
        span.end()
      }
    })
  }
}

export default fp(orders, { name: 'orders', dependencies: ['pg'] })
