'use strict'
const pool = require('./pool')
const { trace, SpanStatusCode } = require('@opentelemetry/api')

const tracer = trace.getTracer('shop')

async function monthlyReport (year, month) {
  return tracer.startActiveSpan('shop.report.month', async (span) => {
    try {
      span.setAttribute('shop.report.year', Number(year))
      const text = `
      SELECT account,
           sum(cents) AS total -- in cents
      FROM bookings
     WHERE year = ${Number(year)}
       AND month = ${Number(month)}
  GROUP BY account
`
      const client = await pool.connect()
      try {
        const { rows } = await client.query(text)
        return rows.map(({ account, total }) => ({ account, total: total / 100 }))
      } catch (err) {
        err.message = `report ${year}-${month}: ${err.message}`
        throw err
      } finally {
        client.release()
      }
    } catch (error) {
      span.recordException(error)
      span.setStatus({ code: SpanStatusCode.ERROR })
      throw error
    } finally {
      span.end()
    }
  })
}

exports.monthlyReport = monthlyReport
