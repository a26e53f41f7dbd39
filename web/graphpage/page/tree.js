// The picture of the tree: a node's first child stands beside it, further ones below. A closed node shows the sum (Σ) of
// itself and all below it.
const tree = { scale: 1, width: 252, height: 40, stepX: 312, stepY: 48, budget: 60, items: [], at: null };

// openSome opens nodes from the root on until about as many are shown as one can read.
function openSome(budget) {
  let shown = 1;
  for (const n of nodes) n.open = 0;
  for (let level = [nodes[0]]; level.length && shown < budget;) {
    const next = [];
    for (const n of level) {
      const room = budget - shown;
      if (room <= 0) break;
      n.open = n.children.length <= room ? n.children.length : Math.max(Math.min(room, 12), 1);
      shown += n.open;
      next.push(...n.children.slice(0, n.open));
    }
    level = next;
  }
}

// layout gives each shown node its column and row.
function layout() {
  tree.items = [];
  let row = 0;
  for (const stack = [{ node: nodes[0], depth: 0, first: true, up: null }]; stack.length;) {
    const at = stack.pop();
    if (!at.first) row++;
    at.row = row;
    tree.items.push(at);
    if (!at.node) continue;
    const open = Math.min(at.node.open, at.node.children.length);
    const rest = [];
    for (let i = 0; i < open; i++) rest.push({ node: at.node.children[i], depth: at.depth + 1, first: i === 0, up: at });
    if (open > 0 && open < at.node.children.length) rest.push({ more: at.node, depth: at.depth + 1, first: false, up: at });
    stack.push(...rest.reverse());
  }
}

function drawTree() {
  if (!nodes.length) return;
  layout();
  const columns = Math.max(...tree.items.map((i) => i.depth)) + 1, rows = tree.items[tree.items.length - 1].row + 1;
  const w = columns * tree.stepX - 40, h = rows * tree.stepY + 12;
  tree.size = [w, h];
  const edges = svg('g', { 'aria-hidden': 'true' }), boxes = svg('g', { role: 'tree', 'aria-label': 'sessions' });
  for (const item of tree.items) {
    item.x = 10 + item.depth * tree.stepX;
    item.y = 8 + item.row * tree.stepY;
    if (item.up) edges.append(edge(item));
    boxes.append(item.node ? box(item) : moreBox(item));
  }
  const picture = svg('svg', { viewBox: `0 0 ${w} ${h}`, width: w * tree.scale, height: h * tree.scale }, edges, boxes);
  $('tree').replaceChildren(picture);
  rove(tree.at && tree.items.find((i) => i.node === tree.at) ? tree.at : nodes[0], false);
}

function edge(item) {
  const x0 = item.up.x + tree.width, y0 = item.up.y + tree.height / 2, y1 = item.y + tree.height / 2, mid = item.x - 30;
  const trunk = y0 === y1 ? `M${x0} ${y0}H${mid + 6}` : `M${x0} ${y0}H${mid - 6}Q${mid} ${y0} ${mid} ${y0 + 6}V${y1 - 6}Q${mid} ${y1} ${mid + 6} ${y1}`;
  return svg('g', null, svg('path', { class: 'edge', d: trunk }), svg('path', { class: 'edge ' + (item.node ? item.node.relation : ''), d: `M${mid + 6} ${y1}H${item.x}` }));
}

function box(item) {
  const n = item.node, closed = n.children.length > 0 && !n.open, o = closed ? n.whole : n.own;
  const title = signs[n.relation] + ' ' + n.name + (n.label ? '  ' + n.label : '');
  const sub = svg('text', { class: 'sub', x: 14, y: 32 });
  if (n.outcome === 'missing' && !closed) sub.append('no trace of it');
  else {
    sub.append((closed ? 'Σ ' : '') + plural(o.calls, 'call'));
    if (o.failed) sub.append(' · ', svg('tspan', { class: 'red' }, number(o.failed) + ' failed'));
    sub.append(' · ' + short(o.tokens) + ' tok' + (closed ? '' : ' · ' + duration(o.active_ms)));
  }
  const g = svg('g', {
    class: 'node ' + n.outcome + (nodeFound(n) ? '' : ' faint') + (state.chosen === n ? ' chosen' : ''), transform: `translate(${item.x} ${item.y})`, role: 'treeitem', tabindex: -1,
    'aria-level': item.depth + 1, 'aria-expanded': n.children.length ? String(n.open > 0) : null, 'aria-label': nodeText(n).replaceAll('\n', '; '), 'data-node': n.n,
  },
  svg('rect', { class: 'box', width: tree.width, height: tree.height, rx: 6 }),
  svg('rect', { class: 'c-' + n.outcome, x: 1, y: 1, width: 5, height: tree.height - 2, rx: 2 }),
  svg('text', { x: 14, y: 16 }, cut(title, n.children.length ? 31 : 33)), sub);
  if (n.children.length) {
    const hidden = n.whole.sessions - 1;
    g.append(svg('g', { class: 'toggle', 'data-toggle': n.n },
      svg('circle', { cx: tree.width, cy: tree.height / 2, r: 11 }), svg('text', { x: tree.width, y: tree.height / 2 + 4 }, n.open ? '−' : hidden > 99 ? short(hidden) : '+' + hidden)));
  }
  return g;
}

function moreBox(item) {
  const left = item.more.children.length - item.more.open;
  return svg('g', { class: 'node more', transform: `translate(${item.x} ${item.y})`, role: 'treeitem', tabindex: -1, 'aria-level': item.depth + 1, 'aria-label': 'show ' + left + ' more', 'data-more': item.more.n },
    svg('rect', { class: 'box', width: tree.width, height: tree.height - 8, y: 4, rx: 6 }), svg('text', { x: 14, y: 24 }, '… ' + plural(left, 'more session') + ' beside these'));
}

function toggle(n) {
  n.open = n.open ? 0 : Math.min(n.children.length, 40);
  drawTree();
}
function more(n) {
  n.open = Math.min(n.children.length, n.open + 40);
  drawTree();
}

// rove makes one node the one that Tab reaches.
function rove(n, focus) {
  tree.at = n;
  for (const g of $('tree').querySelectorAll('.node')) g.setAttribute('tabindex', Number(g.dataset.node) === n.n ? 0 : -1);
  if (focus) $('tree').querySelector(`.node[data-node="${n.n}"]`)?.focus();
}

// reveal opens what hides a node.
function reveal(n) {
  for (let c = n, p = byNumber.get(n.p); p; c = p, p = byNumber.get(p.p)) p.open = Math.max(p.open, p.children.indexOf(c) + 1);
}

function treeKey(event) {
  const g = event.target.closest('.node');
  if (!g) return;
  const i = tree.items.findIndex((item) => (item.node ? Number(g.dataset.node) === item.node.n : Number(g.dataset.more) === item.more.n));
  const item = tree.items[i], n = item.node;
  const goTo = (other) => { if (other) focusItem(other); };
  switch (event.key) {
    case 'ArrowDown': goTo(tree.items[i + 1]); break;
    case 'ArrowUp': goTo(tree.items[i - 1]); break;
    case 'Home': goTo(tree.items[0]); break;
    case 'End': goTo(tree.items[tree.items.length - 1]); break;
    case 'ArrowRight':
      if (n && n.children.length && !n.open) { toggle(n); rove(n, true); } else goTo(tree.items[i + 1]);
      break;
    case 'ArrowLeft':
      if (n && n.open) { toggle(n); rove(n, true); } else goTo(item.up);
      break;
    case 'Enter': case ' ':
      if (n) choose(n, true); else { more(item.more); rove(item.more, true); }
      break;
    default: return;
  }
  event.preventDefault();
}

function focusItem(item) {
  if (item.node) { rove(item.node, true); return; }
  $('tree').querySelector(`.node[data-more="${item.more.n}"]`)?.focus();
}

// choose marks a node in the tree and brings its lane into sight.
function choose(n, focus) {
  state.chosen = n;
  reveal(n);
  drawTree();
  showLane(n, focus);
}

function zoomTree(scale) {
  tree.scale = Math.max(0.15, Math.min(3, scale));
  const picture = $('tree').firstElementChild;
  picture.setAttribute('width', tree.size[0] * tree.scale);
  picture.setAttribute('height', tree.size[1] * tree.scale);
}

function startTree() {
  const frame = $('tree');
  openSome(tree.budget);
  drawTree();
  zoomTree(Math.max(0.7, Math.min(1, (frame.clientWidth - 4) / tree.size[0])));
  frame.addEventListener('click', (event) => {
    const closest = (selector) => event.target.closest(selector);
    const hit = closest('[data-toggle]');
    if (hit) toggle(byNumber.get(Number(hit.dataset.toggle)));
    else if (closest('[data-more]')) more(byNumber.get(Number(closest('[data-more]').dataset.more)));
    else if (closest('[data-node]')) choose(byNumber.get(Number(closest('[data-node]').dataset.node)), false);
  });
  frame.addEventListener('keydown', treeKey);
  frame.addEventListener('pointermove', (event) => {
    const g = event.target.closest('[data-node]');
    if (g) showTip(nodeText(byNumber.get(Number(g.dataset.node))), event.clientX, event.clientY); else hideTip();
  });
  frame.addEventListener('pointerleave', hideTip);
  frame.addEventListener('wheel', (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    zoomTree(tree.scale * (event.deltaY < 0 ? 1.15 : 1 / 1.15));
  }, { passive: false });
  $('tree-in').onclick = () => zoomTree(tree.scale * 1.25);
  $('tree-out').onclick = () => zoomTree(tree.scale / 1.25);
  $('tree-fit').onclick = () => zoomTree(Math.min((frame.clientWidth - 4) / tree.size[0], Math.max((frame.clientHeight - 4) / tree.size[1], 0.35)));
  $('tree-all').onclick = () => { for (const n of nodes) n.open = n.children.length; drawTree(); };
  $('tree-none').onclick = () => { for (const n of nodes) n.open = 0; drawTree(); };
  const legend = $('tree-legend'), kinds = new Set(nodes.slice(1).map((n) => n.relation));
  for (const outcome of ['completed', 'interrupted', 'errored', 'gave_up', 'killed', 'running', 'unknown', 'missing']) {
    const ended = nodes.filter((n) => n.outcome === outcome);
    if (ended.length) legend.append(el('li', null, swatch('c-' + outcome), ended[0].word + ' ' + number(ended.length)));
  }
  for (const kind of ['subagent', 'fork', 'continuation']) {
    if (kinds.has(kind)) legend.append(el('li', null, svg('svg', { width: 30, height: 10, 'aria-hidden': 'true' }, svg('path', { class: 'edge ' + kind, d: 'M0 5H30' })), words[kind]));
  }
}

function swatch(name) {
  return svg('svg', { width: 12, height: 12, 'aria-hidden': 'true' }, svg('rect', { class: name, x: 1, y: 1, width: 10, height: 10, rx: 2 }));
}
