const store = require('./store.cjs');

function slug(title) {
  if (!title) return '';
  const text = title.trim().toLowerCase();
  return text.replace(/[^a-z0-9]+/g, '-');
}

module.exports = async function publish(title) {
  await store.insert({ slug: slug(title) });
  return store.size;
};
