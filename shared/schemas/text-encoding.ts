import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { Nullable } from './common.ts';

/* The encoding in which the text of a file was read. */

/**
 * It has a default for answers that an earlier version stored for a repeat of the request: an answer without a required
 * field cannot be sent.
 */
export const TextEncoding = {
  ...Nullable(
    Type.String({ examples: ['windows-1252', 'shift_jis', 'utf-16le'] }),
    'encoding in which the text of the file was read; null for UTF-8, for formats that say it themselves, and before the ' +
      'import is completed',
  ),
  default: null,
};

const EncodingName = Type.String({ pattern: '^[a-z][a-z0-9_-]{0,29}$' });

/**
 * The name of an encoding, if it is one; otherwise null. It comes from the process that read the file, which the file can
 * have taken over.
 */
export function storedEncoding(given: unknown): string | null {
  return Value.Check(EncodingName, given) ? given : null;
}
