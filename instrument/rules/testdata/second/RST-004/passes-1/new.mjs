import { readFile } from 'node:fs/promises';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export async function prices(dir) {
  const all = await load(dir + '/prices.json');
  return all.filter((price) => price > 0);
}

async function load(name) {
  return tracer.startActiveSpan('shop.file.read', async (span) => {
    try {
      span.setAttribute('shop.report.name', String(name));
      const text = await readFile(name, 'utf8');
      return JSON.parse(text);
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
