import { setting } from '../client/settings.ts';

/** Whether the client was started by a script of the repository's package.json. */
function isNpmScript(): boolean {
  const script = setting('npm_lifecycle_event');
  return script === 'cli' || script === 'operator';
}

/** What a user types to run the client: the words that begin each example in help and messages. */
export const PROGRAM = isNpmScript() ? 'npm run -s cli --' : 'memory';

/**
 * The folder that relative paths in arguments start from. npm runs its scripts in the folder of the project, and passes
 * the folder in which it was called as INIT_CWD.
 */
export function invocationFolder(): string {
  return (isNpmScript() ? setting('INIT_CWD') : null) ?? process.cwd();
}
