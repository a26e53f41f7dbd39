'use strict';
// Buttons of a worker's page. What cannot be taken back is asked for twice: the server says what would happen, and gives a word for it.
{
  const whose = document.getElementById('whose').dataset;
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
  async function act(wish) {
    const answer = await fetch('/do', { method: 'POST', headers: { 'Content-Type': 'application/json', 'Aburn-Token': kept('token') || '' }, body: JSON.stringify({ ...wish, ...whose }) });
    if (answer.status === 403) { did('This tab may not do that: open a link of aburn dashboard in it.', false); return false; }
    if (!answer.ok) { did('It was not done: ' + (await answer.text()), false); return false; }
    const got = await answer.json();
    if (!got.ask) { did(got.text, got.ok, got.lines); return got.ok; }
    if (await sure(got.text, got.lines)) return act({ ...wish, sure: got.sure });
    did('Nothing was done.', true);
    return false;
  }
  async function once(wish) {
    if (busy) return false;
    busy = true;
    document.documentElement.classList.add('busy');
    did('…', true);
    try { return await act(wish); } catch { did('The connection to aburn is lost; nobody knows whether it was done.', false); return false; } finally {
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
}
