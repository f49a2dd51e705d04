import { HOOK_NOTES } from '../../hooks/hook-options.ts';
import { runStageHook, STAGE_NOTES, STAGE_OPTIONS } from '../../hooks/session/stage-hook.ts';
import type { Command } from '../../program/command.ts';

export const hookTurnEnd: Command<typeof STAGE_OPTIONS> = {
  section: 'agent',
  summary: 'stage what is new in a session that continues',
  about: `Stages what was said since the last capture of a session, so that a session that is killed loses nothing before
its last turn. What has less than 200 characters is staged with the next turns. For the hooks Stop and PreCompact of a
coding agent.

${STAGE_NOTES}`,
  options: STAGE_OPTIONS,
  notes: HOOK_NOTES,
  ignoresEnvironmentFile: true,
  run: (values) => runStageHook(values, false),
};
