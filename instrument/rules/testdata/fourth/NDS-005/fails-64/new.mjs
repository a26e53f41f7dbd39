import { readFile, writeFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export async function readJSON(file, otherwise) {
  return tracer.startActiveSpan('shop.settings.read', async (span) => {
    try {
      try {
        return JSON.parse(await readFile(file, 'utf8'));
      } catch (reason) {
        return otherwise;
      }
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

export async function writeJSON(file, value) {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(value, null, 2)}\n`);
}

export async function update(root, name, change) {
  return tracer.startActiveSpan('shop.settings.update', async (span) => {
    try {
      span.setAttribute('shop.settings.kind', 'json');
      const file = join(root, `${name}.json`);
      const before = await readJSON(file, {});
      const after = change(before) ?? before;
      await writeJSON(file, after);
      return after;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
