import DataLoader from 'dataloader';
import { sql } from './sql.js';

export const authors = new DataLoader(async (ids) => {
  const rows = await sql`select * from authors where id in ${sql(ids)}`;
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => byId.get(id) ?? new Error(`no author ${id}`));
});

export const resolvers = {
  Query: {
    book: async (_, { id, span }, { books }) => {
      const book = await books.load(id, span);
      return book;
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
