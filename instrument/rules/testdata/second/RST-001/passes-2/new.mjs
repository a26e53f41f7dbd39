import { writeFileSync } from 'node:fs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export function saveAll(reports) {
  for (const report of reports) save(report.name, report.text);
}

function save(name, text) {
  return tracer.startActiveSpan('shop.file.write', (span) => {
    try {
      const line = text.trimEnd() + '\n';
      writeFileSync(name, line);
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
