import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { MongoClient } from 'mongodb';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('billing');

const client = new MongoClient('mongodb://127.0.0.1');
const customers = client.db('billing').collection('customers');

export const sendReminder = async (invoice, { lang = 'en' } = {}) => {
  return tracer.startActiveSpan('Billing.Reminder.Send', async (span) => {
    try {
      span.setAttribute('billing.invoice.id', invoice.id);
      const customer = await customers.findOne({ _id: invoice.customer });
      if (!customer) return false;
      const child = spawn('sendmail', ['-t'], { stdio: ['pipe', 'ignore', 'inherit'] });
      child.stdin.end(letter(invoice, lang));
      const [code] = await once(child, 'close');
      return code === 0;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
};

const letter = (invoice, lang) =>
  [`Subject: ${lang === 'de' ? 'Erinnerung' : 'Reminder'}`, '', `${invoice.id}: ${invoice.cents / 100}`].join('\n');

export const countCustomers = async () => {
  return await customers.countDocuments();
};
