import { setting } from '../client/settings.ts';

/**
 * The folder that relative paths in arguments start from. npm runs its scripts in the folder of the project, and passes
 * the folder in which it was called as INIT_CWD.
 */
export function invocationFolder(): string {
  const script = setting('npm_lifecycle_event');
  const isNpmScript = script === 'cli' || script === 'operator';
  return (isNpmScript ? setting('INIT_CWD') : null) ?? process.cwd();
}
