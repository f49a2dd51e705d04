import { setting } from '../client/settings.ts';

/** Whether the client was started by a script of the repository's package.json. */
export function isNpmScript(): boolean {
  const script = setting('npm_lifecycle_event');
  return script === 'cli' || script === 'operator';
}

/** What a user types to run the client: the words that begin each example in help and messages. */
export const PROGRAM = isNpmScript() ? 'npm run -s cli --' : 'memory';
