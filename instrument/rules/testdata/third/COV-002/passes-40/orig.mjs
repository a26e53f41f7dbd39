import { readFile, writeFile } from 'node:fs/promises';

export class Reports {
  async write(name, text) {
    const before = await this.read(name);
    await writeFile(name, before + text);
    return before.length;
  }

  async read(name) {
    return await readFile(name, 'utf8');
  }
}
