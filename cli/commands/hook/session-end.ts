import { HOOK_NOTES } from '../../hooks/hook-options.ts';
import { runStageHook, STAGE_NOTES, STAGE_OPTIONS } from '../../hooks/session/stage-hook.ts';
import type { Command } from '../../program/command.ts';

export const hookSessionEnd: Command<typeof STAGE_OPTIONS> = {
  section: 'agent',
  summary: 'stage the rest of a session',
  about: `Stages what was said since the last capture of a session, however short it is. A session with less than 200
characters in all is left out. For the hook SessionEnd of a coding agent.

${STAGE_NOTES} If it was resumed, what is new is staged.`,
  options: STAGE_OPTIONS,
  notes: HOOK_NOTES,
  ignoresEnvironmentFile: true,
  run: (values) => runStageHook(values, true),
};
