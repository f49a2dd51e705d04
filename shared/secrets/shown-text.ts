import { cutCharacters } from '../text/characters.ts';
import { findSecretsNow } from './find-secrets.ts';

/** An error message shows so many characters of a text that was given: it can have millions. */
const SHOWN_CHARACTERS = 200;
/** Much longer than most credentials: no rule recognizes one that is cut off. */
const SEARCHED_CHARACTERS = 10 * SHOWN_CHARACTERS;

/** Returns a text that was given as an error message shows it: its beginning, without credentials. */
export function shownText(text: string): string {
  const [checked] = findSecretsNow([{ text: text.slice(0, SEARCHED_CHARACTERS) }]);
  return cutCharacters(checked?.masked ?? '', SHOWN_CHARACTERS);
}

/** Returns a JSON pointer as an error message shows it. The names of fields are given, so they can contain credentials. */
export function shownPointer(keys: readonly (string | number)[]): string {
  return keys.map((key) => `/${shownKey(key)}`).join('');
}

function shownKey(key: string | number): string {
  return typeof key === 'number' ? String(key) : shownText(key).replaceAll('~', '~0').replaceAll('/', '~1');
}
