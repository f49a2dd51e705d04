import { existsSync } from 'node:fs';

/** Adds what a `.env` file in the working folder sets. Variables that are set already win. For mains only. */
export function loadEnvironmentFile(): void {
  if (existsSync('.env')) process.loadEnvFile('.env');
}
