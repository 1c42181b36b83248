// The report's data, and what is derived of it once.

const data = JSON.parse(byId('data').textContent);
const verdicts = data.verdicts;
const worstFirst = verdicts.map((name, v) => v).reverse();
// A shape as well as a colour for each verdict.
const marks = {pass: '\u00b7', waived: 'W', 'not-run': '\u2013', inconclusive: '?', hang: 'H', fail: '\u2715'};
const badge = (v) => h('span', {class: 'badge ' + verdicts[v]}, marks[verdicts[v]] + ' ' + verdicts[v]);
// Of a finding: what does not count as anything is a warning.
const findingBadge = (f) => f.v === 0 ? h('span', {class: 'badge pass'}, '! warning') : badge(f.v);

const shared = (place) => place === undefined ? '' : data.strings[place];
data.findings.forEach((f, n) => {
  f.number = n;
  f.group = shared(f.g);
  f.id = shared(f.i);
  f.compiler = shared(f.c);
  f.level = shared(f.l);
  f.device = shared(f.d);
});

// Findings of each unit, by "instances 12" or "programs 12".
const unitKey = (isProgram, number) => (isProgram ? 'programs ' : 'instances ') + number;
const findingsOfUnit = new Map();
for (const f of data.findings) {
  const key = unitKey(f.p, f.u);
  if (!findingsOfUnit.has(key)) findingsOfUnit.set(key, []);
  findingsOfUnit.get(key).push(f);
}

// All that can be searched, made on the first search: of very many findings it is long.
const searchable = (f) => f.words ??= [f.group, f.id, f.compiler, f.level, f.device, data.kinds[f.k], f.m, f.case, f.call,
  shared(f.class), shared(f.property), f.attribution, f.waived, f.replay].filter(Boolean).join('\n').toLowerCase();

// By own names only: an id may be any text, also "constructor".
const callOf = (id) => Object.hasOwn(data.calls, id) ? data.calls[id] : undefined;

const valueOf = (format, hex) => (data.values[format] || {})[hex];

// [block, row, column, lane, bit, width, expected, actual, exact, against] with names.
function differenceOf(list) {
  const [block, row, column, lane, bit, width, expected, actual, exact, against] = list;
  return {block, row, column, lane, bit, width, expected, actual, exact: exact === 1, against};
}

// [first, how many, ...] as a list of numbers.
function unrolled(runs) {
  const numbers = [];
  for (let i = 0; i < runs.length; i += 2) for (let n = 0; n < runs[i + 1]; ++n) numbers.push(runs[i] + n);
  return numbers;
}

// What the page is narrowed to.
const filter = {verdicts: new Set(), code: '', group: '', words: [], unit: null};
const narrowed = () => filter.verdicts.size > 0 || filter.code !== '' || filter.group !== '' || filter.words.length > 0 || filter.unit !== null;
const matchesUnit = (u) => (filter.verdicts.size === 0 || filter.verdicts.has(u.v)) && (filter.group === '' || filter.group === u.group);
function matchesFinding(f) {
  if (filter.verdicts.size > 0 && !filter.verdicts.has(f.v)) return false;
  if (filter.code !== '' && data.kinds[f.k] !== filter.code) return false;
  if (filter.group !== '' && f.group !== filter.group) return false;
  if (filter.unit !== null && unitKey(f.p, f.u) !== filter.unit.key) return false;
  return filter.words.every((word) => searchable(f).includes(word));
}
