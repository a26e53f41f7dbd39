import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import pg from 'pg';

const pool = new pg.Pool();
const run = promisify(execFile);

export async function sendInvoice(invoice) {
  const { stdout } = await run('pdfgen', [invoice.id]);
  await pool.query('UPDATE invoices SET sent = now() WHERE id = $1', [invoice.id]);
  return stdout.trim();
}

export async function collectInvoice(invoice, gateway) {
  const cents = total(invoice.lines);
  const receipt = await gateway.charge(invoice.id, cents);
  invoice.receipt = receipt.number;
  return receipt;
}

export async function findInvoice(id) {
  const { rows } = await pool.query('SELECT * FROM invoices WHERE id = $1', [id]);
  return rows[0];
}

function total(lines) {
  let sum = 0;
  for (const { cents, count } of lines) sum += cents * count;
  return sum;
}
