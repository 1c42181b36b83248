// Matrices of a case, and the bits of single elements.

// {blocks, rows, columns, format, codes}: codes in hex, in [block][row][column] order.
function unpacked(m) {
  const codes = [];
  for (const word of m.codes === '' ? [] : m.codes.split(' ')) {
    const [code, times] = word.split('*');
    for (let n = 0; n < (times ? Number(times) : 1); ++n) codes.push(code);
  }
  return {...m, codes};
}

const isZero = (hex) => /^0*$/.test(hex);
// What fills a matrix where nothing was put: zeros, and scales of one.
const isBlank = (m, hex) => m.format === 'e8m0' ? hex === '7f' : isZero(hex);
const indexIn = (m, block, row, column) => (block * m.rows + row) * m.columns + column;
function placeIn(m, index) {
  return {block: Math.floor(index / (m.rows * m.columns)), row: Math.floor(index / m.columns) % m.rows, column: index % m.columns};
}

// Which elements of each operand make D[block, row, column]: {operand: [index, ...]}.
function feeding(call, at) {
  const layout = (name) => data.layouts[call.layouts[name]];
  const a = layout('A'), b = layout('B'), d = layout('D');
  call.a_list ??= call.a_from ? unrolled(call.a_from) : null;
  call.b_list ??= call.b_from ? unrolled(call.b_from) : null;
  const fed = {A: [], B: [], C: [indexIn(d, at.block, at.row, at.column)], D: [indexIn(d, at.block, at.row, at.column)]};
  for (let k = 0; k < a.columns; ++k) {
    const inA = indexIn(a, at.block, at.row, k), inB = indexIn(b, at.block, k, at.column);
    fed.A.push(call.a_list ? call.a_list[inA] : inA);
    fed.B.push(call.b_list ? call.b_list[inB] : inB);
  }
  if (call.layouts['scale-A']) {
    const sa = layout('scale-A'), sb = layout('scale-B');
    fed['scale-A'] = Array.from({length: sa.columns}, (none, q) => indexIn(sa, 0, at.row, q));
    fed['scale-B'] = Array.from({length: sb.rows}, (none, q) => indexIn(sb, 0, q, at.column));
  }
  return fed;
}

const operandClass = {A: 'feed-a', 'scale-A': 'feed-a', B: 'feed-b', 'scale-B': 'feed-b', C: 'feed-c', D: 'result', expected: 'result', actual: 'result'};

// Bits of a code from the highest, in the fields of its format, those that differ from `other` marked.
function bitString(hex, other, width, format) {
  const bits = (code) => BigInt('0x' + (code || '0')).toString(2).padStart(width, '0').slice(-width);
  const mine = bits(hex), theirs = other === undefined ? mine : bits(other);
  const f = data.formats[format];
  const fields = f && f.bits === width && !f.integer
    ? [['sign', f.signed ? 1 : 0], ['exponent', f.exponent], ['fraction', f.fraction]] : [['fraction', width]];
  const out = h('span', {class: 'bits mono'});
  let at = 0;
  for (const [name, length] of fields) {
    if (length === 0) continue;
    const part = h('span', {class: name, title: fields.length > 1 ? name + ', ' + plural(length, 'bit') : undefined});
    for (let i = at; i < at + length;) {
      let end = i + 1;
      const differs = mine[i] !== theirs[i];
      while (end < at + length && (mine[end] !== theirs[end]) === differs) ++end;
      part.append(differs ? h('mark', {}, mine.slice(i, end)) : mine.slice(i, end));
      i = end;
    }
    out.append(part);
    at += length;
  }
  return out;
}

// The rows and columns that are shown: all, or those with something in them or something to keep.
function shownLines(m, block, other, kept, everything) {
  const rows = new Set(), columns = new Set();
  for (let row = 0; row < m.rows; ++row) {
    for (let column = 0; column < m.columns; ++column) {
      const i = indexIn(m, block, row, column);
      if (everything || kept.has(i) || !isBlank(m, m.codes[i]) || other && other.codes[i] !== m.codes[i]) {
        rows.add(row);
        columns.add(column);
      }
    }
  }
  const inOrder = (set) => [...set].sort((x, y) => x - y);
  return [inOrder(rows), inOrder(columns)];
}

// One block of a matrix as a table. view: {decimal, everything}. `other`: D as it came out, where `m` is as it should be.
function matrixTable(name, m, other, marked, kept, block, view) {
  const [rows, columns] = shownLines(m, block, other, kept, view.everything);
  const text = (hex) => view.decimal ? valueOf(m.format, hex) ?? hex : hex;
  const cell = (row, column) => {
    const i = indexIn(m, block, row, column), hex = m.codes[i];
    const differs = other && other.codes[i] !== hex;
    const classes = [isBlank(m, hex) && !differs ? 'zero' : '', marked.has(i) ? operandClass[name] : '', differs ? 'differs' : ''].join(' ').trim();
    const title = name + '[' + [block, row, column].join(',') + '] = ' + hex + ', ' + (valueOf(m.format, hex) ?? '?') +
      (differs ? '; came out as ' + other.codes[i] + ', ' + (valueOf(m.format, other.codes[i]) ?? '?') : '');
    return h('td', {class: classes || undefined, title}, text(hex), differs ? ' \u2260 ' + text(other.codes[i]) : '');
  };
  const left = m.rows * m.columns - rows.length * columns.length;
  return [
    h('div', {class: 'wide', tabindex: 0, role: 'region', 'aria-label': name + ', block ' + block}, h('table', {class: 'mono'},
      h('thead', {}, h('tr', {}, h('th', {}, ''), columns.map((c) => h('th', {scope: 'col'}, c)))),
      h('tbody', {}, rows.map((row) => h('tr', {}, h('th', {scope: 'row'}, row), columns.map((column) => cell(row, column))))))),
    left > 0 ? h('p', {class: 'faint'}, rows.length ? grouped(left) + ' in other rows and columns not shown: all ' + (m.format === 'e8m0' ? 'one' : 'zero') : 'all zero') : null];
}

function drawMatrix(name, title, m, other, marked, kept, firstBlock, view) {
  const body = h('div', {});
  const show = (block) => body.replaceChildren(...matrixTable(name, m, other, marked, kept, block, view).filter(Boolean));
  const choose = m.blocks > 1 && h('label', {}, ' block ', h('select', {onchange: (e) => show(Number(e.target.value))},
    Array.from({length: m.blocks}, (none, b) => h('option', {value: b, selected: b === firstBlock}, b))));
  show(firstBlock);
  return h('div', {class: 'matrix', 'data-matrix': name}, h('p', {}, h('strong', {}, title), ' ',
    h('span', {class: 'faint'}, m.rows + 'x' + m.columns + ' ' + m.format), choose), body);
}

// A, B, C and D of a case; `at`: the element of D that is looked at.
function drawMatrices(matrices, call, at) {
  const known = Object.fromEntries(Object.entries(matrices).map(([name, m]) => [name, unpacked(m)]));
  const fed = feeding(call, at);
  const view = {decimal: true, everything: false};
  // Of the products, those with a factor that is not zero; one at least, so that the row and the column are seen.
  const products = fed.A.map((none, k) => k).filter((k) => !isZero(known.A.codes[fed.A[k]]) || !isZero(known.B.codes[fed.B[k]]));
  if (products.length === 0) products.push(0);
  const kept = {...fed, A: products.map((k) => fed.A[k]), B: products.map((k) => fed.B[k])};
  const place = h('div', {class: 'matrices'});
  const one = (name, title, operand, other) => {
    const m = known[name];
    if (!m) return null;
    const marked = new Set(fed[operand]);
    return drawMatrix(name === 'expected' || name === 'actual' ? 'D' : name, title, m, other, marked, new Set(kept[operand]),
      placeIn(m, fed[operand][0]).block, view);
  };
  const draw = () => {
    const d = known.expected
      ? one('expected', known.actual ? 'D, expected \u2260 as it came out' : 'D, expected', 'D', known.actual)
      : one('actual', 'D, as it came out', 'D');
    place.replaceChildren(...[one('A', 'A', 'A'), one('scale-A', 'Scales of A', 'scale-A'), one('B', 'B', 'B'),
      one('scale-B', 'Scales of B', 'scale-B'), one('C', 'C', 'C'), d].filter(Boolean));
  };
  const toggle = (key, text) => h('label', {}, h('input', {type: 'checkbox', checked: view[key],
    onchange: (e) => { view[key] = e.target.checked; draw(); }}), ' ' + text + ' ');
  draw();
  return [h('p', {}, toggle('decimal', 'decimal (else bits in hex)'), toggle('everything', 'zeros and scales of one too'),
    h('span', {class: 'faint'}, 'Framed: what makes the element of D that is looked at.')), place];
}
