import { readFile, writeFile } from 'node:fs/promises';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export class Reports {
  async write(name, text) {
    return tracer.startActiveSpan('shop.report.write', async (span) => {
      try {
        const before = await this.read(name);
        await writeFile(name, before + text);
        return before.length;
      } catch (error) {
        span.recordException(error);
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    });
  }

  async read(name) {
    return await readFile(name, 'utf8');
  }
}
