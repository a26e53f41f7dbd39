import process, { exit } from 'node:process';
import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export async function main(args) {
  return tracer.startActiveSpan('shop.main', async (span) => {
    try {
      await store.load(args);
      if (store.broken) exit(2);
      return process.argv.length;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
