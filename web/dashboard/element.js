const SVG = 'http://www.w3.org/2000/svg';

/** Makes an element. Children are elements and texts: no text is ever read as HTML. */
export function element(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** Makes a part of a drawing. */
export function drawn(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** What people have named: set apart, so that no script's direction reorders the words around it. */
export const named = (text) => element('bdi', {}, text);

export const byId = (id) => document.getElementById(id);

/** Sets a text where it is another one: what stays as it is, is read out once. */
export function put(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** The same for an attribute. */
export function mark(node, name, value) {
  if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value);
}
