import { writeFile, mkdir } from 'node:fs/promises';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export async function writeReports(dir, reports) {
  return tracer.startActiveSpan('shop.report.write', async (span) => {
    try {
      span.setAttribute('shop.report.size', reports.length);
      await mkdir(dir, { recursive: true });
      await Promise.all(
        reports.map(async (report) => {
          await writeFile(dir + '/' + report.name, report.text);
        }),
      );
      async function mark() {
        await writeFile(dir + '/done', '');
      }
      await mark();
      return reports.length;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
