'use strict';
// Buttons of a worker's page, and what all ticked workers of the board get. What cannot be taken back is asked for twice: the server says what would happen, and gives a word for it.
{
  const whose = (document.getElementById('whose') || { dataset: {} }).dataset; // the board has no one worker
  const did = (text, ok, lines) => {
    const at = document.getElementById('did');
    at.textContent = [text, ...(lines || [])].join('\n');
    at.className = ok ? 'note done' : 'note bad';
  };
  const sure = (text, lines) => new Promise((done) => {
    const dialog = document.getElementById('sure');
    document.getElementById('sure-h').textContent = text;
    document.getElementById('sure-lines').textContent = (lines || []).join('\n');
    document.getElementById('sure-lines').hidden = !(lines || []).length;
    dialog.returnValue = 'no';
    dialog.onclose = () => done(dialog.returnValue === 'yes');
    dialog.showModal();
  });
  let busy = false;
  async function post(wish) {
    const answer = await fetch('/do', { method: 'POST', headers: { 'Content-Type': 'application/json', 'Aburn-Token': kept('token') || '' }, body: JSON.stringify({ ...wish, ...whose }) });
    if (answer.status === 403) return { text: 'This tab may not do that: open a link of aburn dashboard in it.' };
    if (!answer.ok) return { text: 'It was not done: ' + (await answer.text()) };
    return answer.json();
  }
  async function act(wish) {
    const got = await post(wish);
    if (!got.ask) { did(got.text, got.ok, got.lines); return got.ok; }
    if (await sure(got.text, got.lines)) return act({ ...wish, sure: got.sure });
    did('Nothing was done.', true);
    return false;
  }
  const once = (wish) => alone(() => act(wish));
  async function alone(task) {
    if (busy) return false;
    busy = true;
    document.documentElement.classList.add('busy');
    did('…', true);
    try { return await task(); } catch { did('The connection to aburn is lost; nobody knows whether it was done.', false); return false; } finally {
      busy = false;
      document.documentElement.classList.remove('busy');
    }
  }
  document.addEventListener('click', (event) => {
    const button = event.target.closest('button[data-do]');
    if (button) once({ do: button.dataset.do });
  });
  document.addEventListener('submit', async (event) => {
    const form = event.target.closest('form[data-do]');
    if (event.target.id === 'bulk') { event.preventDefault(); alone(sendAll); return; }
    if (!form) return;
    event.preventDefault();
    const data = new FormData(form), text = data.get('text') || '';
    if (form.dataset.do === 'answer') { once({ do: 'answer', id: form.dataset.id, text, allow: event.submitter ? event.submitter.value === 'yes' : false }); return; }
    if (!text.trim()) return;
    if (await once({ do: 'send', text, interrupt: data.get('interrupt') === 'on' })) form.reset();
  });
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && event.target.id === 'send') event.target.form.requestSubmit();
    if (event.key === 'Escape' && event.target.id === 'send') event.target.blur();
  });

  // Ticked workers, in the order of their ticks: a swap of the board must not lose it.
  const bulk = document.getElementById('bulk');
  let picked = [];
  const same = (a) => (b) => a.project === b.project && a.worker === b.worker;
  const boxes = () => [...document.querySelectorAll('input.pick')];
  function show() {
    const all = boxes();
    picked = picked.filter((one) => all.some((box) => same(one)(box.dataset)));
    for (const box of all) { box.hidden = !kept('token'); box.checked = picked.some(same(box.dataset)); }
    bulk.hidden = !picked.length;
    document.getElementById('picked').textContent = picked.length + ' ticked';
  }
  const line = (one, text) => one.worker + ': ' + text;
  async function sendAll() {
    const field = document.getElementById('bulk-text'), text = field.value, lines = [];
    if (!text.trim()) { field.focus(); did('Write the message first.', false); return; }
    let ok = true;
    for (const one of picked) {
      const got = await post({ do: 'send', ...one, text });
      ok = ok && !!got.ok;
      lines.push(line(one, [got.text, ...(got.lines || [])].join(' ')));
    }
    if (ok) field.value = '';
    did(ok ? 'Sent.' : 'Not everybody got it.', ok, lines);
  }
  // Everything is looked at first and confirmed once. A merge moves the base, so the next one is looked at again: its own commit must be the
  // one that was confirmed. The first that fails ends the row.
  async function forAll(what) {
    const asked = [], lines = [];
    for (const one of picked) {
      const got = await post({ do: what, ...one });
      if (got.ask) asked.push({ one, got });
      else lines.push(line(one, got.text));
      if (what === 'merge' && !got.ask && !got.ok) { did('Nothing was merged.', false, lines); return; }
    }
    if (!asked.length) { did('There is nothing to do.', true, lines); return; }
    const title = what === 'merge' ? 'Merge ' + asked.length + ' in this order?' : 'End ' + asked.length + ' agents and all that they started?';
    if (!(await sure(title, asked.map(({ one, got }, i) => i + 1 + '. ' + line(one, [got.text, ...(got.lines || [])].join('\n   ')))))) { did('Nothing was done.', true); return; }
    let ok = true;
    for (const [i, { one, got }] of asked.entries()) {
      let now = got;
      if (what === 'merge' && i) now = await post({ do: what, ...one });
      if (now.ask && now.head === got.head) now = await post({ do: what, ...one, sure: now.sure });
      else if (now.ask) now = { text: 'not merged: it has other commits than you were asked about' };
      lines.push(line(one, now.text));
      ok = ok && !!now.ok;
      if (what === 'merge' && !now.ok) { lines.push(...asked.slice(i + 1).map((rest) => line(rest.one, 'not merged: the one before it was not'))); break; }
    }
    did(ok ? 'Done.' : 'Not all of it was done.', ok, lines);
  }
  if (bulk) {
    document.addEventListener('change', ({ target }) => {
      if (!target.matches('input.pick')) return;
      const { project, worker } = target.dataset;
      picked = picked.filter((one) => !same(target.dataset)(one));
      if (target.checked) picked.push({ project, worker });
      show();
    });
    document.addEventListener('click', ({ target }) => {
      const button = target.closest('button[data-bulk]');
      if (!button) return;
      const what = button.dataset.bulk;
      if (what === 'none') picked = [];
      else if (what === 'all') picked = boxes().map(({ dataset: { project, worker } }) => ({ project, worker }));
      else { alone(() => forAll(what)); return; }
      show();
    });
    document.addEventListener('fresh', show);
    document.addEventListener('can', show);
    show();
  }
}
