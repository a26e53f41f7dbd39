'use strict';
// Live parts, keys, ages, copying. Only swap makes HTML out of text, and only out of this server's own pages.
const $ = (id) => document.getElementById(id);
const say = (text) => { $('news').textContent = text; };
const kept = (name, value) => {
  try {
    return value === undefined ? sessionStorage.getItem(name) : sessionStorage.setItem(name, value);
  } catch { return null; }
};

// A link's code is taken out of the address before it is sent, so that it stays in no history.
async function comeIn(code) {
  history.replaceState(null, '', location.pathname + location.search);
  const answer = await fetch('/auth', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ code }) });
  if (!answer.ok) { say('This link was used, or is older than a minute. Run aburn dashboard for a new one.'); return; }
  kept('token', (await answer.json()).token);
  location.replace(location.href);
}

async function ask(path) {
  const answer = await fetch(path, { method: 'POST', headers: { 'Content-Type': 'application/json', 'Aburn-Token': kept('token') || '' }, body: '{}' });
  say(answer.ok ? 'Done.' : 'This tab may not do that: open a new link of aburn dashboard in it.');
}

// The stream says what changed; the page asks for itself again, and swaps the parts that are about that.
const policy = window.trustedTypes ? trustedTypes.createPolicy('aburn', { createHTML: (text) => text }) : { createHTML: (text) => text };
const shown = {}; // live parts as they came, by id
let changed = new Set(), busy = false, source = null;
const swaps = [], most = 10; // when the last swaps were; so many come in a second at most, and the first of them at once

async function refresh() {
  if (busy || !changed.size) return;
  busy = true;
  if (swaps.length === most) await new Promise((done) => setTimeout(done, swaps.shift() + 1000 - Date.now()));
  const about = changed;
  changed = new Set();
  swaps.push(Date.now());
  // Most pages show no more of the projects' logs than the two numbers at the top: an entry must not make them anew.
  const parts = [...document.querySelectorAll('[data-live]')].filter((part) => isAbout(part, about));
  const path = parts.every((part) => part.id === 'marks') ? '/marks' : location.pathname + location.search;
  try {
    const answer = await fetch(path, { headers: { Accept: 'text/html' } });
    if (answer.status === 401) { over('This page is not open any more: run aburn dashboard for a new link.'); return; }
    if (answer.ok) swap(await answer.text(), about);
  } catch { /* the stream says when the server is back */ }
  busy = false;
  refresh();
}

const isAbout = (part, topics) => topics.has('everything') || part.dataset.live.split(' ').some((topic) => topics.has(topic));

function swap(text, about) {
  const fresh = document.createElement('template');
  fresh.innerHTML = policy.createHTML(text);
  const waiting = () => Number((document.querySelector('#marks [data-name=waiting]') || { dataset: {} }).dataset.value || 0), before = waiting();
  for (const old of document.querySelectorAll('[data-live]')) {
    if (!isAbout(old, about)) continue;
    const now = fresh.content.querySelector('#' + old.id);
    if (!now || shown[old.id] === now.outerHTML) continue;
    shown[old.id] = now.outerHTML;
    const details = old.querySelector('details.narrow'); // a swap closes nothing that the reader opened
    if (details && details.open && now.querySelector('details.narrow')) now.querySelector('details.narrow').open = true;
    const within = old.contains(document.activeElement), at = document.activeElement.id, href = document.activeElement.getAttribute('href');
    old.replaceWith(now);
    if (within) (at && $(at) || href && [...now.querySelectorAll('a')].find((a) => a.getAttribute('href') === href) || $('main')).focus({ preventScroll: true });
  }
  if (waiting() > before) say(waiting() + ' waiting for you');
  const mark = document.querySelector('#marks [data-name=waiting]');
  if (mark) document.title = (mark.dataset.value === '0' ? '' : '(' + mark.dataset.value + ') ') + document.title.replace(/^\(\d+\) /, '');
  ready();
}

function over(text) {
  const bar = $('over');
  if (!bar) return;
  bar.textContent = text;
  bar.hidden = false;
}

// A browser has six connections to a server, for all tabs together. So one tab holds the stream and tells the others.
const tabs = window.BroadcastChannel ? new BroadcastChannel('aburn') : { postMessage() {} };
let at = document.documentElement.dataset.at;

function heard(what) {
  if (what === 'over') { over('aburn has ended here. Run aburn dashboard for a new link.'); return; }
  $('over').hidden = true;
  changed.add(what);
  refresh();
}

function listen() {
  source = new EventSource('/events?since=' + encodeURIComponent(at));
  source.onmessage = (event) => {
    at = event.lastEventId || at;
    tabs.postMessage({ what: event.data });
    heard(event.data);
  };
  source.onerror = () => { if (source.readyState === EventSource.CLOSED) over('The connection to aburn is closed. Run aburn dashboard for a new link.'); };
  return new Promise(() => {}); // this tab holds the stream as long as it lives
}

function join() {
  tabs.onmessage = ({ data }) => {
    if (data.what) heard(data.what);
    else if (data.wants && kept('token')) tabs.postMessage({ token: kept('token') });
    else if (data.wants) return;
    else if (data.token) { if (!kept('token')) { kept('token', data.token); ready(); document.dispatchEvent(new Event('can')); } }
    else if (source && data.joins !== at) tabs.postMessage({ what: 'everything' }); // it may have missed something before it joined
  };
  if (!kept('token')) tabs.postMessage({ wants: 'token' }); // a tab that a link of another one opened may do what that may
  if (!navigator.locks) { listen(); return; }
  navigator.locks.request('aburn stream', listen);
  tabs.postMessage({ joins: at });
}

// Keys.
const rows = () => [...document.querySelectorAll('[data-row]')].filter((r) => r.offsetParent);
function step(all, by, at) {
  const next = all[at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.max(0, Math.min(all.length - 1, at + by))];
  if (next) { next.focus(); next.scrollIntoView({ block: 'nearest' }); }
}
const move = (by) => { const all = rows(); step(all, by, all.indexOf(document.activeElement.closest('[data-row]'))); };
const to = (kind, by) => { const all = rows().filter((r) => r.dataset.kind === kind); step(all, by, all.indexOf(document.activeElement)); };
// On a worker's card or page: to its message, to its terminal.
function go(id, path) {
  const card = document.activeElement.closest('.worker[data-row]'), whose = $('whose');
  if (card) location.href = card.querySelector('h3 a').href + (path || '#' + id);
  else if (whose && $(id)) $(id).focus();
  else if (whose && path) location.href = '/w/' + encodeURIComponent(whose.dataset.project) + '/' + encodeURIComponent(whose.dataset.worker) + path;
}
const keys = {
  s: () => go('send', ''), a: () => go('terminal', '/terminal'),
  j: () => move(1), k: () => move(-1), n: () => to('prompt', 1), p: () => to('prompt', -1), e: () => to('failed', 1),
  '/': () => { $('q').focus(); $('q').select(); }, f: () => { const field = $('find') || $('q'); field.focus(); field.select(); }, '?': () => $('help').showModal(),
};
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && event.target === $('q')) event.target.blur();
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input, select, textarea, dialog') || !$('help')) return;
  if (event.key === 'Enter' && event.target.matches('[data-row]')) {
    const link = event.target.querySelector('h3 a, td.wide a, td a, a');
    if (link) link.click();
    return;
  }
  if (keys[event.key] && (event.key === '?' || kept('keys') !== 'off')) { event.preventDefault(); keys[event.key](); }
});

// An age is told by the minute once it has one, so that a reader of the screen is not told every second.
function ages() {
  for (const node of document.querySelectorAll('[data-since]')) {
    const s = Math.max(0, Math.round((Date.now() - Number(node.dataset.since)) / 1000));
    const text = s < 60 ? s - s % 5 + ' s' : s < 3600 ? Math.floor(s / 60) + ' min' : s < 86400 ? Math.floor(s / 3600) + ' h ' + Math.floor(s / 60) % 60 + ' min' : Math.floor(s / 86400) + ' d';
    if (node.textContent !== text) node.textContent = text;
  }
}

// On the page of a search the first lines follow what is typed. Enter also looks inside conversations.
let typing = null;
async function typed() {
  const words = $('q').value.trim(), at = '/search?q=' + encodeURIComponent(words);
  if (typing) typing.abort();
  typing = new AbortController();
  const { signal } = typing;
  await new Promise((done) => setTimeout(done, 120));
  if (signal.aborted || !words) return;
  try {
    const answer = await fetch(at + '&inside=no', { headers: { Accept: 'text/html' }, signal });
    const text = await answer.text();
    if (!answer.ok || signal.aborted) return;
    history.replaceState(null, '', at);
    swap(text, new Set(['search']));
    const inside = $('h-inside');
    if (inside) inside.parentElement.hidden = true; // it is about other words
  } catch { /* a newer key stopped it */ }
}

// What the reader has before them counts as seen.
let told = '';
function saw() {
  const story = $('live-story');
  if (!story || !story.dataset.session || !kept('token') || document.hidden) return;
  const body = JSON.stringify({ session: story.dataset.session, events: Number(story.dataset.events) });
  if (body === told) return;
  told = body;
  fetch('/seen', { method: 'POST', headers: { 'Content-Type': 'application/json', 'Aburn-Token': kept('token') }, body }).catch(() => {});
}
document.addEventListener('visibilitychange', saw);

// ready prepares what came with the page or with a swap.
function ready() {
  for (const button of document.querySelectorAll('button[data-copy][hidden]')) {
    button.hidden = false;
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(button.dataset.copy);
      say('Copied: ' + button.dataset.copy);
    });
  }
  for (const bar of document.querySelectorAll('.plot a[data-says]')) {
    const node = document.querySelector('[data-said="' + bar.closest('.plot').id + '"]');
    bar.onmouseenter = bar.onfocus = () => { node.textContent = bar.dataset.says; };
  }
  for (const form of document.querySelectorAll('form[aria-label=Filters]')) {
    form.querySelector('button:not([type])').hidden = true;
    form.onchange = () => form.requestSubmit();
  }
  document.documentElement.classList.toggle('can', !!kept('token'));
  saw();
  if ($('live-found')) $('q').oninput = typed;
  const now = $('ingestnow');
  if (now && kept('token')) { now.hidden = false; now.onclick = () => ask('/ingest'); }
  ages();
  document.dispatchEvent(new Event('fresh'));
}

const code = new URLSearchParams(location.hash.slice(1)).get('k');
if (code) comeIn(code);
else if (!('door' in document.documentElement.dataset)) {
  for (const part of document.querySelectorAll('[data-live]')) shown[part.id] = part.outerHTML;
  ready();
  join();
  setInterval(ages, 5000);
  $('keysopen').hidden = false;
  $('keysopen').onclick = () => $('help').showModal();
  const off = $('keysoff'), label = () => { off.textContent = kept('keys') === 'off' ? 'Switch keys on' : 'Switch keys off'; };
  off.addEventListener('click', () => { kept('keys', kept('keys') === 'off' ? 'on' : 'off'); label(); });
  label();
  if (location.hash === '#send' && $('send')) $('send').focus();
  // An event's address without its part of the list.
  const event = /^#e([0-9]+)$/.exec(location.hash);
  if (event && !$('e' + event[1]) && !new URLSearchParams(location.search).has('at')) location.replace('?at=' + event[1] + location.hash);
}
