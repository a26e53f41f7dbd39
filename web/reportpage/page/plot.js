// What the plots are made of: axes, bars, and items that keyboard and pointer can reach.

// draw calls f with a plot's place and width, now and whenever the width changes.
function draw(id, f) {
  const place = $(id);
  let last = 0;
  const again = () => {
    const style = getComputedStyle(place);
    const width = Math.max(Math.floor(place.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight)), 260);
    if (width === last) return;
    last = width;
    f(place, width);
  };
  new ResizeObserver(again).observe(place);
  again();
  return () => { last = 0; again(); };
}

// item makes a group of a plot reachable: its text is shown when it is pointed at or has the focus.
function item(group, text, first) {
  fill(group, { class: 'item', role: 'img', 'aria-label': text, tabindex: first ? 0 : -1 }, []);
  group.addEventListener('focus', () => {
    for (const other of group.closest('svg').querySelectorAll('.item')) other.setAttribute('tabindex', other === group ? 0 : -1);
    $('detail').textContent = text;
    const box = group.getBoundingClientRect();
    if (group.matches(':focus-visible')) showTip(text, box.left + Math.min(box.width, 200), box.bottom);
  });
  group.addEventListener('blur', hideTip);
  group.addEventListener('pointermove', (e) => showTip(text, e.clientX, e.clientY));
  group.addEventListener('pointerleave', hideTip);
  return group;
}

document.addEventListener('keydown', (e) => {
  const at = document.activeElement;
  if (!at || !at.classList.contains('item') || e.ctrlKey || e.altKey || e.metaKey) return;
  const items = [...at.closest('svg').querySelectorAll('.item')];
  const to = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -items.length, End: items.length }[e.key];
  if (to === undefined) return;
  e.preventDefault();
  items[Math.min(Math.max(items.indexOf(at) + to, 0), items.length - 1)].focus();
});

// steps of an axis from 0 to at least most, in whole numbers, few of them.
function steps(most) {
  const rough = Math.max(most, 1) / 4, power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max([1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough), 1);
  const list = [];
  for (let at = 0; at < most + step; at += step) list.push(at);
  return list;
}

// axisY draws the lines of an axis; y is where a value lies.
function axisY(list, left, right, y, unit) {
  return svg('g', { class: 'axis', 'aria-hidden': 'true' }, ...list.flatMap((v) => [
    svg('line', { x1: left, x2: right, y1: y(v), y2: y(v) }), svg('text', { x: left - 6, y: y(v) + 4, 'text-anchor': 'end' }, number(v) + unit),
  ]));
}

const day = 86400000, week = 7 * day;
const date = (ms) => new Date(ms).toISOString().slice(0, 10);

// columns are the weeks from the first to the last, those in which nothing ended too; the last year of them at most. What a
// clock that is ahead says would leave a year of nothing: it is there only if there is nothing else.
function columns() {
  const past = data.weeks.filter((w) => w.start <= data.made), all = past.length ? past : data.weeks;
  const last = all[all.length - 1].start;
  const first = Math.max(all[0].start, last - 52 * week);
  const known = new Map(data.weeks.map((w) => [w.start, w]));
  const list = [];
  for (let at = first; at <= last; at += week) list.push(known.get(at) || { week: '', start: at, ended: 0, failing: 0, outcomes: {}, calls: 0, failed: 0 });
  return list;
}

// columnSize is how wide a week is. Few weeks stand beside the axis and not in the middle of nowhere.
function columnSize(list, room) { return Math.min(room / list.length, 96); }

// opens makes a bar lead to the failure that it shows.
function opens(group, id) {
  const go = () => { if (location.hash === '#' + id) lead(); else location.hash = id; };
  group.classList.add('leads');
  group.addEventListener('click', go);
  group.addEventListener('keydown', (e) => { if (e.key === 'Enter') go(); });
}

// fit shortens a text that is shown until it takes no more than so many pixels.
function fit(text, room) {
  const whole = text.textContent;
  for (let cells = Math.min(whole.length, Math.floor(room / 4)); cells > 1 && text.getComputedTextLength() > room; cells--) text.textContent = cut(whole, cells);
}

// axisX names the weeks by their Mondays, as many as there is room for.
function axisX(list, x, y, size, width) {
  const every = Math.ceil(76 / size);
  return svg('g', { class: 'axis', 'aria-hidden': 'true' }, ...list.flatMap((w, i) => i % every || x(i) + 66 > width && i ? [] : [
    svg('line', { x1: x(i), x2: x(i), y1: y, y2: y + 4 }), svg('text', { x: x(i), y: y + 16 }, date(w.start)),
  ]));
}

// others says how many weeks a plot over time leaves out.
function others(place, list) {
  const early = data.weeks.filter((w) => w.start < list[0].start).length, late = data.weeks.filter((w) => w.start > list[list.length - 1].start).length;
  const say = (text) => place.append(el('p', { class: 'dim' }, text));
  if (early) say('The last year. ' + plural(early, 'earlier week') + (early === 1 ? ' is' : ' are') + ' in the table.');
  if (late) say(plural(late, 'week') + ' to come, by clocks that are ahead, ' + (late === 1 ? 'is' : 'are') + ' in the table.');
}

// nothing says that there is nothing to draw.
function nothing(place, text) { place.replaceChildren(el('p', { class: 'dim' }, text)); }
