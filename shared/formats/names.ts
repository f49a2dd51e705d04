import { foldCase } from './workspace-path.ts';

/**
 * The form in which names are compared: without white space around it, in NFC and in lower case. Letter by letter,
 * because Σ has two lower cases, which depend on the letters around it.
 */
export function foldName(name: string): string {
  const letters = Array.from(foldCase(name.trim().normalize('NFC')), (letter) => letter.toLowerCase());
  return letters.join('').normalize('NFC');
}
