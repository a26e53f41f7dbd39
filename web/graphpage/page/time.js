// The axis: time without the pauses in which nothing happened, which are drawn as narrow gaps.
const axis = { segments: [], length: 1, from: 0, to: 1, pause: 10 * 60 * 1000 };

// zone tells in whose time the clocks of the page are: the table has UTC.
function zone() {
  $('zone').textContent = 'times in ' + (Intl.DateTimeFormat().resolvedOptions().timeZone || 'the zone of this computer');
}

// measure finds when anything happened, and lays that out on a line.
function measure() {
  const spans = [];
  for (const n of nodes) {
    for (const t of [n.start, n.end]) if (t !== undefined) spans.push([t, t]);
    for (const c of n.calls) spans.push([c.start, c.start + c.ms]);
  }
  spans.sort((a, b) => a[0] - b[0]);
  const busy = [];
  for (const [start, end] of spans) {
    const last = busy[busy.length - 1];
    if (last && start - last.end <= axis.pause) last.end = Math.max(last.end, end);
    else busy.push({ start, end });
  }
  if (!busy.length) busy.push({ start: 0, end: 1 });
  const sum = Math.max(busy.reduce((total, b) => total + b.end - b.start, 0), 1);
  const gap = Math.min(sum * 0.03, sum * 0.25 / busy.length);
  let at = 0;
  for (const b of busy) {
    b.u = at;
    at += Math.max(b.end - b.start, sum * 0.002);
    b.v = at;
    at += gap;
  }
  axis.segments = busy;
  axis.length = at - gap;
  axis.from = -axis.length * 0.005;
  axis.to = axis.length * 1.01;
  axis.whole = [axis.from, axis.to];
}

// along is where on the line a moment lies.
function along(t) {
  const list = axis.segments;
  let low = 0, high = list.length - 1;
  while (low < high) {
    const mid = (low + high + 1) >> 1;
    if (list[mid].start <= t) low = mid; else high = mid - 1;
  }
  const s = list[low], length = s.end - s.start;
  if (t <= s.start) return s.u;
  if (t >= s.end) return s.v;
  return s.u + (t - s.start) / length * (s.v - s.u);
}

const toX = (u, width) => (u - axis.from) / (axis.to - axis.from) * width;
const xOf = (t, width) => toX(along(t), width);

function zoomTime(factor, around) {
  const center = axis.from + (axis.to - axis.from) * around;
  const size = Math.min(Math.max((axis.to - axis.from) * factor, axis.length / 20000, 20), axis.whole[1] - axis.whole[0]);
  axis.from = center - size * around;
  axis.to = axis.from + size;
  moveTime(0);
}
function moveTime(share) {
  const size = axis.to - axis.from;
  axis.from = Math.min(Math.max(axis.from + size * share, axis.whole[0]), axis.whole[1] - size);
  axis.to = axis.from + size;
  drawLanes();
}

const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 15000, 30000, 60000, 120000, 300000, 600000, 900000, 1800000, 3600000, 7200000, 14400000, 28800000, 86400000];

function drawAxis(left, width) {
  const gaps = svg('g'), picture = svg('svg', { width: left + width, height: 34 }, gaps);
  const rate = width / (axis.to - axis.from); // pixels a millisecond
  const step = steps.find((s) => s * rate >= 84) || steps[steps.length - 1];
  const zone = new Date(data.base).getTimezoneOffset() * 60000;
  let lastLabel = -1000, lastDay = '', lastDayAt = -1000;
  axis.segments.forEach((s, i) => {
    const x0 = toX(s.u, width), x1 = toX(s.v, width);
    if (i > 0) gapMark(gaps, left, toX(axis.segments[i - 1].v, width), x0, width, s.start - axis.segments[i - 1].end, lastLabel + 62);
    if (x1 < 0 || x0 > width) return;
    const label = (t, x) => {
      if (x < -1 || x > width - 58 || x - lastLabel < 62) return;
      lastLabel = x;
      const date = day(t);
      if (date !== lastDay && x - lastDayAt > 76) {
        picture.append(svg('text', { class: 'day', x: left + x, y: 11 }, date));
        lastDay = date;
        lastDayAt = x;
      }
      picture.append(svg('line', { x1: left + x, x2: left + x, y1: 14, y2: 34 }), svg('text', { x: left + x + 3, y: 25 }, clock(t, step < 1000)));
    };
    label(s.start, x0);
    const scale = (s.v - s.u) / Math.max(s.end - s.start, 1);
    const first = s.start + Math.max(0, (axis.from - s.u) / scale), last = s.start + Math.min(s.end - s.start, (axis.to - s.u) / scale);
    const origin = data.base - zone;
    for (let t = Math.ceil((first + origin) / step) * step - origin; t <= last; t += step) label(t, xOf(t, width));
  });
  $('axis').replaceChildren(picture);
}

// gapMark draws a pause, and how long it is if there is room right of a label that ends at used.
function gapMark(picture, left, x0, x1, width, ms, used) {
  if (x1 < 0 || x0 > width) return;
  const from = Math.max(0, x0), to = Math.min(width, x1);
  picture.append(svg('rect', { class: 'gap', x: left + from, y: 14, width: Math.max(to - from, 1), height: 20 }, svg('title', null, 'nothing for ' + duration(ms))));
  if (to - from > 34 && from > used - 8) picture.append(svg('text', { x: left + (from + to) / 2, y: 28, 'text-anchor': 'middle' }, duration(ms)));
}
