// Builtins and shapes as cards; every instance or program a cell that is coloured and marked by its verdict.

const cells = [];  // {button, unit, card}

function cellOf(unit, key, place) {
  const found = (findingsOfUnit.get(key) || []).length;
  const label = unit.id + ': ' + verdicts[unit.v] + (found ? ', ' + plural(found, 'finding') : '') + (unit.smoke ? ', in the smoke set' : '');
  const button = h('button', {type: 'button', tabindex: -1, title: label, 'aria-label': label, 'aria-pressed': 'false',
    class: 'c ' + verdicts[unit.v] + (unit.smoke ? ' smoke' : '') + (place.gap ? ' gap-left' : '')}, marks[verdicts[unit.v]]);
  button.style.gridRow = place.y;
  button.style.gridColumn = place.x;
  button.addEventListener('click', () => chooseUnit({key, unit, button}));
  const cell = {button, unit, key, x: place.x, y: place.y};
  button.cell = cell;
  return cell;
}

function axis(text, x, y, kind, span) {
  const label = h('span', {class: 'axis ' + (kind || ''), 'aria-hidden': 'true'}, text);
  label.style.gridColumn = span ? x + ' / span ' + span : x;
  label.style.gridRow = y;
  return label;
}

const names = ['fp8', 'bf8', 'fp6', 'bf6', 'fp4'];
const sorted = (numbers) => [...new Set(numbers)].sort((a, b) => a - b);

// cbsz and abid across, blgp down; of builtins that have blgp alone, that across.
function broadcastPlaces(units) {
  const across = sorted(units.map((u) => u.at[0] * 100 + u.at[1]));
  const down = sorted(units.map((u) => u.at[2]));
  if (across.length === 1) {
    return {labels: [axis('blgp', 1, 1, 'side'), ...down.map((b, i) => axis(b, i + 2, 1))], first: '3rem',
            place: (u) => ({x: down.indexOf(u.at[2]) + 2, y: 2})};
  }
  const labels = [axis('cbsz', 1, 1, 'side'), axis('abid', 1, 2, 'side'), ...down.map((b, i) => axis('blgp ' + b, 1, i + 3, 'side'))];
  across.forEach((c, i) => {
    if (c % 100 === 0) labels.push(axis(Math.floor(c / 100), i + 2, 1, c ? 'gap-left' : ''));
    labels.push(axis(c % 100, i + 2, 2, c % 100 === 0 && c ? 'gap-left' : ''));
  });
  return {labels, first: '3rem', place: (u) => {
    const c = u.at[0] * 100 + u.at[1];
    return {x: across.indexOf(c) + 2, y: down.indexOf(u.at[2]) + 3, gap: c % 100 === 0 && c !== 0};
  }};
}

// f64: blgp negates A, B and C.
function negatePlaces(units) {
  const masks = sorted(units.map((u) => u.at[2]));
  const name = (mask) => mask === 0 ? 'none' : ['a', 'b', 'c'].filter((letter, bit) => mask >> bit & 1).join('');
  return {labels: [axis('negated', 1, 1, 'side'), ...masks.map((m, i) => axis(name(m), 2 + 2 * i, 1, '', 2))], first: '4rem',
          place: (u) => ({x: 2 + 2 * masks.indexOf(u.at[2]), y: 2})};
}

// Format of A down and of B across; in each pair op_sel of A down and of B across, and the form without scales beside them.
function scaledPlaces(units) {
  const across = sorted(units.map((u) => u.at[2])), down = sorted(units.map((u) => u.at[0]));
  const labels = [axis('A \\ B', 1, 1, 'side')];
  across.forEach((b, i) => labels.push(axis(names[b], 2 + 5 * i, 1, 'gap-left', 4), axis('u', 6 + 5 * i, 1)));
  down.forEach((a, i) => labels.push(axis(names[a], 1, 2 + 4 * i, 'side')));
  return {labels, first: '2.6rem', place: (u) => {
    const [a, , b, selA, selB, scaled] = u.at;
    const left = 2 + 5 * across.indexOf(b), top = 2 + 4 * down.indexOf(a);
    return scaled ? {x: left + selB, y: top + selA, gap: selB === 0} : {x: left + 4, y: top};
  }};
}

function plainPlaces(units) {
  const order = new Map(units.map((u, i) => [u, i]));
  return {labels: [], first: '16px', place: (u) => ({x: order.get(u) % 24 + 1, y: Math.floor(order.get(u) / 24) + 1})};
}

function placesFor(row, units) {
  if (!row.kind || !units.every((u) => u.at)) return plainPlaces(units);
  return {broadcast: broadcastPlaces, negate: negatePlaces, scaled: scaledPlaces}[row.kind](units);
}

// The nearest cell that way, rather in line than near.
function neighbour(all, from, dx, dy) {
  let best = null, least = Infinity;
  for (const cell of all) {
    const along = (cell.x - from.x) * dx + (cell.y - from.y) * dy;
    const aside = Math.abs((cell.x - from.x) * dy) + Math.abs((cell.y - from.y) * dx);
    if (along > 0 && along + 8 * aside < least) [best, least] = [cell, along + 8 * aside];
  }
  return best;
}

function moveWithin(event, own) {
  const steps = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};
  const here = event.target.cell;
  if (!here || event.ctrlKey || event.altKey || event.metaKey) return;
  let next = null;
  if (steps[event.key]) next = neighbour(own, here, ...steps[event.key]);
  else if (event.key === 'Home') next = own[0];
  else if (event.key === 'End') next = own[own.length - 1];
  else return;
  event.preventDefault();
  if (next) focusCell(own, next);
}

function focusCell(own, cell) {
  for (const other of own) other.button.tabIndex = -1;
  cell.button.tabIndex = 0;
  cell.button.focus();
}

function countsLine(row, what) {
  const parts = worstFirst.filter((v) => row[data.count_names[v]] > 0).map((v) => grouped(row[data.count_names[v]]) + ' ' + verdicts[v]);
  return plural(row.units, what) + (parts.length ? ': ' + parts.join(', ') : '');
}

function cardOf(row, units, isProgram) {
  const places = placesFor(row, units);
  const own = units.map((u) => cellOf(u, unitKey(isProgram, u.n), places.place(u)));
  const grid = h('div', {class: 'cells', role: 'group', 'aria-label': row.name + ': arrow keys move, Enter shows what was found'},
    places.labels, own.map((cell) => cell.button));
  grid.style.gridTemplateColumns = places.first;
  grid.addEventListener('keydown', (event) => moveWithin(event, own));
  grid.addEventListener('focusin', (event) => {
    if (event.target.cell) for (const cell of own) cell.button.tabIndex = cell.button === event.target ? 0 : -1;
  });
  if (own.length) own[0].button.tabIndex = 0;
  const v = verdicts.indexOf(row.verdict);
  const card = h('article', {class: 'card' + (row.kind === 'scaled' || units.some((u) => u.at && u.at[0] > 2) && row.kind === 'broadcast' ? ' big' : ''),
    'data-verdict': row.verdict, 'data-name': row.name, 'data-units': row.units,
    ...Object.fromEntries(data.count_names.map((name) => ['data-' + name.replace('_', '-'), row[name]]))},
    h('h3', {}, badge(v), ' ', h('span', {class: 'mono'}, row.name)),
    h('p', {class: 'faint'}, row.about ? row.about + '. ' : '', countsLine(row, isProgram ? 'program' : 'instance'), '.'),
    grid);
  for (const cell of own) cells.push({...cell, card});
  return {card, group: row.name};
}

function legend() {
  return h('p', {class: 'legend'}, worstFirst.map((v) => badge(v)), h('span', {class: 'faint'}, 'framed: the smoke set, run in every shard'));
}

const cards = [];

function drawUnits(place, rows, units, isProgram) {
  const byGroup = new Map();
  for (const u of units) {
    if (!byGroup.has(u.group)) byGroup.set(u.group, []);
    byGroup.get(u.group).push(u);
  }
  if (rows.length === 0) {
    place.append(h('p', {class: 'faint'}, isProgram ? 'This run had no program shapes.' : 'This run had no single calls.'));
    return;
  }
  const made = rows.map((row) => cardOf(row, byGroup.get(row.name) || [], isProgram));
  cards.push(...made);
  place.append(legend(), h('div', {class: 'cards'}, made.map((m) => m.card)));
}

// Cells that the filters leave out are dimmed, cards without any other are hidden.
function narrowUnits() {
  const shown = new Map();
  const byWords = filter.words.length > 0 || filter.code !== '';
  for (const cell of cells) {
    let is = matchesUnit(cell.unit);
    if (is && byWords) {
      const found = (findingsOfUnit.get(cell.key) || []).some((f) =>
        (filter.code === '' || data.kinds[f.k] === filter.code) && filter.words.every((word) => searchable(f).includes(word)));
      is = found || filter.code === '' && filter.words.every((word) => cell.unit.id.toLowerCase().includes(word));
    }
    cell.button.classList.toggle('dim', !is);
    cell.button.setAttribute('aria-pressed', filter.unit !== null && filter.unit.key === cell.key ? 'true' : 'false');
    shown.set(cell.card, shown.get(cell.card) || is);
  }
  const any = filter.verdicts.size > 0 || filter.group !== '' || byWords;
  for (const {card, group} of cards) card.hidden = any && !(shown.get(card) ?? (filter.group === group));
}
