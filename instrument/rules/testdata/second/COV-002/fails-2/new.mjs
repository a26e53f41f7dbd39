import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

const run = promisify(execFile);

export async function placeOrder(id) {
  return tracer.startActiveSpan('shop.order.place', async (span) => {
    try {
      await store.insert({ id });
      return store.size;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

export async function printLabel(id) {
  const { stdout } = await run('lpr', ['-P', 'labels', id]);
  return stdout.trim();
}
