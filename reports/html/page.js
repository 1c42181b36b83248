// The parts of the page, the filters and the keys.

function update() {
  drawList();
  narrowUnits();
  const shownUnits = cells.filter((cell) => !cell.button.classList.contains('dim')).length;
  byId('narrowed').textContent = narrowed()
    ? plural(list.matching.length, 'finding') + ' of ' + grouped(data.findings.length) + ', ' + grouped(shownUnits) + ' of ' + plural(cells.length, 'cell') : '';
}

function chooseUnit(chosen) {
  filter.unit = filter.unit && filter.unit.key === chosen.key ? null : chosen;
  update();
  if (!filter.unit) return;
  byId('findings').scrollIntoView();
  byId('findings').focus({preventScroll: true});
}

function leaveUnit() {
  const {button} = filter.unit;
  filter.unit = null;
  update();
  button.focus();
}

function drawFilters() {
  const present = new Set([...data.instances, ...data.programs, ...data.findings].map((x) => x.v));
  byId('by-verdict').append(...worstFirst.filter((v) => present.has(v)).map((v) => h('label', {},
    h('input', {type: 'checkbox', value: v, onchange: (e) => {
      if (e.target.checked) filter.verdicts.add(v); else filter.verdicts.delete(v);
      update();
    }}), ' ', badge(v))));
  // By place, not by name: a name may hold what no attribute does.
  const options = (id, key, values) => {
    const select = byId(id);
    select.append(h('option', {value: -1}, 'all'), ...values.map((name, i) => h('option', {value: i}, name)));
    select.addEventListener('change', () => { filter[key] = values[select.value] ?? ''; update(); });
  };
  options('by-code', 'code', data.kinds.filter((code, k) => data.finding_counts.some(([kind]) => kind === k)));
  options('by-group', 'group', [...data.builtins, ...data.shapes].map((row) => row.name));
  byId('order').append(...Object.keys(orders).map((name) => h('option', {value: name}, name)));
  byId('order').addEventListener('change', update);
  let waiting = 0;
  byId('by-text').addEventListener('input', (e) => {
    filter.words = e.target.value.toLowerCase().split(/\s+/).filter(Boolean);
    clearTimeout(waiting);
    waiting = setTimeout(update, data.findings.length > 5000 ? 250 : 0);
  });
  byId('filters').addEventListener('submit', (e) => e.preventDefault());
  byId('filters').addEventListener('reset', () => setTimeout(() => {
    Object.assign(filter, {verdicts: new Set(), code: '', group: '', words: [], unit: null});
    update();
  }));
}

function backOneStep() {
  if (list.open) {
    const button = byId('finding-' + list.open.number).firstChild;
    closeFinding();
    button.focus();
  } else if (filter.unit) {
    leaveUnit();
  } else if (narrowed()) {
    byId('filters').reset();
  } else if (document.activeElement) {
    document.activeElement.blur();
  }
}

function listenToKeys() {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName || '');
    if (event.key === '/' && !typing) {
      event.preventDefault();
      byId('by-text').focus();
      byId('by-text').select();
    } else if (event.key === 'Escape') {
      event.preventDefault();
      backOneStep();
    }
  });
}

function drawTheme() {
  const button = byId('theme');
  const set = (theme) => {
    if (theme === 'system') delete document.documentElement.dataset.theme; else document.documentElement.dataset.theme = theme;
    button.textContent = 'Theme: ' + theme;
    button.setAttribute('aria-label', 'Colours: ' + (theme === 'system' ? 'as the system has them' : theme));
  };
  const known = ['system', 'light', 'dark'];
  let theme = 'system';
  // A page from a file may be refused its storage.
  try { theme = known.find((name) => name === localStorage.getItem('mfma-theme')) || 'system'; } catch (refused) { theme = 'system'; }
  set(theme);
  button.addEventListener('click', () => {
    theme = known[(known.indexOf(theme) + 1) % known.length];
    set(theme);
    try { localStorage.setItem('mfma-theme', theme); } catch (refused) { /* it holds for this visit */ }
  });
}

function drawSummary(section) {
  const units = [['Instances', data.totals, 'instances'], ['Programs', data.program_totals, 'programs']];
  const verdictRows = worstFirst.map((v) => [badge(v), ...units.map(([, totals]) => grouped(totals[data.count_names[v]]))]);
  verdictRows.push([h('strong', {}, 'planned'), ...units.map(([, totals, key]) => grouped(totals[key]))]);
  const counts = Object.keys(data.totals.counts).map((name) =>
    [name.replace(/_/g, ' '), grouped(data.totals.counts[name]), grouped(data.program_totals.counts[name])]);
  section.append(h('div', {class: 'columns'},
    table(['Verdict', 'Instances', 'Programs'], verdictRows, [1, 2]),
    table(['Count', 'Of instances', 'Of programs'], counts, [1, 2])),
    h('p', {class: 'faint'}, plural(data.totals.builtins, 'builtin') + ', ' + plural(data.program_totals.shapes, 'shape') +
      '. Of programs, elements are output dwords. ' + (data.head.stopped ? 'Ended by ' + data.head.stopped + ' before it was done. ' : '') +
      'Exit codes: 0 pass, 1 failure, 2 no verdict, 3 hang or device lost; 1 wins over 3, 3 over 2.'));
}

function drawEnvironment(section) {
  const r = data.head;
  const profile = (p) => p.name + ' (' + p.source + ')' + (p.digest ? ', digest ' + p.digest : '');
  section.append(
    described([['tool', r.tool.name + ' ' + r.tool.version], ['command', h('code', {}, r.command)], ['started', r.started],
      ['took', r.seconds.toFixed(1) + ' s'], ['architecture', r.arch], ['device', r.device.id + ' (' + r.device.kind + ')'],
      ['', r.device.description], ...Object.entries(r.device.facts),
      ...Object.entries(r.device.error_counters || {}).map(([name, c]) => ['errors ' + name, (c.before ?? 'not read') + ' before, ' + (c.after ?? 'not read') + ' after' + (c.rose ? ': ROSE' : '')]),
      ['profile', profile(r.profile)],
      ['device computes by', r.device_profile.name || r.device_profile.source ? profile(r.device_profile) : ''], ['cbsz read', r.broadcast_reading],
      ['seed', r.seed], ['tier', r.tier], ['cases per instance', r.cases_per_instance], ['cases per program', r.cases_per_program],
      ['launches of each case', r.repeats > 1 ? r.repeats : ''],
      ['rounds', r.rounds > 1 ? r.rounds : ''], ['modifiers', r.modifiers], ['operand classes', r.operand_classes.join(', ') || 'as dealt by the case\u2019s index'],
      ['shapes', r.shapes_asked], ['properties', r.properties.join(', ')], ['levels', r.levels.map((l) => '-' + l).join(', ')],
      ['shard', r.shard.count > 1 ? r.shard.index + ' of ' + r.shard.count : 'none: the whole']]),
    r.compilers.map((c) => [h('h3', {}, 'Compiler'), described([['version', c.version], ['path', c.path], ['resolved', c.resolved],
      ['hash', c.hash], ['flags', h('code', {}, c.flags.join(' '))], ['kernels compiled', grouped(c.kernels_compiled)],
      ['from the cache', grouped(c.kernels_from_cache)]])]).flat());
}

// What the run was told to accept, and what came of it.
function drawWaivers(section) {
  if (data.waivers.length === 0) return;
  section.append(h('h4', {}, 'Waivers'), table(['State', 'Where', 'What it is about', 'Reason', 'Expires'], data.waivers.map((w) =>
    [h('strong', {}, w.state), w.file + ', number ' + w.number,
     ['finding', 'builtin', 'instance', 'shape', 'code', 'property', 'level', 'arch', 'device', 'compiler', 'compiler_from', 'compiler_to']
       .filter((key) => Object.hasOwn(w, key)).map((key) => key.replace('_', ' ') + ' ' + w[key]).join(', '),
     [w.reason, w.link].filter(Boolean).join(' '), w.expires])));
}

function drawFingerprint(section) {
  section.append(h('p', {class: 'faint'}, 'The arithmetic that the profile gives each builtin, and what the device did where sources differ (docs/discrepancies.md).'),
    table(['Builtin', 'Rule', 'Source of the rule', 'By model', 'Exact', 'Unconfirmed', 'Properties'], data.builtins.map((b) =>
      [h('span', {class: 'mono'}, b.name), b.rule_status, b.rule_sources.join('; '), grouped(b.counts.elements_model_dependent),
       grouped(b.counts.elements_exact), grouped(b.counts.elements_unconfirmed),
       b.properties_left_out ? 'left out: the model is not lawful here' : grouped(b.counts.property_checks) + ' checks, ' + grouped(b.counts.properties_broken) + ' broken']),
      [3, 4, 5]),
    h('h4', {}, 'Open points: what the device did'),
    data.open.length === 0 ? h('p', {class: 'faint'}, 'None was met.')
      : table(['Property', 'Builtin', 'The device followed', 'Checks'], data.open.map((o) =>
        [o.property, h('span', {class: 'mono'}, o.builtin), o.reading, grouped(o.checks)]), [3]));
}

function start() {
  drawTheme();
  drawFilters();
  drawSummary(byId('summary'));
  drawWaivers(byId('summary'));
  drawUnits(byId('builtins'), data.builtins, data.instances, false);
  drawUnits(byId('programs'), data.shapes, data.programs, true);
  drawFindings(byId('findings'));
  drawFingerprint(byId('fingerprint'));
  drawEnvironment(byId('environment'));
  update();
  listenToKeys();
  const asked = () => {
    const number = /^#finding-(\d+)$/.exec(location.hash);
    if (number) openFinding(Number(number[1]));
  };
  addEventListener('hashchange', asked);
  asked();
  // For whoever measures: since the browser began to open the page.
  document.documentElement.dataset.ready = Math.round(performance.now());
}

try {
  start();
} catch (error) {
  // Rather a word on what is missing than half a page that looks whole.
  byId('broken').textContent = 'This page could not be drawn to its end: ' + clean(error.message) + '. The verdict above holds.';
  byId('broken').hidden = false;
  throw error;
}
