import { ledger } from './ledger.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export async function placeOrder(id) {
  return tracer.startActiveSpan('shop.order.place', async (span) => {
    try {
      await ledger.open(id);
      return await ledger.total(id);
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

export async function chargeCustomer(customer, amount) {
  const account = await ledger.account(customer);
  const entry = await ledger.debit(account, amount);
  return entry.number;
}
