/**
 * For tests that start programs: a file that imports this module does not count as pure code. For a process of the
 * service, import `process.ts` instead.
 */
export { type ChildProcess, execFile, execFileSync, fork, spawn, spawnSync } from 'node:child_process';
