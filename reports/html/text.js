// Text and elements. Whatever comes from the report goes into the page as text, never as markup.

const svgNamespace = 'http://www.w3.org/2000/svg';

// Control characters and those that turn the direction of text, as something to see.
function clean(text) {
  return String(text)
    .replace(/\r\n/g, '\n')
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
             (c) => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'));
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false || value === null) continue;
    if (name.startsWith('on')) {
      element.addEventListener(name.slice(2), value);
    } else {
      element.setAttribute(name, value === true ? '' : name === 'class' || name === 'id' ? value : clean(value));
    }
  }
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    element.append(child instanceof Node ? child : clean(child));
  }
  return element;
}

// h('td', {class: 'number'}, 12)
const h = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes = {}, ...children) => fill(document.createElementNS(svgNamespace, tag), attributes, children);
const byId = (id) => document.getElementById(id);

// 12345678 -> "12 345 678", with blanks that do not break.
const grouped = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, '\u00a0');
const plural = (n, what) => grouped(n) + ' ' + what + (n === 1 ? '' : 's');

// Of a list of [name, value]: those that have a value.
function described(pairs) {
  return h('dl', {}, pairs.filter(([, value]) => value !== undefined && value !== null && value !== '')
    .map(([name, value]) => [h('dt', {}, name), h('dd', {class: 'text'}, value)]));
}

function table(head, rows, numbers = []) {
  const kind = (i) => ({class: numbers.includes(i) ? 'number' : undefined});
  return h('div', {class: 'wide'}, h('table', {},
    h('thead', {}, h('tr', {}, head.map((cell, i) => h('th', {scope: 'col', ...kind(i)}, cell)))),
    h('tbody', {}, rows.map((row) => h('tr', {}, row.map((cell, i) => h('td', kind(i), cell)))))));
}

function folded(title, text) {
  return h('details', {}, h('summary', {}, title), h('pre', {}, text));
}

// A line to copy, with a button that does.
function commandLine(text) {
  const code = h('code', {}, text);
  const button = h('button', {type: 'button', class: 'copy'}, 'Copy');
  button.addEventListener('click', async () => {
    let done = false;
    try {
      await navigator.clipboard.writeText(text);
      done = true;
    } catch (refused) {
      // Pages opened from a file may not reach the clipboard: what is marked can be copied by hand.
      const range = document.createRange();
      range.selectNodeContents(code);
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      try { done = document.execCommand('copy'); } catch (also) { done = false; }
    }
    button.textContent = done ? 'Copied' : 'Marked: copy it by hand';
    setTimeout(() => { button.textContent = 'Copy'; }, 2500);
  });
  return h('div', {class: 'command'}, code, button);
}
