// Where elements live: a picture of 64 lanes by registers for each operand.

const lanes = 64;
const step = 12;

// marks: [{lane, bit, width, kind, label}]; texts: what each register of a lane holds, or null.
function drawRegisters(title, registers, marks, texts) {
  const left = 30, top = 14;
  const picture = svg('svg', {width: left + lanes * step + 2, height: top + registers * step + 2, role: 'img',
    'aria-label': title + ': ' + marks.slice(0, 12).map((m) => m.label).join('; ') + (marks.length > 12 ? '; ...' : '')});
  for (let lane = 0; lane < lanes; lane += 8) picture.append(svg('text', {x: left + lane * step, y: 10}, lane));
  for (let register = 0; register < registers; ++register) {
    picture.append(svg('text', {x: 2, y: top + register * step + 9}, 'r' + register));
    for (let lane = 0; lane < lanes; ++lane) {
      const holds = texts ? texts[lane * registers + register] : '';
      picture.append(svg('rect', {x: left + lane * step, y: top + register * step, width: step - 1, height: step - 1,
        class: holds === undefined ? 'unused' : 'register'},
        svg('title', {}, 'lane ' + lane + ', register ' + register + (holds ? ': ' + holds : holds === undefined ? ': no element' : ''))));
    }
  }
  for (const m of marks) {
    // An element may be narrower than a register, or reach into the next.
    for (let bit = m.bit; bit < m.bit + m.width;) {
      const register = Math.floor(bit / 32), end = Math.min(m.bit + m.width, 32 * (register + 1));
      const x = left + m.lane * step + (bit % 32) / 32 * (step - 1);
      picture.append(svg('rect', {x, y: top + register * step, width: Math.max((end - bit) / 32 * (step - 1), 1.5), height: step - 1, class: m.kind},
        svg('title', {}, m.label)));
      bit = end;
    }
  }
  return h('div', {class: 'lanes'}, h('p', {class: 'faint'}, title), h('div', {class: 'wide', tabindex: 0, role: 'region', 'aria-label': title}, picture));
}

function locationOf(layout, index) {
  const perLane = 32 * layout.registers;
  return {lane: Math.floor(layout.at[index] / perLane), bit: layout.at[index] % perLane, width: layout.bits};
}

const elementName = (name, layout, index) => {
  const p = placeIn(layout, index);
  return name + '[' + [p.block, p.row, p.column].join(',') + ']';
};

// What each register of each lane holds, by element.
function heldBy(name, layout) {
  const texts = new Array(lanes * layout.registers);
  layout.at.forEach((none, index) => {
    const {lane, bit, width} = locationOf(layout, index);
    for (let register = Math.floor(bit / 32); register <= Math.floor((bit + width - 1) / 32); ++register) {
      const i = lane * layout.registers + register;
      texts[i] = (texts[i] ? texts[i] + ' ' : '') + elementName(name, layout, index);
    }
  });
  return texts;
}

// All operands of a call, with what makes the element `at` of D marked in each.
function drawLanes(call, at) {
  const fed = feeding(call, at);
  return Object.keys(call.layouts).map((name) => {
    const layout = data.layouts[call.layouts[name]];
    const marks = [...new Set(fed[name])].map((index) => {
      const l = locationOf(layout, index);
      return {...l, kind: operandClass[name], label: elementName(name, layout, index) + ' in lane ' + l.lane + ', register ' +
        Math.floor(l.bit / 32) + ', bits ' + l.bit % 32 + ' to ' + (l.bit % 32 + l.width - 1)};
    });
    const what = {A: 'row ' + at.row + ' of A', B: 'column ' + at.column + ' of B', C: 'its element of C', D: 'the element of D',
      'scale-A': 'the scales of that row', 'scale-B': 'the scales of that column'}[name];
    const read = name === 'A' && call.a_from || name === 'B' && call.b_from ? ', as the modifiers of this call have them read' : '';
    return drawRegisters(name + ' (' + layout.format + '): ' + what + ' marked' + read, layout.registers, marks, heldBy(name, layout));
  });
}
