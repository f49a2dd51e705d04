import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** The package of the terminal client, which `npm run build` makes. */
export interface ClientPackage {
  bytes: Buffer;
  /** Of the bytes, in hexadecimal digits. */
  sha256: string;
}

const FILE = new URL('../../cli/dist/cli.tgz', import.meta.url);

let kept: ClientPackage | null | undefined;

/**
 * Reads the package once for the process, so that its bytes and its digest are of the same build.
 * @returns null if it was not built
 */
export function readClientPackage(): ClientPackage | null {
  if (kept === undefined) kept = read();
  return kept;
}

function read(): ClientPackage | null {
  try {
    const bytes = readFileSync(FILE);
    return { bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
