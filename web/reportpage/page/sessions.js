// The list of sessions: filters by day, project and outcome, and links that open what they lead to. All of it is in the page's
// HTML; without this script nothing is filtered.
const rows = [...document.querySelectorAll('#table-sessions tbody tr')];
const failures = [...document.querySelectorAll('.failure')];
const filters = ['from', 'to', 'project', 'ended'].map($);

// fits says whether a row is what the filters ask for. A session without a known day is on none.
function fits(row) {
  const [from, to, project, ended] = filters.map((f) => f.value), of = row.dataset;
  return (!from || of.day && of.day >= from) && (!to || of.day && of.day <= to) && (!project || of.project === project) &&
    (!ended || (ended === 'failing' ? 'failing' in of : of.outcome === ended));
}

function filter() {
  const active = filters.some((f) => f.value);
  let shown = 0, failing = 0;
  for (const row of rows) {
    row.hidden = !fits(row);
    if (!row.hidden) { shown++; failing += 'failing' in row.dataset; }
  }
  for (const failure of failures) {
    const items = [...failure.querySelectorAll('li')];
    for (const item of items) item.hidden = $(item.dataset.s).hidden;
    failure.hidden = active && items.every((item) => item.hidden);
  }
  $('all').disabled = !active;
  $('shown').textContent = active ? number(shown) + ' of ' + number(rows.length) + ' listed, ' + number(failing) + ' failed. Plots and other numbers are about all.' : '';
}

// lead opens and shows what the address points at, filtered or not.
function lead() {
  const target = $(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  if (target.hidden) { for (const f of filters) f.value = ''; filter(); }
  if (target.matches('details')) target.open = true;
  target.scrollIntoView({ block: 'center' });
}

if (rows.length) $('filter').hidden = false;
$('filter').addEventListener('submit', (e) => e.preventDefault());
for (const f of filters) f.addEventListener('input', filter);
$('all').addEventListener('click', () => { for (const f of filters) f.value = ''; filter(); });
addEventListener('hashchange', lead);
filter();
if (location.hash) lead();
