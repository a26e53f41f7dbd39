// The lanes: one a session, in the order of the tree. Only those in sight are in the document.
const lanes = { height: 24, name: 250, shown: [], lane: 0, call: -1 };

const classOf = (c) => 'c-' + (state.colour === 'status' ? (c.status === 'no result' ? 'none' : c.status) : c.type);

// tracks puts calls that ran at once beside one another, in at most three tracks.
function tracks(n) {
  if (n.tracks) return;
  const ends = [];
  n.calls.sort((a, b) => a.start - b.start || a.index - b.index);
  for (const c of n.calls) {
    let t = ends.findIndex((end) => end <= c.start);
    if (t < 0) t = ends.length < 3 ? ends.length : ends.indexOf(Math.min(...ends));
    ends[t] = c.start + c.ms;
    c.track = t;
  }
  n.tracks = Math.max(1, ends.length);
}

// pickLanes chooses the lanes: without a search all whose parents are not folded, else those that match.
function pickLanes() {
  let skip = -1;
  lanes.shown = nodes.filter((n) => {
    if (skip >= 0 && n.d > skip) return false;
    skip = n.folded ? n.d : -1;
    return !state.query || nodeFound(n) || n.calls.some(callFound);
  });
  lanes.lane = Math.max(0, Math.min(lanes.lane, lanes.shown.length - 1));
}

function drawLanes() {
  const frame = $('lanes'), rows = $('rows');
  lanes.name = Math.max(130, Math.min(250, frame.clientWidth * 0.3));
  const width = Math.max(frame.clientWidth - lanes.name, 50);
  rows.style.height = lanes.shown.length * lanes.height + 'px';
  const first = Math.max(0, Math.floor(frame.scrollTop / lanes.height) - 2);
  const last = Math.min(lanes.shown.length, Math.ceil((frame.scrollTop + frame.clientHeight) / lanes.height) + 2);
  const list = [];
  for (let i = first; i < last; i++) list.push(lane(lanes.shown[i], i, width));
  rows.replaceChildren(...list);
  drawAxis(lanes.name, width);
}

function lane(n, i, width) {
  tracks(n);
  const name = el('div', { class: 'name' });
  name.style.width = lanes.name + 'px';
  name.style.paddingLeft = 6 + Math.min(n.d, 8) * 11 + 'px';
  if (!n.children.length) name.append(el('span', { class: 'fold' }));
  else name.append(el('button', { type: 'button', class: 'fold', tabindex: -1, 'data-fold': i, 'aria-label': n.folded ? 'unfold' : 'fold' }, n.folded ? '▸' : '▾'));
  name.append(svg('svg', { class: 'dot', viewBox: '0 0 8 8' }, svg('circle', { class: 'c-' + n.outcome, cx: 4, cy: 4, r: 4 })), n.name,
    el('span', { class: 'what' }, n.folded ? '+ ' + plural(n.whole.sessions - 1, 'session') : n.label));
  const picture = svg('svg', { height: lanes.height, width, 'data-lane': i });
  for (let s = 1; s < axis.segments.length; s++) {
    const x0 = toX(axis.segments[s - 1].v, width), x1 = toX(axis.segments[s].u, width);
    if (x1 > 0 && x0 < width) picture.append(svg('rect', { class: 'gap', x: Math.max(x0, 0), width: Math.max(Math.min(x1, width) - Math.max(x0, 0), 1), y: 0, height: lanes.height }));
  }
  if (n.start !== undefined && n.end !== undefined) {
    const x0 = Math.max(0, xOf(n.start, width)), x1 = Math.min(width, xOf(n.end, width));
    if (x1 >= x0) picture.append(svg('rect', { class: 'life', x: x0, width: Math.max(x1 - x0, 1), y: lanes.height / 2 - 1, height: 2 }));
  }
  bars(n, i, picture, width);
  const row = el('div', { class: 'lane' + (i === lanes.lane ? ' at' : ''), 'data-at': i }, name, picture);
  row.style.top = i * lanes.height + 'px';
  return row;
}

// bars draws the calls of a lane. Of those that would stand on one another's pixel, the ones that did not go well win.
function bars(n, i, picture, width) {
  const all = nodeFound(n), step = (lanes.height - 4) / n.tracks, ends = new Map(), important = [];
  const add = (c, x0, x1, on) => {
    const failed = c.status === 'failed' || c.status === 'no result';
    const inset = n.tracks === 1 && !failed ? 3 : 0;
    picture.append(svg('rect', {
      class: 'call ' + classOf(c) + (all || callFound(c) ? '' : ' faint') + (on ? ' on' : ''), x: x0, width: x1 - x0, y: 2 + c.track * step + inset, height: Math.max(step - 1 - 2 * inset, 3), rx: x1 - x0 > 6 ? 2 : 0,
    }));
  };
  for (let k = 0; k < n.calls.length; k++) {
    const c = n.calls[k];
    if (!callShown(c)) continue;
    const x0 = xOf(c.start, width), x1 = Math.max(xOf(c.start + c.ms, width), x0 + 2.5);
    if (x1 < 0 || x0 > width) continue;
    const from = Math.max(x0, -4), to = Math.min(x1, width + 4), on = i === lanes.lane && k === lanes.call;
    if (on || c.status !== 'completed') { important.push([c, from, to, on]); continue; }
    const key = c.track + classOf(c) + (all || callFound(c));
    if (to - from < 3 && from < (ends.get(key) ?? -9) + 0.6) continue;
    ends.set(key, to);
    add(c, from, to, false);
  }
  for (const args of important) add(...args);
}

// callAt is the call under, or close to, a point in a lane.
function callAt(n, x, y, width) {
  let best = null, far = 5;
  const track = Math.floor((y - 2) / ((lanes.height - 4) / n.tracks));
  for (const c of n.calls) {
    if (!callShown(c)) continue;
    const x0 = xOf(c.start, width), x1 = Math.max(xOf(c.start + c.ms, width), x0 + 2.5);
    const away = (x < x0 ? x0 - x : x > x1 ? x - x1 : 0) + (c.track === track ? 0 : 2) + (c.status === 'completed' ? 0.5 : 0);
    if (away < far) { best = c; far = away; }
  }
  return best;
}

function redraw() {
  pickLanes();
  if (state.query) {
    let calls = 0;
    for (const n of lanes.shown) calls += nodeFound(n) ? n.calls.length : n.calls.filter(callFound).length;
    $('found').textContent = lanes.shown.length ? plural(lanes.shown.length, 'session') + ', ' + plural(calls, 'call') : 'nothing found';
  } else $('found').textContent = '';
  drawTree();
  drawLanes();
}

function showLane(n, focus) {
  for (let p = byNumber.get(n.p); p; p = byNumber.get(p.p)) p.folded = false;
  pickLanes();
  const i = lanes.shown.indexOf(n);
  if (i < 0) return;
  lanes.lane = i;
  lanes.call = -1;
  keepInSight();
  drawLanes();
  $('detail').textContent = nodeText(n).replaceAll('\n', ' · ');
  if (focus) $('lanes').focus();
}

function keepInSight() {
  const frame = $('lanes'), y = lanes.lane * lanes.height;
  if (y < frame.scrollTop || y + lanes.height > frame.scrollTop + frame.clientHeight) frame.scrollTop = y - frame.clientHeight / 2;
}

function fold(i) {
  const n = lanes.shown[i];
  if (!n || !n.children.length) return;
  n.folded = !n.folded;
  pickLanes();
  drawLanes();
}

// step goes to another call of the lane, and moves the time to it.
function step(by) {
  const n = lanes.shown[lanes.lane];
  if (!n || !n.calls.length) return;
  let k = lanes.call;
  do k += by; while (k >= 0 && k < n.calls.length && !callShown(n.calls[k]));
  if (k < 0 || k >= n.calls.length) return;
  lanes.call = k;
  const u = along(n.calls[k].start), size = axis.to - axis.from;
  if (u < axis.from || u > axis.to) { axis.from = u - size / 2; axis.to = axis.from + size; }
  moveTime(0);
  $('detail').textContent = callText(n.calls[k]).replaceAll('\n', ' · ');
}

function laneKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const go = (by) => {
    lanes.lane = Math.max(0, Math.min(lanes.shown.length - 1, lanes.lane + by));
    lanes.call = -1;
    keepInSight();
    drawLanes();
    $('detail').textContent = lanes.shown.length ? nodeText(lanes.shown[lanes.lane]).replaceAll('\n', ' · ') : '';
  };
  const keys = {
    ArrowUp: () => go(-1), ArrowDown: () => go(1), PageUp: () => go(-20), PageDown: () => go(20), Home: () => go(-nodes.length), End: () => go(nodes.length),
    ArrowLeft: () => moveTime(-0.2), ArrowRight: () => moveTime(0.2), '+': () => zoomTime(1 / 1.5, 0.5), '=': () => zoomTime(1 / 1.5, 0.5), '-': () => zoomTime(1.5, 0.5),
    0: () => allTime(), n: () => step(1), p: () => step(-1), Enter: () => fold(lanes.lane), ' ': () => fold(lanes.lane),
  };
  if (!keys[event.key]) return;
  keys[event.key]();
  event.preventDefault();
}

function allTime() {
  [axis.from, axis.to] = axis.whole;
  drawLanes();
}

function drawLegend() {
  const counts = new Map();
  for (const n of nodes) for (const c of n.calls) counts.set(state.colour === 'status' ? c.status : c.type, (counts.get(state.colour === 'status' ? c.status : c.type) || 0) + 1);
  const order = state.colour === 'status' ? ['completed', 'failed', 'no result', 'cancelled', 'running', 'unknown'] : ['shell', 'read', 'edit', 'search', 'web', 'mcp', 'agent', 'other'];
  $('time-legend').replaceChildren(...order.filter((k) => counts.has(k)).map((k) => {
    const button = el('button', { type: 'button', 'aria-pressed': String(!state.hidden.has(k)), title: 'show or hide' }, swatch('c-' + (k === 'no result' ? 'none' : k)), k + ' ' + number(counts.get(k)));
    button.onclick = () => {
      if (!state.hidden.delete(k)) state.hidden.add(k);
      button.setAttribute('aria-pressed', String(!state.hidden.has(k)));
      drawLanes();
    };
    return el('li', null, button);
  }), ...(data.untimed ? [el('li', { class: 'dim' }, plural(data.untimed, 'call') + ' without a time are not drawn')] : []));
}

// pointer ties what the mouse does to the lanes.
function pointer(frame) {
  let drag = null;
  const where = (event) => {
    const picture = event.target.closest('[data-lane]');
    if (!picture) return null;
    const box = picture.getBoundingClientRect(), n = lanes.shown[picture.dataset.lane];
    return n && { i: Number(picture.dataset.lane), n, x: event.clientX - box.left, width: box.width, call: callAt(n, event.clientX - box.left, event.clientY - box.top, box.width) };
  };
  frame.addEventListener('pointermove', (event) => {
    if (drag && event.buttons === 1) {
      const dx = (drag.x - event.clientX) / (frame.clientWidth - lanes.name);
      if (Math.abs(event.clientX - drag.start) > 3) drag.moved = true;
      drag.x = event.clientX;
      hideTip();
      moveTime(dx);
      return;
    }
    const at = where(event), name = event.target.closest('.name');
    if (at && at.call) showTip(callText(at.call), event.clientX, event.clientY);
    else if (name) showTip(nodeText(lanes.shown[name.parentElement.dataset.at]), event.clientX, event.clientY);
    else hideTip();
  });
  frame.addEventListener('pointerleave', hideTip);
  frame.addEventListener('pointerdown', (event) => { if (event.target.closest('[data-lane]')) drag = { x: event.clientX, start: event.clientX, moved: false }; });
  frame.addEventListener('click', (event) => {
    const button = event.target.closest('[data-fold]');
    if (button) { fold(Number(button.dataset.fold)); return; }
    const moved = drag && drag.moved, row = event.target.closest('[data-at]');
    drag = null;
    if (moved || !row) return;
    const at = where(event), n = lanes.shown[row.dataset.at];
    lanes.lane = Number(row.dataset.at);
    lanes.call = at && at.call ? n.calls.indexOf(at.call) : -1;
    drawLanes();
    $('detail').textContent = (at && at.call ? callText(at.call) : nodeText(n)).replaceAll('\n', ' · ');
  });
  frame.addEventListener('wheel', (event) => {
    const at = event.target.closest('[data-lane]');
    if (event.ctrlKey && at) {
      const box = at.getBoundingClientRect();
      zoomTime(event.deltaY < 0 ? 1 / 1.3 : 1.3, (event.clientX - box.left) / box.width);
    } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) moveTime(event.deltaX / 800);
    else return;
    event.preventDefault();
  }, { passive: false });
}

function start() {
  zone();
  measure();
  startTree();
  pickLanes();
  drawLegend();
  drawLanes();
  const frame = $('lanes');
  frame.addEventListener('scroll', drawLanes);
  frame.addEventListener('keydown', laneKey);
  pointer(frame);
  addEventListener('resize', drawLanes);
  $('time-fit').onclick = allTime;
  $('time-in').onclick = () => zoomTime(1 / 1.5, 0.5);
  $('time-out').onclick = () => zoomTime(1.5, 0.5);
  $('time-left').onclick = () => moveTime(-0.3);
  $('time-right').onclick = () => moveTime(0.3);
  $('tools').onsubmit = (event) => event.preventDefault();
  $('search').oninput = (event) => {
    state.query = event.target.value.trim().toLowerCase();
    if (state.query) nodes.filter(nodeFound).slice(0, 100).forEach(reveal);
    redraw();
  };
  $('colour').onchange = (event) => {
    state.colour = event.target.value;
    state.hidden.clear();
    drawLegend();
    drawLanes();
  };
  const drawn = nodes.reduce((sum, n) => sum + n.calls.length, 0);
  Object.assign(document.documentElement.dataset, { ready: 'yes', nodes: nodes.length, calls: drawn, failed: nodes.reduce((sum, n) => sum + n.calls.filter((c) => c.status === 'failed').length, 0) });
}

if (nodes.length) start();
