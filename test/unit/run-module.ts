import { spawnSync } from '../support/needs/command.ts';

/** A process that hangs is ended. */
export const LIMIT_MS = 60_000;

/** The arguments with which Node runs the text of a module. */
export const nodeArguments = (text: string) => ['--input-type=module', '--eval', text];

/** Runs the text of a module in a process of its own. */
export const runModule = (text: string) =>
  spawnSync(process.execPath, nodeArguments(text), { encoding: 'utf8', timeout: LIMIT_MS });
