import pLimit from 'p-limit';
import { fetchPage } from './http.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

const limit = pLimit(4);

/**
 * Crawls the pages.
 * @param {string[]} urls
 */
export default async (urls, { depth = 1, visit = () => {} } = {}) => {
  return tracer.startActiveSpan('shop.crawl', async (span) => {
    try {
      if (depth != null) {
        span.setAttribute('shop.crawl.depth', depth);
      }
      const seen = new Set(urls);
      const pages = await Promise.all(
        urls.map((url) => limit(async () => ({ url, page: await fetchPage(url, depth) }))),
      );
      for (const { url, page } of pages) {
        visit(url, page);
        seen.delete(url);
      }
      return [...seen];
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
};
