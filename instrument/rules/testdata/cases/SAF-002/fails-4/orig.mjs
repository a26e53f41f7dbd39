import fastify from 'fastify';
import { z } from 'zod';
import { loadProduct, searchProducts } from './products.js';

const Query = z.object({ text: z.string(), limit: z.coerce.number().default(20) });

export async function getProduct(request, reply) {
  const { sku } = request.params;
  const product = await loadProduct(sku);
  if (product === undefined) {
    return reply.code(404).send({ error: 'not found' });
  }
  return product;
}

export const search = async (request) => {
  const query = Query.parse(request.query);
  const found = await searchProducts(query.text, query.limit);
  return { hits: found, next: found.length === query.limit };
};

export function build(options) {
  const app = fastify(options);
  app.get('/products/:sku', getProduct);
  app.get('/search', search);
  return app;
}
