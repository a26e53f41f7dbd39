// The plots. What each draws stands in its data-… attributes too, for whoever wants to count.
const hidden = new Set();
const word = (o) => data.words[data.outcomes.indexOf(o)];

// outcomes stacks how sessions ended, one column a week.
function outcomes(place, width) {
  if (!data.weeks.length) return nothing(place, 'No session ended at a known time.');
  const list = columns(), left = 44, height = 220, base = 190, shown = data.outcomes.filter((o) => !hidden.has(o));
  const sum = (w) => shown.reduce((n, o) => n + (w.outcomes[o] || 0), 0);
  const ticks = steps(Math.max(...list.map(sum))), top = ticks[ticks.length - 1];
  const y = (v) => base - v / top * (base - 10), size = columnSize(list, width - left), x = (i) => left + i * size;
  const picture = svg('svg', { width, height, role: 'group', 'aria-label': 'outcomes by week' }, axisY(ticks, left, width, y, ''), axisX(list, x, base, size, width));
  list.forEach((w, i) => {
    const parts = data.outcomes.filter((o) => w.outcomes[o]);
    const text = 'week from ' + date(w.start) + ': ' + number(w.ended) + (w.ended === 1 ? ' session or sub-agent' : ' sessions and sub-agents') + ' ended' + parts.map((o) => '\n' + word(o) + ' ' + number(w.outcomes[o]) + ' of ' + number(w.ended)).join('');
    const group = svg('g', { 'data-week': w.week, 'data-ended': w.ended }, svg('rect', { class: 'ground', x: x(i), y: 4, width: size, height: base - 4 }));
    let at = 0;
    for (const o of shown) {
      const n = w.outcomes[o];
      if (!n) continue;
      const thick = Math.min(size - 1, 46);
      group.append(svg('rect', { class: 'c-' + o, 'data-outcome': o, 'data-n': n, x: x(i) + (size - thick) / 2, y: y(at + n), width: Math.max(thick, 0.5), height: Math.max(y(at) - y(at + n) - 0.5, 0.5) }));
      at += n;
    }
    picture.append(item(group, text, i === list.length - 1));
  });
  place.replaceChildren(picture);
  others(place, list);
  if (data.no_week && data.no_week.ended) place.append(el('p', { class: 'dim' }, number(data.no_week.ended) + (data.no_week.ended === 1 ? ' session or sub-agent' : ' sessions and sub-agents') + ' ended at an unknown time and ' + (data.no_week.ended === 1 ? 'is' : 'are') + ' in no week.'));
}

// rate draws the share of failed calls, one point a week; weeks without calls have none, and the line is broken there.
function rate(place, width) {
  const known = data.weeks.filter((w) => w.calls);
  if (!known.length) return nothing(place, 'No call ended at a known time.');
  const list = columns(), left = 44, height = 150, base = 120;
  const most = Math.min(Math.max(...known.map((w) => 100 * w.failed / w.calls), 4), 100);
  const ticks = steps(most).filter((v) => v <= 100), top = ticks[ticks.length - 1];
  const y = (v) => base - v / top * (base - 10), size = columnSize(list, width - left), x = (i) => left + i * size;
  const picture = svg('svg', { width, height, role: 'group', 'aria-label': 'share of failed calls by week' }, axisY(ticks, left, width, y, '%'), axisX(list, x, base, size, width));
  const at = (i) => [x(i) + size / 2, y(100 * list[i].failed / list[i].calls)];
  let path = '';
  list.forEach((w, i) => { if (w.calls) path += (i && list[i - 1].calls ? 'L' : 'M') + at(i).join(' '); });
  picture.append(svg('path', { class: 'line', d: path }));
  const last = list.findLastIndex((w) => w.calls);
  list.forEach((w, i) => {
    if (!w.calls) return;
    const text = 'week from ' + date(w.start) + ': ' + number(w.failed) + ' of ' + plural(w.calls, 'call') + ' failed (' + (100 * w.failed / w.calls).toFixed(1) + '%)';
    const group = svg('g', { 'data-week': w.week, 'data-failed': w.failed, 'data-calls': w.calls }, svg('rect', { class: 'ground', x: x(i), y: 4, width: size, height: base - 4 }), svg('circle', { class: 'point', cx: at(i)[0], cy: at(i)[1], r: 3.5 }));
    picture.append(item(group, text, i === last));
  });
  place.replaceChildren(picture);
  others(place, list);
  if (data.no_week && data.no_week.calls) place.append(el('p', { class: 'dim' }, number(data.no_week.failed) + ' of ' + plural(data.no_week.calls, 'call') + ' of sessions that run, or ended at an unknown time, failed: they are in no week.'));
}

// bars draws one bar an entry: as long as its share of what it is a part of (then the ground is all of that), or compared with the longest one.
function bars(list, own, none) {
  return (place, width) => {
    if (!list.length) return nothing(place, none);
    const two = list.some((b) => b.under), height = two ? 34 : 24, label = Math.min(width * 0.46, 330), value = 118, room = width - label - value - 16;
    const most = Math.max(...list.map((b) => b.n), 1);
    const picture = svg('svg', { width, height: list.length * height, role: 'group' });
    list.forEach((b, i) => {
      const y = i * height, share = own ? b.n / Math.max(b.of, 1) : b.n / most;
      const group = item(svg('g', { 'data-n': b.n, 'data-of': b.of },
        svg('rect', { class: 'ground', x: 0, y, width, height }),
        svg('text', { class: 'label', x: 2, y: y + 16 }, b.label), b.under ? svg('text', { class: 'under', x: 2, y: y + 29 }, b.under) : null,
        own ? svg('rect', { class: 'c-rest', x: label + 8, y: y + 6, width: room, height: 12, rx: 2 }) : null,
        svg('rect', { class: 'c-part', x: label + 8, y: y + 6, width: b.n ? Math.max(room * share, 1.5) : 0, height: 12, rx: 2 }),
        b.bad ? svg('rect', { class: 'c-bad', 'data-bad': b.bad, x: label + 8, y: y + 6, width: Math.max(room * share * b.bad / b.n, 1.5), height: 12, rx: 2 }) : null,
        svg('text', { x: width - 2, y: y + 16, 'text-anchor': 'end' }, number(b.n) + ' of ' + number(b.of))), b.text, i === 0);
      if (b.key && $('k-' + b.key)) opens(group, 'k-' + b.key);
      picture.append(group);
    });
    place.replaceChildren(picture);
    for (const text of picture.querySelectorAll('.label, .under')) fit(text, label);
  };
}

const again = draw('outcomes', outcomes);
draw('rate', rate);
draw('classes', bars(data.classes, false, 'No errors.'));
draw('tools', bars(data.tools, true, 'No calls.'));
draw('shapes', bars(data.shapes, false, 'Nothing failed.'));
draw('errors', bars(data.errors, false, 'No errors.'));

for (const o of data.outcomes) {
  const button = el('button', { type: 'button', 'aria-pressed': 'true' }, svg('svg', { 'aria-hidden': 'true' }, svg('rect', { class: 'c-' + o, width: 11, height: 11, rx: 2 })), word(o));
  button.addEventListener('click', () => {
    if (!hidden.delete(o)) hidden.add(o);
    button.setAttribute('aria-pressed', String(!hidden.has(o)));
    again();
  });
  $('legend').append(el('li', null, button));
}
document.documentElement.dataset.drawn = document.querySelectorAll('.plot svg').length;
