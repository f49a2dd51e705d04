import { isDeviceName, MAX_SEGMENT_BYTES } from './workspace-path.ts';

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
