import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setting } from '../../client/settings.ts';
import type { HookInput } from '../hook-input.ts';

/** The option with which a hook does its work itself. */
export const WAIT_OPTION = 'wait';

/**
 * Runs this command again in a process of its own, which continues when the agent and its terminal have ended. Agents
 * end a hook of the end of a session after one to three seconds.
 * @param input what the process receives on standard input
 */
export async function detach({ sessionId, transcriptPath, cwd }: HookInput): Promise<void> {
  const words = [...process.execArgv, ...process.argv.slice(1), `--${WAIT_OPTION}`];
  const child = spawn(process.execPath, words, {
    detached: true,
    windowsHide: true,
    stdio: ['pipe', 'ignore', setting('MEMORY_HOOK_DEBUG') === null ? 'ignore' : 'inherit'],
  });
  child.unref();
  const failed = once(child, 'error').then(([error]) => {
    throw error;
  });
  child.stdin.end(JSON.stringify({ session_id: sessionId, transcript_path: transcriptPath, cwd }));
  await Promise.race([once(child.stdin, 'finish'), failed]);
}
