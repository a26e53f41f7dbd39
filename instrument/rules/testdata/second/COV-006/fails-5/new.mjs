import { MongoClient } from 'mongodb';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

const client = new MongoClient('mongodb://db');
const users = client.db('shop').collection('users');

export async function userByName(name) {
  return tracer.startActiveSpan('shop.db.read', async (span) => {
    try {
      const user = await users.findOne({ name });
      return user;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
