
const batches = (list, size) => {
  const all = [];
  let now = [];
  for (const item of list) {
    now.push(item);
    if (now.length === size) {
      all.push(now);
      now = [];
    }
  }
  if (now.length > 0) all.push(now);
  const count = all.length;
  return { all, count };
};

module.exports = { plan: (list) => batches(list, 10).all };
