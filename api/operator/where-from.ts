import { setting } from './settings.ts';

/**
 * The folder that a path which a person names is meant from. npm runs its scripts in the folder of the project, and
 * tells where the person was.
 */
export function whereFrom(): string {
  const asScript = setting('npm_lifecycle_event') === 'operator';
  return (asScript ? setting('INIT_CWD') : null) ?? process.cwd();
}
