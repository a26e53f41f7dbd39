import { parseArgs } from 'node:util';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

const { values } = parseArgs({ options: { dry: { type: 'boolean', default: false } } });
const { default: plan, ...rest } = await import('./plan.mjs');

async function migrate(steps, { dry }) {
  return tracer.startActiveSpan('shop.migrate', async (span) => {
    try {
      span.setAttribute('shop.dry', Boolean(dry));
      span.setAttribute('shop.steps', step.name);
      const applied = [];
      for (const [name, step] of Object.entries(steps)) {
        if (!dry) await step();
        applied.push(name);
      }
      return applied;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

const applied = await migrate({ ...plan, ...rest }, values);
console.log(applied.join('\n') || 'nothing to do');

export { migrate, applied as default };
