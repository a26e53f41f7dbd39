'use strict';
const fs = require('fs/promises');
const path = require('path');

class Statements {
  constructor(root, clock = Date) {
    this.root = root;
    this.clock = clock;
  }

  get year() {
    return this.clock.year;
  }

  async build(accounts) {
    const parts = [];
    for (const account of accounts) {
      const text = await fs.readFile(path.join(this.root, account.file), 'utf8');
      parts.push(text.trimEnd());
    }
    const joined = parts.join('\n\n');
    await fs.writeFile(path.join(this.root, 'statement.txt'), joined);
    return joined.length;
  }

  header(account) {
    return `${account.name} (${account.file})`;
  }
}

async function archive(root, names) {
  await fs.mkdir(path.join(root, 'old'), { recursive: true });
  for (const name of names) {
    await fs.rename(path.join(root, name), path.join(root, 'old', name));
  }
  return names.length;
}

module.exports = { Statements, archive };
