'use strict';
// What a page shows, and what its scripts share.
const data = JSON.parse(document.getElementById('data').textContent);
const $ = (id) => document.getElementById(id);

function el(name, attributes, ...children) {
  return fill(document.createElement(name), attributes, children);
}
function svg(name, attributes, ...children) {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children);
}
function fill(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes || {})) if (value !== null && value !== undefined) node.setAttribute(key, value);
  node.append(...children.filter((c) => c !== null && c !== undefined));
  return node;
}

const number = (n) => n.toLocaleString('en-US');
function short(n) {
  for (const [size, unit] of [[1e9, 'G'], [1e6, 'M'], [1e3, 'k']]) if (n >= size) return (n / size).toFixed(n < 10 * size ? 1 : 0) + unit;
  return String(n);
}
function plural(n, noun) { return number(n) + ' ' + noun + (n === 1 ? '' : 's'); }
function duration(ms) {
  if (ms < 1000) return Math.round(ms) + 'ms';
  const s = Math.round(ms / 1000);
  if (ms < 9950) return (ms / 1000).toFixed(1) + 's';
  if (s < 60) return s + 's';
  if (s < 3600) return Math.floor(s / 60) + 'm' + String(s % 60).padStart(2, '0') + 's';
  if (s < 86400) return Math.floor(s / 3600) + 'h' + String(Math.floor(s / 60) % 60).padStart(2, '0') + 'm';
  return Math.floor(s / 86400) + 'd' + String(Math.floor(s / 3600) % 24).padStart(2, '0') + 'h';
}

// cut shortens a text to a number of cells; wide characters take two.
function cut(text, cells) {
  let used = 0, out = '';
  for (const c of text) {
    used += c.codePointAt(0) >= 0x1100 ? 2 : 1;
    if (used > cells) return out.trimEnd() + '…';
    out += c;
  }
  return out;
}

function showTip(text, x, y) {
  const tip = $('tip');
  tip.textContent = text;
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  tip.style.left = Math.max(4, Math.min(x + 14, innerWidth - box.width - 8)) + 'px';
  tip.style.top = (y + 18 + box.height > innerHeight ? Math.max(4, y - box.height - 10) : y + 18) + 'px';
}
function hideTip() { $('tip').hidden = true; }
