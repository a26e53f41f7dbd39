import { readFile } from 'node:fs/promises';
import data from './manifest.json' with { type: 'json' };
export * as icons from './icons.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

const IMPORT = /^\s*@import\s+(['"])(?<file>.+?)\1;$/dgm;

export default function inline({ include = /\.css$/u, limit = 0x1000 } = {}) {
  return {
    name: 'inline',
    version: data.version,
    async transform(code, id) {
      return tracer.startActiveSpan('shop.css.inline', async (span) => {
        try {
          span.setAttribute('shop.css.kind', 'import');
          if (!include.test(id)) return null;
          const parts = [];
          let at = 0;
          for (const match of code.matchAll(IMPORT)) {
            // ... rest of the loop
            const text = await readFile(new URL(match.groups.file, `file://${id}`), 'utf8');
            if (text.length > limit) this.warn(String.raw`C:\${match.groups.file}`);
            parts.push(text);
            at = match.index + match[0].length;
          }
          return { code: [...parts, code.slice(at)].join(''), map: null };
        } catch (error) {
          span.recordException(error);
          span.setStatus({ code: SpanStatusCode.ERROR });
          throw error;
        } finally {
          span.end();
        }
      });
    },
  };
}
