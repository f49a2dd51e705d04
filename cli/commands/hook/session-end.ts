import { readHookInput } from '../../hooks/hook-input.ts';
import { HOOK_NOTES, HOOK_OPTIONS } from '../../hooks/hook-options.ts';
import { runHook } from '../../hooks/run-hook.ts';
import { detach, WAIT_OPTION } from '../../hooks/session/detach.ts';
import { stageSession } from '../../hooks/session/stage-session.ts';
import type { Command } from '../../program/command.ts';
import { counted } from '../../terminal/output.ts';

const options = {
  [WAIT_OPTION]: {
    type: 'boolean',
    help: 'stage the session in this process, and report it or why it failed',
  },
  ...HOOK_OPTIONS,
} as const;

export const hookSessionEnd: Command<typeof options> = {
  section: 'agent',
  summary: 'stage a session as captures',
  about: `Stages what the person and the agent have said in a session as captures: without calls of tools and their
results, and without what these hooks had added. A session with less than 200 characters is left out. The transcript is
read by a process of its own, so that the agent does not wait. For the hook SessionEnd of a coding agent.

A session that is staged again makes no second captures; if it was resumed, what is new is staged.`,
  options,
  notes: HOOK_NOTES,
  ignoresEnvironmentFile: true,
  async run(values) {
    if (values.wait !== true) {
      return runHook(async () => {
        await detach(await readHookInput());
        return '';
      });
    }
    const captures = await stageSession(values, await readHookInput());
    return {
      text:
        captures === 0
          ? 'The session is too short to be staged.'
          : `The session has ${counted(captures, 'capture')}.`,
      data: { captures },
    };
  },
};
