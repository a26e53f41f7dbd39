import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import pg from 'pg';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('billing');

const pool = new pg.Pool();
const run = promisify(execFile);

export async function sendInvoice(invoice) {
  return tracer.startActiveSpan('billing.invoice.send', async (span) => {
    try {
      span.setAttribute('billing.invoice.id', invoice.id);
      const { stdout } = await run('pdfgen', [invoice.id]);
      await pool.query('UPDATE invoices SET sent = now() WHERE id = $1', [invoice.id]);
      return stdout.trim();
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

export async function collectInvoice(invoice, gateway) {
  return tracer.startActiveSpan('billing.invoice.collect', async (span) => {
    try {
      span.setAttribute('billing.invoice.id', invoice.id);
      const cents = total(invoice.lines);
      const receipt = await gateway.charge(invoice.id, cents);
      invoice.receipt = receipt.number;
      return receipt;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

export async function findInvoice(id) {
  return tracer.startActiveSpan('billing.invoice.find', async (span) => {
    try {
      const { rows } = await pool.query('SELECT * FROM invoices WHERE id = $1', [id]);
      return rows[0];
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

function total(lines) {
  let sum = 0;
  for (const { cents, count } of lines) sum += cents * count;
  return sum;
}
