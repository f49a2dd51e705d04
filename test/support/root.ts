import { join } from 'node:path';

/** The root folder of the repository. */
export const ROOT = join(import.meta.dirname, '..', '..');
