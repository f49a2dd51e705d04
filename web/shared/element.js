/**
 * Makes an element with these children. Text is never parsed as HTML.
 * @param {string} tag
 * @param {(Node | string)[]} children
 */
export function element(tag, ...children) {
  const made = document.createElement(tag);
  made.append(...children);
  return made;
}

/**
 * Isolates a name that people have chosen, so that right-to-left text in it does not reorder the words around it.
 * @param {string} text
 */
export const named = (text) => element('bdi', text);
