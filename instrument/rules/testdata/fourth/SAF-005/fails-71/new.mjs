import DataLoader from 'dataloader';
import { GraphQLError } from 'graphql';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export const resolvers = {
  Query: {
    async product(_parent, { id }, { products }) {
      return tracer.startActiveSpan('shop.product.load', async (span) => {
        try {
          span.setAttribute('shop.product.id', String(id));
          span.setAttribute('shop.parent', _parent.id);
        const product = await products.load(id);
          if (!product) throw new GraphQLError('no such product', { extensions: { code: 'NOT_FOUND' } });
          return product;
        } catch (error) {
          span.recordException(error);
          span.setStatus({ code: SpanStatusCode.ERROR });
          throw error;
        } finally {
          span.end();
        }
      });
    },
    me: (_, __, { user }) => user ?? null,
  },
  Product: {
    reviews: async ({ id }, { first = 10 }, { reviews }) => {
      return tracer.startActiveSpan('shop.reviews.load', async (span) => {
        try {
          span.setAttribute('shop.first', Number(first));
          const list = await reviews.load(id);
          return list.slice(0, first);
        } catch (error) {
          span.recordException(error);
          span.setStatus({ code: SpanStatusCode.ERROR });
          throw error;
        } finally {
          span.end();
        }
      });
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
