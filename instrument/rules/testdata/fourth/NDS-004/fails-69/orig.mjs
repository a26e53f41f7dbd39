import DataLoader from 'dataloader';
import { GraphQLError } from 'graphql';

export const resolvers = {
  Query: {
    async product(_parent, { id }, { products }) {
      const product = await products.load(id);
      if (!product) throw new GraphQLError('no such product', { extensions: { code: 'NOT_FOUND' } });
      return product;
    },
    me: (_, __, { user }) => user ?? null,
  },
  Product: {
    reviews: async ({ id }, { first = 10 }, { reviews }) => {
      const list = await reviews.load(id);
      return list.slice(0, first);
    },
    ['price']({ cents }) { return cents / 100; },
  },
};

export const loaders = (db) => ({
  products: new DataLoader(async (ids) => {
    const rows = await db.products.findMany({ where: { id: { in: [...ids] } } });
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) => byId.get(id));
  }),
});
