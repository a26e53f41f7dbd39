import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import * as api from '@opentelemetry/api';
const tracer = api.trace.getTracer('exporter');

export async function* pages(client, size = 100) {
  let cursor = null;
  do {
    const page = await client.list({ cursor, size });
    yield page.items;
    cursor = page.next;
  } while (cursor);
}

export async function exportAll(client, path) {
  return tracer.startActiveSpan('exporter.export_all', async (span) => {
    try {
      const out = createWriteStream(path);
      let count = 0;
      for await (const items of pages(client)) {
        for (const item of items) {
          if (!out.write(JSON.stringify(item) + '\n')) {
            await once(out, 'drain');
          }
          count += 1;
        }
      }
      span.setAttribute('exporter.items', count);
      out.end();
      await once(out, 'finish');
      return count;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: api.SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

export async function preview(client, wanted) {
  return tracer.startActiveSpan('exporter.preview', async (span) => {
    try {
      span.setAttribute('exporter.wanted', wanted);
      const shown = [];
      for await (const items of pages(client, wanted)) {
        shown.push(...items);
        if (shown.length >= wanted) break;
      }
      return shown.slice(0, wanted);
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: api.SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
