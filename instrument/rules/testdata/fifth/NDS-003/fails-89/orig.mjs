
const cache = new Map();
let fallback = 'en';

export function setFallback(lang) {
  fallback = lang;
}

export async function translate(key, params = {}, lang = fallback) {
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
}

export const languages = () => [...cache.keys()];
