import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { MongoClient } from 'mongodb';

const client = new MongoClient('mongodb://127.0.0.1');
const customers = client.db('billing').collection('customers');

export const sendReminder = async (invoice, { lang = 'en' } = {}) => {
  const customer = await customers.findOne({ _id: invoice.customer });
  if (!customer) return false;
  const child = spawn('sendmail', ['-t'], { stdio: ['pipe', 'ignore', 'inherit'] });
  child.stdin.end(letter(invoice, lang));
  const [code] = await once(child, 'close');
  return code === 0;
};

const letter = (invoice, lang) =>
  [`Subject: ${lang === 'de' ? 'Erinnerung' : 'Reminder'}`, '', `${invoice.id}: ${invoice.cents / 100}`].join('\n');

export const countCustomers = async () => {
  return await customers.countDocuments();
};
