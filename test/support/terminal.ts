import { spawnSync } from './needs/command.ts';

/** Why there is no pseudo-terminal to test in, or false. Other systems have another `script`. */
export const NO_TERMINAL =
  !String(spawnSync('script', ['--version']).stdout).includes('util-linux') &&
  'needs script of util-linux, which makes a pseudo-terminal';
