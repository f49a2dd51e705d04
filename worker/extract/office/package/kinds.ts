import { FileFault } from '../../extraction.ts';

/** What is wrong with a file that is not of the format that its name or media type says. */

/** The first bytes of the older Office formats. Encrypted documents of the newer ones are wrapped in it. */
const OLE_MARK = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const ENCRYPTED_PACKAGE = Buffer.from('EncryptedPackage', 'utf16le');

/** The fault of an encrypted file. */
export const lockedFault = () =>
  new FileFault('locked', 'The file is protected by a password: save it without one and import it again.');

/**
 * The fault of a file whose content is of another format.
 * @param found what it is, if that is known: `an XLSX workbook`
 * @param expected the name of the format that was expected
 */
export function mismatchFault(expected: string, found: string | null): FileFault {
  return new FileFault(
    'corrupt',
    found === null
      ? `The file is not ${expected}: import it under the name of its own type.`
      : `The file is ${found}, not ${expected}: import it under the name of its own type.`,
  );
}

/**
 * Refuses files that are in the container of the older Office formats.
 * @param expected the name of the format that was expected
 * @throws FileFault `locked` for an encrypted document, `corrupt` for an older one
 */
export function refuseOle(content: Uint8Array, expected: string): void {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  if (!bytes.subarray(0, OLE_MARK.length).equals(OLE_MARK)) return;
  if (bytes.includes(ENCRYPTED_PACKAGE)) throw lockedFault();
  throw new FileFault(
    'corrupt',
    `The file is a document of an older Office, not ${expected}: open it and save it as ${expected}.`,
  );
}
