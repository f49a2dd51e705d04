import type { Element } from 'hast';
import { isElement, textOf } from './tree.ts';

/* The controls of forms, as the text that a person sees in them. */

/** Inputs that show no text of their own, or a secret. */
const UNREAD_INPUTS = new Set(['password', 'file', 'color', 'range']);

function inputText({ properties }: Element): string {
  const type = String(properties.type ?? 'text').toLowerCase();
  if (type === 'hidden') return '';
  if (UNREAD_INPUTS.has(type)) return ' ';
  if (type === 'checkbox' || type === 'radio') return properties.checked ? '[x]' : '[ ]';
  return String((type === 'image' ? properties.alt : properties.value) ?? ' ');
}

function optionsOf(parent: Element): Element[] {
  const options: Element[] = [];
  for (const child of parent.children) {
    if (isElement(child, 'option')) options.push(child);
    else if (child.type === 'element') for (const option of optionsOf(child)) options.push(option);
  }
  return options;
}

/** The options that are chosen. A list that shows one option shows its first one if none is chosen. */
function selectText(select: Element): string {
  const { multiple, size } = select.properties;
  const options = optionsOf(select);
  const chosen = options.filter(({ properties }) => properties.selected);
  const isList = Boolean(multiple) || Number(size) > 1;
  const shown = isList || chosen.length > 0 ? chosen : options.slice(0, 1);
  const texts = shown.map((option) => textOf(option).trim() || String(option.properties.label ?? ''));
  return (multiple ? texts : texts.slice(-1)).join(', ');
}

/** The text that a control shows, in lines: a blank if it is empty, and nothing if it is hidden. Null for other elements. */
export function controlText(element: Element): string | null {
  if (element.tagName === 'input') return inputText(element);
  if (element.tagName === 'select') return selectText(element) || ' ';
  return element.tagName === 'textarea' ? textOf(element) || ' ' : null;
}
