const store = require('./store.cjs');

exports.main = async () => {
  const code = await store.load();
  process.exitCode = code;
  if (code > 1) {
    process.exit();
  }
};
