// The sessions and calls that the page shows.
const nodes = data.nodes;
const byNumber = new Map(nodes.map((n) => [n.n, n]));
for (const n of nodes) {
  n.children = [];
  n.calls = (data.calls[n.n] || []).map((c) => ({
    start: c[0], ms: c[1], type: data.texts[c[2]], status: data.texts[c[3]], tool: data.texts[c[4]], text: data.texts[c[5]],
    exit: c[6], length: c[7], index: c[8], denied: data.texts[c[9]], gap: c[10], node: n,
  }));
  const parent = byNumber.get(n.p);
  if (parent) parent.children.push(n);
}

// state is what the user chose; every change ends in redraw.
const state = { query: '', colour: 'status', hidden: new Set(), chosen: null };

function bytes(n) {
  if (n < 1024) return n + ' B';
  const units = ['KiB', 'MiB', 'GiB'];
  let i = -1;
  do { n /= 1024; i++; } while (n >= 1024 && i < 2);
  return n.toFixed(n < 100 ? 1 : 0) + ' ' + units[i];
}
const two = (n) => String(n).padStart(2, '0');
function clock(ms, fraction) {
  const d = new Date(data.base + ms);
  return two(d.getHours()) + ':' + two(d.getMinutes()) + ':' + two(d.getSeconds()) + (fraction ? '.' + String(d.getMilliseconds()).padStart(3, '0') : '');
}
function day(ms) {
  const d = new Date(data.base + ms);
  return d.getFullYear() + '-' + two(d.getMonth() + 1) + '-' + two(d.getDate());
}

const signs = { root: '●', subagent: '↳', fork: '↗', continuation: '→' };
const words = { root: 'root', subagent: 'sub-agent', fork: 'fork', continuation: 'continuation' };
function nodeText(n) {
  const lines = [n.source + ' ' + n.session, n.label];
  lines.push(words[n.relation] + (n.inferred ? ' (' + n.inferred + ')' : '') + (n.loop ? ', a circle of relationships was cut here' : ''));
  if (n.outcome === 'missing') return lines.join('\n');
  lines.push(n.word + (n.from ? ': ' + n.from : ''));
  if (n.start !== undefined) lines.push(day(n.start) + ' ' + clock(n.start) + ', active ' + duration(n.own.active_ms));
  lines.push(sums(n.own));
  if (n.children.length) lines.push('with all below: ' + plural(n.whole.sessions, 'session') + ', ' + sums(n.whole));
  return lines.filter(Boolean).join('\n');
}
function sums(s) {
  return plural(s.calls, 'call') + ', ' + number(s.failed) + ' failed, ' + number(s.no_result) + ' without an end, ' + number(s.tokens) + ' tokens';
}
function callText(c) {
  const parts = [c.status + (c.denied ? ' by ' + c.denied : ''), c.exit === null ? '' : 'exit ' + c.exit, c.ms ? (c.gap ? '≤' : '') + duration(c.ms) : '', c.length ? bytes(c.length) : ''];
  return 'call ' + c.index + '  ' + c.tool + ' (' + c.type + ')\n' + (c.text ? c.text + '\n' : '') + parts.filter(Boolean).join(' · ') + '\n' + day(c.start) + ' ' + clock(c.start, true) + '  ' + c.node.source + ' ' + c.node.name;
}

// What a search finds. A node that matches brings all its calls along.
const haystack = (n) => (n.haystack ??= [n.source, n.session, n.name, n.label, n.word, words[n.relation]].join(' ').toLowerCase());
const callHay = (c) => (c.haystack ??= [c.tool, c.type, c.text, c.status].join(' ').toLowerCase());
const nodeFound = (n) => !state.query || haystack(n).includes(state.query);
const callFound = (c) => !state.query || callHay(c).includes(state.query);
const callShown = (c) => !state.hidden.has(state.colour === 'status' ? c.status : c.type);

// below calls f with a node and all below it, parents first.
function below(n, f) {
  for (const stack = [n]; stack.length;) {
    const at = stack.pop();
    f(at);
    for (let i = at.children.length - 1; i >= 0; i--) stack.push(at.children[i]);
  }
}
