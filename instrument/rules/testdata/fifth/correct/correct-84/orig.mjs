import { readFile } from 'node:fs/promises';
import data from './manifest.json' with { type: 'json' };
export * as icons from './icons.mjs';

const IMPORT = /^\s*@import\s+(['"])(?<file>.+?)\1;$/dgm;

export default function inline({ include = /\.css$/u, limit = 0x1000 } = {}) {
  return {
    name: 'inline',
    version: data.version,
    async transform(code, id) {
      if (!include.test(id)) return null;
      const parts = [];
      let at = 0;
      for (const match of code.matchAll(IMPORT)) {
        parts.push(code.slice(at, match.index));
        const text = await readFile(new URL(match.groups.file, `file://${id}`), 'utf8');
        if (text.length > limit) this.warn(String.raw`C:\${match.groups.file}`);
        parts.push(text);
        at = match.index + match[0].length;
      }
      return { code: [...parts, code.slice(at)].join(''), map: null };
    },
  };
}
