'use strict';
// The page of a search comes in parts, and the other script begins when all are there. This one begins at once.
{
  const stop = document.getElementById('stop');
  let token = null;
  try { token = sessionStorage.getItem('token'); } catch { /* no button then */ }
  if (stop && token && document.readyState === 'loading') {
    stop.hidden = false;
    stop.addEventListener('click', () => fetch('/search/stop?name=' + encodeURIComponent(stop.dataset.stop), { method: 'POST', headers: { 'Content-Type': 'application/json', 'Aburn-Token': token }, body: '{}' }));
    document.addEventListener('DOMContentLoaded', () => { stop.hidden = true; });
  }
}
