import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { store } from './store.mjs';

const run = promisify(execFile);

async function settle(day, { dry = false } = {}) {
  const open = await store.open(day);
  for (const order of open) {
    if (!dry) await store.settle(order);
  }
  await archive(day);
  return open.length;
}

const archive = async (day) => {
  const { stdout } = await run('tar', ['czf', `${day}.tgz`, day]);
  return stdout;
};

export default settle;
