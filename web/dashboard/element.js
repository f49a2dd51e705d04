const SVG = 'http://www.w3.org/2000/svg';

/** Makes an element. Children are elements and texts. Text is never parsed as HTML. */
export function element(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** Makes an SVG element. */
export function drawn(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** Isolates a name that people have chosen, so that right-to-left text in it does not reorder the words around it. */
export const named = (text) => element('bdi', {}, text);

export const byId = (id) => document.getElementById(id);

/** Sets a text only if it has changed, so that screen readers do not read the same text again. */
export function put(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Sets an attribute only if it has changed. */
export function mark(node, name, value) {
  if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value);
}
