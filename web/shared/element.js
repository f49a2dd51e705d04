/** An element of these children; texts stay text. */
export function element(tag, ...children) {
  const made = document.createElement(tag);
  made.append(...children);
  return made;
}

/** What people have named: set apart, so that no script's direction reorders the words around it. */
export const named = (text) => element('bdi', text);
