import { readHookInput } from '../../hooks/hook-input.ts';
import { HOOK_NOTES, RECALL_OPTIONS } from '../../hooks/hook-options.ts';
import { projectName } from '../../hooks/recall/project.ts';
import { recallForProject } from '../../hooks/recall/recall.ts';
import { runHook } from '../../hooks/run-hook.ts';
import type { Command } from '../../program/command.ts';

export const hookSessionStart: Command<typeof RECALL_OPTIONS> = {
  section: 'agent',
  summary: 'print what the Team has stored about the project of a session',
  about: `Prints up to three passages that contain the name of the project, which is the name of the folder with the
repository: at most 2,000 bytes, within 1.5 seconds, and nothing if no passage contains it. For the hook SessionStart of
a coding agent. If a hook of the agent has not worked for a day, a line says so, once.`,
  options: RECALL_OPTIONS,
  notes: HOOK_NOTES,
  ignoresEnvironmentFile: true,
  run: (values) =>
    runHook({ agent: values.agent, hook: 'session-start', tellsFailures: true }, async (timeoutMs) => {
      const { cwd } = await readHookInput();
      const project = await projectName(cwd === '' ? process.cwd() : cwd);
      return project === null ? '' : recallForProject(values, project, timeoutMs);
    }),
};
