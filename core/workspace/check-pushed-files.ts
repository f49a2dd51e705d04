import type { Redaction } from '../../shared/schemas/common.ts';
import { masksCredentials, type RedactionMode } from '../../shared/settings/team-settings.ts';
import { redactFields, secretDetected } from '../redaction/redact-fields.ts';
import type { Pushed } from './parse-pushed-files.ts';

/** The most that an answer lists. */
const MAX_LISTED = 1000;

/** What was found in the files of a push. */
export interface CheckedPush {
  /** At most 1,000. */
  redactions: Redaction[];
  /** Paths that contain a credential, as audit events show them. */
  maskedPaths: ReadonlyMap<string, string>;
  /** Whether the push must be refused. */
  isRefused: boolean;
  /** @throws ServiceError `secret_detected` if it must be refused */
  assertAllowed: () => void;
}

const UTF16_MARKS: readonly [first: number, second: number, encoding: string][] = [
  [0xff, 0xfe, 'utf-16le'],
  [0xfe, 0xff, 'utf-16be'],
];

/** The text of a file, or null if it is binary. Files of other encodings than UTF-8 are read as far as they are ASCII. */
function textOf(content: Uint8Array): string | null {
  const mark = UTF16_MARKS.find(([first, second]) => content[0] === first && content[1] === second);
  if (mark === undefined && content.includes(0)) return null;
  return new TextDecoder(mark?.[2] ?? 'utf-8').decode(content);
}

/**
 * Checks the paths and the texts of pushed files for credentials. Offsets are those of the decoded text. A masked text would not
 * have the SHA-256 of the push, so the mode `redact` refuses the push too. A deletion is never refused. Other formats than
 * text are checked when they are indexed.
 */
export async function checkPushedFiles(mode: RedactionMode, pushed: readonly Pushed[]): Promise<CheckedPush> {
  const redactions: Redaction[] = [];
  const maskedPaths = new Map<string, string>();
  if (mode !== 'off') {
    for (const [index, { path, blob }] of pushed.entries()) {
      const text = blob === null ? null : textOf(blob.content);
      const checked = await redactFields('redact', { path, contentBase64: text }, `/files/${index}`);
      if (checked.fields.path !== path) maskedPaths.set(path, checked.fields.path);
      if (blob !== null) redactions.push(...checked.redactions.slice(0, MAX_LISTED - redactions.length));
    }
  }
  const isRefused = redactions.length > 0 && masksCredentials(mode);
  return {
    redactions,
    maskedPaths,
    isRefused,
    assertAllowed: () => {
      if (isRefused) throw secretDetected(redactions);
    },
  };
}
