import { setting } from '../client/settings.ts';
import { printNote } from '../terminal/command-error.ts';
import type { Result } from '../terminal/output.ts';

/** How long an agent waits for a hook at most, counted from the start of the process. */
const DEFAULT_MS = 1500;
/** The longest time that a setting can allow. */
const MAX_MS = 600_000;
/** What the process needs to end. */
const EXIT_MS = 100;

/** Reports why a hook printed nothing, if a person wants to know. */
function debug(reason: string): void {
  if (setting('MEMORY_HOOK_DEBUG') !== null) printNote(reason);
}

/** How long the whole hook can take, in milliseconds. */
function limitMs(): number {
  const given = Number(setting('MEMORY_HOOK_TIMEOUT_MS') ?? DEFAULT_MS);
  return (given >= 0 && given <= MAX_MS ? given : DEFAULT_MS) - EXIT_MS;
}

/**
 * Runs a hook that an agent waits for. At the deadline the process ends, whatever it is waiting for. After any failure
 * the result is empty, and the exit code is 0.
 * @param work receives how many milliseconds are left
 */
export async function runHook(work: (timeoutMs: number) => Promise<string>): Promise<Result> {
  const left = Math.max(Math.round(limitMs() - process.uptime() * 1000), 1);
  const timer = setTimeout(() => {
    debug('the hook has no answer in time');
    process.exit(0);
  }, left);
  let text = '';
  try {
    text = await work(left);
  } catch (error) {
    debug(error instanceof Error ? error.message : String(error));
  } finally {
    clearTimeout(timer);
  }
  return { text, data: { text } };
}
