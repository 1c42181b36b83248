// One finding in all its detail.

// A histogram by place: the most frequent first.
const frequent = (counts) => counts && Object.entries(counts).sort((x, y) => y[1] - x[1]).slice(0, 16)
  .map(([place, count]) => place + ' (' + grouped(count) + ')').join(', ');

function locatedText(l) {
  if (!l) return undefined;
  if (l.message) return 'not known: ' + l.message;
  const units = l.failing.map((u) => 'XCC ' + u.xcc + ' SE ' + u.se + ' CU ' + u.cu + ' SIMD ' + u.simd + ': ' + u.failed + ' of ' + u.runs);
  return l.failed + ' of ' + l.runs + ' runs on ' + plural(l.simds, 'SIMD') + ' fail' +
    (l.failing.length === l.simds ? ', on every one of them' : units.length ? ': ' + units.join('; ') : '');
}

function acrossText(a) {
  if (!a) return undefined;
  return (a.attributed_to ? 'this device alone (' + a.attributed_to + '); ' : '') + 'fails on ' + a.with.join(', ') +
    (a.without.length ? '; not on ' + a.without.join(', ') : '') + (a.unknown.length ? '; not known of ' + a.unknown.join(', ') : '');
}

// Expected and actual, one below the other, so that bits stand under bits.
function differenceRow(d, format, isProgram, look) {
  const value = (hex) => valueOf(format, hex);
  const where = isProgram ? 'output ' + d.block : 'D[' + [d.block, d.row, d.column].join(',') + ']';
  const rests = d.against ? 'against ' + d.against : d.exact ? 'exact under every model' : 'by the profile\u2019s model';
  const line = (word, hex, other) => h('div', {}, h('span', {class: 'faint word'}, word), h('span', {class: 'mono'}, hex), ' ',
    bitString(hex, other, d.width, format), value(hex) === undefined ? '' : ' = ' + value(hex));
  return [[where, look ? h('div', {}, look) : null], 'lane ' + d.lane + ', register ' + Math.floor(d.bit / 32),
    [line('expected', d.expected, d.actual), line('actual', d.actual, d.expected)], rests];
}

// The picture and matrices of a call, for one element of D at a time.
function drawCall(call, matrices, differences, place) {
  const show = (at) => {
    const parts = [];
    if (matrices) parts.push(h('h4', {}, 'Operands, for D[' + [at.block, at.row, at.column].join(',') + ']'), ...drawMatrices(matrices, call, at));
    if (call.negated) parts.push(h('p', {class: 'faint'}, 'Negated by blgp: ' + call.negated.split('').join(', ') + '.'));
    parts.push(h('h4', {}, 'Where it lives, for D[' + [at.block, at.row, at.column].join(',') + ']'), ...drawLanes(call, at));
    place.replaceChildren(...parts.flat().filter(Boolean));
  };
  if (differences.length) show(differences[0]);
  return show;
}

function differencesTable(differences, format, isProgram, show) {
  const look = (d) => show && differences.length > 1 && h('button', {type: 'button', onclick: () => show(d)}, 'Look at it');
  return table([isProgram ? 'Output' : 'Element', 'Where D holds it', 'Bits: sign, exponent, significand', 'Rests on'],
    differences.map((d) => differenceRow(d, format, isProgram, look(d))));
}

function drawReduced(r) {
  const call = callOf(r.instance);
  const d = differenceOf(r.difference);
  const place = h('div', {});
  const parts = [h('h4', {}, 'Reduced case'),
    described([['instance', r.instance], ['level', r.level], ['products not zero', r.nonzero_products],
      ['candidates tried', grouped(r.candidates) + (r.exhausted ? ', the bound ended the search' : '')], ['case file', r.file]]),
    differencesTable([d], call && call.format, false, null)];
  if (r.unread) parts.push(h('p', {class: 'faint'}, 'The case could not be read back: ' + r.unread));
  if (call) drawCall(call, r.matrices, [d], place);
  parts.push(place);
  if (r.text) parts.push(folded('Case file as text', r.text));
  return parts;
}

function drawFinding(f) {
  const call = f.p ? undefined : callOf(f.id);
  const differences = (f.diff || []).map(differenceOf);
  const parts = [h('p', {class: 'text'}, h('strong', {}, f.m)),
    f.attribution && h('p', {class: 'text'}, f.attribution),
    f.waived && h('p', {class: 'text'}, badge(verdicts.indexOf('waived')), ' ' + f.waived)];
  if (f.replay) parts.push(commandLine(f.replay));
  parts.push(described([['code', data.kinds[f.k]], [f.p ? 'program' : 'instance', f.id], ['call', f.call], ['compiler', f.compiler],
    ['level', f.level && '-' + f.level], ['device', f.device], ['case', f.case], ['operand class', shared(f.class)],
    ['property', shared(f.property)], ['cases affected', f.cases && grouped(f.cases)],
    ['elements that differ', f.elements && grouped(f.elements)],
    ['replayed', f.replays && plural(f.replays[0], 'time') + ', failed ' + f.replays[1] + ': ' + f.replays[2]],
    ['launched', f.repeat && plural(f.repeat.launches, 'time') + ', ' + f.repeat.differing + ' differ'],
    ['across devices', acrossText(f.across_devices)], ['where on the device', locatedText(f.located)],
    ['lanes that fail most', frequent(f.failing_lanes)], ['bits that fail most', frequent(f.failing_bits)],
    ['case file', f.case_file], ['rests on', f.unsettled && 'an unsettled reading of cbsz or blgp (docs/discrepancies.md)']]));
  if (f.number >= data.shown.in_full) parts.push(h('p', {class: 'faint'}, 'Shortened, as one of very many findings: --json has more.'));
  if (differences.length) {
    const place = h('div', {});
    // With a reduced case its picture says more; else that of the case as it was drawn.
    const show = call && !f.reduced && !f.p ? drawCall(call, null, differences, place) : null;
    parts.push(h('h4', {}, 'Elements that differ'), differencesTable(differences, call && call.format, f.p, show), place);
    if (f.elements > differences.length) parts.push(h('p', {class: 'faint'}, 'The first ' + differences.length + ' of the first case; ' + grouped(f.elements) + ' over all its cases.'));
    if (f.p) {
      parts.push(drawRegisters('output dwords: those that differ marked', Math.max(...differences.map((d) => Math.floor(d.bit / 32))) + 1,
        differences.map((d) => ({lane: d.lane, bit: d.bit, width: d.width, kind: 'result', label: 'output ' + d.block + ' in lane ' + d.lane +
          ', register ' + Math.floor(d.bit / 32)})), null));
    }
  }
  if (f.reduced) parts.push(drawReduced(f.reduced));
  if (f.source) parts.push(folded('Source of the kernel', f.source));
  if (f.log) parts.push(folded('Log', f.log));
  return h('div', {class: 'detail'}, parts);
}
