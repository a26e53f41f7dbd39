'use strict'
const pool = require('./pool')

async function monthlyReport (year, month) {
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
}

exports.monthlyReport = monthlyReport
