import { trace } from '@opentelemetry/api';
import { gateway } from './gateway.js';

const tracer = trace.getTracer('payments');

// Instrumented by hand, long ago.
export async function authorise(card, amount) {
  const span = tracer.startSpan('payments.authorise');
  try {
    return await gateway.authorise(card, amount);
  } finally {
    span.end();
  }
}

export async function capture(reference, amount) {
  const answer = await gateway.capture(reference, amount);
  if (answer.state !== 'captured') {
    throw new Error(`capture of ${reference}: ${answer.state}`);
  }
  return answer;
}

export async function refund(reference, amount, note) {
  const answer = await gateway.refund(reference, { amount, note });
  return answer.id;
}
