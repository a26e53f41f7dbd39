import { setTimeout as sleep } from 'node:timers/promises';
import { upload } from './storage.js';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('backups');

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
    return tracer.startActiveSpan('backups.run', async (span) => {
      try {
        span.setAttribute('backups.retries', retries);
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
      } catch (error) {
        span.recordException(error);
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    });
  }

  verify = async (checksum) => {
    return tracer.startActiveSpan('backups.verify', async (span) => {
      try {
        const actual = await this.source.checksum();
        span.setAttribute('backups.equal', actual === checksum);
        return actual === checksum;
      } catch (error) {
        span.recordException(error);
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    });
  };
}

export const bucketOf = (backup) => {
  return tracer.startActiveSpan('backups.bucket', (span) => {
    try {
      return backup.bucket;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
};

export const every = (ms, backup) => setInterval(() => backup.run().catch(console.error), ms);
