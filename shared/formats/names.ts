import { invalidField } from '../errors.ts';
import { foldCase, isDeviceName, MAX_SEGMENT_BYTES } from './workspace-path.ts';

/**
 * A character that can be seen: a letter, number, punctuation or symbol. Marks are not, because they are part of another
 * character. Some letters and symbols are not, because they show nothing: those that Unicode lets a program ignore, such
 * as the fillers of Hangul, and the blank of Braille, two blank hieroglyphs and the empty note head.
 */
export const VISIBLE_CHARACTER =
  /(?![\p{Default_Ignorable_Code_Point}\u2800\u{13441}\u{13442}\u{1d159}])[\p{L}\p{N}\p{P}\p{S}]/u;

/**
 * The form in which names are compared: without white space around it, in NFC and in lower case. Letter by letter,
 * because Σ has two lower cases, which depend on the letters around it.
 */
export function foldName(name: string): string {
  const letters = Array.from(foldCase(name.trim().normalize('NFC')), (letter) => letter.toLowerCase());
  return letters.join('').normalize('NFC');
}

/** The form in which an email is stored and compared: trimmed, normalized and in lower case. */
export function canonicalEmail(email: string): string {
  // Normalized twice, because some letters are decomposed by the change to lower case.
  return email.trim().normalize('NFC').toLowerCase().normalize('NFC');
}

/**
 * Checks the form `<local>@<host>`. It is loose on purpose, because only a message that is read proves an address.
 * Invisible characters are refused: with them, two different emails could look the same.
 */
export function isEmail(value: string): boolean {
  return value.length <= 300 && /^[^\s@\p{Cc}\p{Cf}]+@[^\s@\p{Cc}\p{Cf}]+$/u.test(value);
}

/**
 * Normalizes the email of a person who may not have an account yet.
 * @throws ServiceError `invalid_request` if it is not an email address
 */
export function parseEmail(value: string, path = '/email'): string {
  const email = canonicalEmail(value);
  if (!isEmail(email)) throw invalidField(path, 'is not an email address');
  return email;
}

/**
 * The name of an account whose person was erased: always the same for an account, and made of random digits of its id
 * only, so that it tells nothing of the person. The audit page of the console makes the same one.
 */
export function pseudonymOf(userId: string): string {
  return `Former member ${userId.slice(-6)}`;
}

/** The most tags of a record, and of a search. */
export const MAX_TAGS = 20;
/** The longest tag, in characters. */
export const MAX_TAG_LENGTH = 50;

/** Normalizes a tag, as names are compared: two tags that differ only in case are the same. */
export function normalizeTag(tag: string): string {
  return foldName(tag);
}

/**
 * Normalizes the tags of a request, in their order and each of them once.
 * @param path JSON pointer of the tags
 * @throws ServiceError `invalid_request` for a tag that is too long once it is normalized: ß becomes ss
 */
export function parseTags(tags: readonly string[], path = '/tags'): string[] {
  return [...new Set(tags.map((tag, index) => parseTag(tag, `${path}/${index}`)))];
}

/**
 * Normalizes one tag of a request.
 * @param path JSON pointer of the tag
 * @throws ServiceError `invalid_request`
 */
export function parseTag(tag: string, path: string): string {
  const normal = normalizeTag(tag);
  // By characters, not by UTF-16 code units.
  if (Array.from(normal).length > MAX_TAG_LENGTH) {
    throw invalidField(path, `must have 1 to ${MAX_TAG_LENGTH} characters in lower case`);
  }
  return normal;
}

/** The longest extension that is kept when a name is too long, in bytes. */
const MAX_EXTENSION_BYTES = 40;

/** Characters that no system shows, or that Windows forbids. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}<>:"|?*]+/gu;

/**
 * Makes the name of a file of any text, so that it can be saved in a folder on every system: without folders, control
 * characters and characters that Windows forbids, not hidden, not reserved, and of at most 255 bytes.
 */
export function safeFileName(text: string): string {
  const last = text.toWellFormed().split(/[/\\]/).at(-1) ?? '';
  const allowed = trimDots(last.normalize('NFC').replaceAll(UNSAFE, ' '));
  if (allowed === '') return 'file';
  return shortened(isDeviceName(allowed) ? `_${allowed}` : allowed);
}

/** Without spaces at both ends, and without dots: a name that begins with one is hidden, and Windows removes others. */
function trimDots(name: string): string {
  let [start, end] = [0, name.length];
  while (start < end && isDotOrSpace(name[start])) start += 1;
  while (end > start && isDotOrSpace(name[end - 1])) end -= 1;
  return name.slice(start, end);
}

const isDotOrSpace = (character = '') => character === '.' || character.trim() === '';

/** Shortens a name to the longest that file systems support. The extension stays. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= MAX_SEGMENT_BYTES) return name;
  const dot = name.lastIndexOf('.');
  const extension = dot > 0 ? name.slice(dot) : '';
  const kept = Buffer.byteLength(extension) <= MAX_EXTENSION_BYTES ? extension : '';
  return trimDots(cutBytes(name, MAX_SEGMENT_BYTES - Buffer.byteLength(kept))) + kept;
}

/** The beginning of a text, of at most this many bytes in UTF-8. Characters stay whole. */
function cutBytes(text: string, bytes: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes));
  return text.slice(0, read);
}
