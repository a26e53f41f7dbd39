import pLimit from 'p-limit';
import { fetchPage } from './http.mjs';

const limit = pLimit(4);

/**
 * Crawls the pages.
 * @param {string[]} urls
 */
export default async (urls, { depth = 1, visit = () => {} } = {}) => {
  const seen = new Set(urls);
  const pages = await Promise.all(
    urls.map((url) => limit(async () => ({ url, page: await fetchPage(url, depth) }))),
  );
  for (const { url, page } of pages) {
    visit(url, page);
    seen.delete(url);
  }
  return [...seen];
};
