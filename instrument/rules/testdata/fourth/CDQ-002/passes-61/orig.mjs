import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { dry: { type: 'boolean', default: false } } });
const { default: plan, ...rest } = await import('./plan.mjs');

async function migrate(steps, { dry }) {
  const applied = [];
  for (const [name, step] of Object.entries(steps)) {
    if (!dry) await step();
    applied.push(name);
  }
  return applied;
}

const applied = await migrate({ ...plan, ...rest }, values);
console.log(applied.join('\n') || 'nothing to do');

export { migrate, applied as default };
