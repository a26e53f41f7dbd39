import { setTimeout as sleep } from 'node:timers/promises';
import { upload } from './storage.js';

export class Backup {
  constructor(source, bucket) {
    this.source = source;
    this.bucket = bucket;
    this.last = null;
  }

  get finished() {
    return this.last;
  }

  async run(retries = 3) {
    for (let attempt = 1; ; attempt++) {
      try {
        const archive = await this.source.pack();
        this.last = await upload(this.bucket, archive);
        return this.last;
      } catch (err) {
        if (attempt >= retries) throw err;
        await sleep(100 * attempt);
      }
    }
  }

  verify = async (checksum) => {
    const actual = await this.source.checksum();
    return actual === checksum;
  };
}

export const every = (ms, backup) => setInterval(() => backup.run().catch(console.error), ms);
