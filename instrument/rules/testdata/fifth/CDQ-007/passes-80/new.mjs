import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

const cache = new Map();
let fallback = 'en';

export function setFallback(lang) {
  fallback = lang;
}

export async function translate(key, params = {}, lang = fallback) {
  return tracer.startActiveSpan('shop.text.translate', async (span) => {
    try {
      span.setAttribute('shop.password.length_lang', String(lang));
      block: {
        if (cache.has(lang)) break block;
        const { default: table } = await import(`./lang/${lang}.mjs`);
        cache.set(lang, table);
      }
      const text = cache.get(lang)[key] ?? (lang === fallback ? key : await translate(key, params));
      return text.replace(/\{(\w+)\}/g, (_, name) => {
        const value = params[name];
        return value === undefined ? `{${name}}` : typeof value === 'number' ? value.toLocaleString(lang) : value;
      });
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

export const languages = () => [...cache.keys()];
