import type { Result } from '../../terminal/output.ts';
import { counted } from '../../terminal/output.ts';
import { recorded } from '../failures.ts';
import { readHookInput } from '../hook-input.ts';
import { HOOK_OPTIONS, type HookOptions } from '../hook-options.ts';
import { isCheck, runHook } from '../run-hook.ts';
import { checkStaging } from './check-staging.ts';
import { detach, WAIT_OPTION } from './detach.ts';
import { stageSession } from './stage-session.ts';
import { MAX_STAGING_MS } from './unstaged.ts';

/** The options of a hook that stages a session. */
export const STAGE_OPTIONS = {
  [WAIT_OPTION]: {
    type: 'boolean',
    help: 'stage the session in this process, and report it or why it failed',
  },
  ...HOOK_OPTIONS,
} as const;

/** What the help of each of these hooks says. */
export const STAGE_NOTES = `It stages what the person and the agent have said as captures: without calls of tools and
their results, and without what these hooks and the agent's program had added. The transcript is read by a process of
its own, so that the agent does not wait. A session that is staged again makes no second captures.`;

/**
 * Runs a hook that stages what is new in a session.
 * @param isEnd whether the session has ended, so that what is left is staged even if it is short
 */
export async function runStageHook(
  values: HookOptions & { readonly wait?: boolean | undefined },
  isEnd: boolean,
): Promise<Result> {
  const call = { agent: values.agent, hook: isEnd ? 'session-end' : 'turn-end' } as const;
  if (isCheck()) {
    // Not within the time of a hook: the staging itself runs in the background.
    const text = await checkStaging(values);
    return { text, data: { text } };
  }
  if (values.wait !== true) {
    return runHook({ ...call, isDetached: true }, async () => {
      await detach(await readHookInput());
      return '';
    });
  }
  const limit = AbortSignal.timeout(MAX_STAGING_MS);
  try {
    const stage = async () => stageSession(values, await readHookInput(), isEnd, limit);
    const captures = await recorded(call, stage);
    const text =
      captures === 0
        ? 'The session is too short to be staged.'
        : `The session has ${counted(captures, 'capture')}.`;
    return { text, data: { captures } };
  } finally {
    // Whatever it still waits for, the process ends when it has printed this. A later hook continues.
    if (limit.aborted) setImmediate(() => process.exit());
  }
}
