import DataLoader from 'dataloader';
import { sql } from './sql.js';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('graph');

export const authors = new DataLoader(async (ids) => {
  return tracer.startActiveSpan('graph.authors.load', async (span) => {
    try {
      span.setAttribute('graph.batch', ids.length);
      const rows = await sql`select * from authors where id in ${sql(ids)}`;
      const byId = new Map(rows.map((row) => [row.id, row]));
      return ids.map((id) => byId.get(id) ?? new Error(`no author ${id}`));
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
});

export const resolvers = {
  Query: {
    book: async (_, { id, span }, { books }) => {
      return tracer.startActiveSpan('graph.book', async (span) => {
        try {
          const book = await books.load(id, span);
          span.setAttribute('graph.found', book != null);
          return book;
        } catch (error) {
          span.recordException(error);
          span.setStatus({ code: SpanStatusCode.ERROR });
          throw error;
        } finally {
          span.end();
        }
      });
    },
    version: () => '1.4.0',
  },
  Book: {
    author: (book) => authors.load(book.authorId),
  },
};

export async function* changes(topic, signal) {
  while (!signal.aborted) {
    yield await topic.next();
  }
}
