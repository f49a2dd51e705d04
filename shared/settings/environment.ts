import { existsSync } from 'node:fs';

/** Loads the `.env` file of the working folder. It does not override variables that are already set. Only for mains. */
export function loadEnvironmentFile(): void {
  if (existsSync('.env')) process.loadEnvFile('.env');
}
