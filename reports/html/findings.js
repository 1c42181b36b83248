// The list of findings: a page of it at a time, so that a list of any length opens.

const pageSize = 100;
const list = {matching: [], page: 0, open: null, place: null};

const compareText = (x, y) => x < y ? -1 : x > y ? 1 : 0;
const orders = {
  'worst first': (x, y) => y.v - x.v || x.number - y.number,
  'as run': (x, y) => x.number - y.number,
  'code': (x, y) => x.k - y.k || x.number - y.number,
  'builtin or shape': (x, y) => compareText(x.group, y.group) || compareText(x.id, y.id) || x.number - y.number,
  'most elements': (x, y) => (y.elements || 0) - (x.elements || 0) || x.number - y.number,
  'compiler and level': (x, y) => compareText(x.compiler, y.compiler) || compareText(x.level, y.level) || x.number - y.number,
};

function rowOf(f) {
  const button = h('button', {type: 'button', 'aria-expanded': 'false', onclick: () => toggleFinding(f)},
    h('span', {}, findingBadge(f)), h('span', {class: 'mono'}, data.kinds[f.k]),
    h('span', {class: 'what'}, h('span', {class: 'mono'}, f.id)),
    h('span', {class: 'faint'}, f.m.length > 300 ? f.m.slice(0, 300) + '\u2026' : f.m, f.level ? ' (-' + f.level + ')' : ''));
  const row = h('div', {class: 'row', id: 'finding-' + f.number, 'data-code': data.kinds[f.k], 'data-verdict': verdicts[f.v]}, button);
  row.finding = f;
  return row;
}

function closeFinding() {
  if (!list.open) return;
  const row = byId('finding-' + list.open.number);
  list.open = null;
  if (!row) return;
  row.classList.remove('open');
  row.firstChild.setAttribute('aria-expanded', 'false');
  while (row.children.length > 1) row.lastChild.remove();
}

function toggleFinding(f) {
  const again = list.open === f;
  closeFinding();
  const row = byId('finding-' + f.number);
  if (again || !row) return;
  list.open = f;
  row.classList.add('open');
  row.firstChild.setAttribute('aria-expanded', 'true');
  row.append(drawFinding(f));
  history.replaceState(null, '', '#finding-' + f.number);
}

// The page that a finding is on, and the finding open: where the address ends in #finding-N.
function openFinding(number) {
  const at = list.matching.findIndex((f) => f.number === number);
  if (at < 0) return;
  drawPage(Math.floor(at / pageSize));
  toggleFinding(list.matching[at]);
  byId('finding-' + number).scrollIntoView();
}

function unitPanel() {
  const {unit, key} = filter.unit;
  const found = (findingsOfUnit.get(key) || []).length;
  const names = Object.entries(unit.counts || {}).map(([name, n]) => [name.replace(/_/g, ' '), grouped(n)]);
  return h('div', {class: 'unit', id: 'unit'}, h('h3', {}, badge(unit.v), ' ', h('span', {class: 'mono'}, unit.id)),
    described([['findings', found], ...names, ...(unit.open || []).map((o) => ['open: ' + o.property, o.reading + ' (' + plural(o.checks, 'check') + ')'])]),
    h('button', {type: 'button', onclick: () => leaveUnit()}, 'All findings again (Esc)'));
}

function pager() {
  const pages = Math.max(Math.ceil(list.matching.length / pageSize), 1);
  const go = (page, text) => h('button', {type: 'button', disabled: page < 0 || page >= pages, onclick: () => drawPage(page)}, text);
  const first = list.page * pageSize;
  return h('div', {class: 'pager'}, go(list.page - 1, '\u2190 Earlier'), go(list.page + 1, 'Later \u2192'),
    h('span', {role: 'status'}, list.matching.length === 0 ? 'no findings' + (narrowed() ? ' under these filters' : '')
      : grouped(first + 1) + ' to ' + grouped(Math.min(first + pageSize, list.matching.length)) + ' of ' + grouped(list.matching.length)));
}

function drawPage(page) {
  list.page = page;
  list.open = null;
  const rows = list.matching.slice(page * pageSize, (page + 1) * pageSize).map(rowOf);
  const parts = [filter.unit ? unitPanel() : null, pager()];
  if (rows.length) parts.push(h('div', {class: 'list'}, rows));
  if (list.matching.length > pageSize) parts.push(pager());
  list.place.replaceChildren(...parts.filter(Boolean));
}

function drawList() {
  list.matching = data.findings.filter(matchesFinding).sort(orders[byId('order').value]);
  drawPage(0);
}

function moveInList(event) {
  const row = event.target.closest && event.target.closest('.row');
  if (!row || event.target !== row.firstChild) return;
  const rows = [...list.place.querySelectorAll('.row')];
  const at = rows.indexOf(row);
  const next = {ArrowDown: rows[at + 1], ArrowUp: rows[at - 1], Home: rows[0], End: rows[rows.length - 1]}[event.key];
  if (!next) return;
  event.preventDefault();
  next.firstChild.focus();
}

function drawFindings(section) {
  const total = data.finding_counts.reduce((sum, [, , count]) => sum + count, 0);
  section.dataset.total = total;
  if (total > 0) {
    section.append(h('p', {class: 'faint'}, data.finding_counts.map(([k, v, count]) =>
      grouped(count) + ' ' + data.kinds[k] + (v === 0 ? ' (warning)' : ' (' + verdicts[v] + ')')).join(', ') + '.'));
  }
  if (data.shown.left_out > 0) {
    section.append(h('p', {class: 'note', id: 'left-out'}, grouped(data.shown.left_out) + ' more findings are counted above and not listed here: this page has room for the first ' +
      grouped(data.findings.length) + '. --json has all.'));
  }
  list.place = h('div', {});
  list.place.addEventListener('keydown', moveInList);
  section.append(list.place);
}
