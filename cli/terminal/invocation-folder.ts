import { setting } from '../client/settings.ts';
import { isNpmScript } from './program.ts';

/**
 * The folder that relative paths in arguments start from. npm runs its scripts in the folder of the project, and passes
 * the folder in which it was called as INIT_CWD.
 */
export function invocationFolder(): string {
  return (isNpmScript() ? setting('INIT_CWD') : null) ?? process.cwd();
}
