import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

const FILE = '.env';

/**
 * Loads the `.env` file of the working folder. It does not override variables that are already set. Only for mains.
 * @throws Error with one line for the operator, if the file cannot be read
 */
export function loadEnvironmentFile(): void {
  if (!existsSync(FILE)) return;
  try {
    process.loadEnvFile(FILE);
  } catch (error) {
    const code = (error as { code?: string }).code ?? 'unknown error';
    throw new Error(
      `${FILE}: user ${process.getuid?.() ?? 'of this process'} cannot read ${resolve(FILE)} (${code}): make it a file that this user can read, or remove it`,
      { cause: error },
    );
  }
}
