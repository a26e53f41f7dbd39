import { writeFile } from 'node:fs/promises';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export async function saveReport(name, rows) {
  return tracer.startActiveSpan('shop.report.save', async (span) => {
    try {
      span.setAttribute('shop.report.name', String(name));
      const text = rows.map((row) => row.join(',')).join('\n');
      await put(name, text);
      return text.length;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

async function put(name, text) {
  await writeFile(name, text);
}
