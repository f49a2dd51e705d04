import { readHookInput } from '../../hooks/hook-input.ts';
import { HOOK_NOTES, RECALL_OPTIONS } from '../../hooks/hook-options.ts';
import { recallForPrompt } from '../../hooks/recall/recall.ts';
import { runHook } from '../../hooks/run-hook.ts';
import type { Command } from '../../program/command.ts';

export const hookPrompt: Command<typeof RECALL_OPTIONS> = {
  section: 'agent',
  summary: 'print what the Team has stored about a prompt',
  about: `Prints up to three passages about the prompt, with their titles and the command that shows more of each: at
most 2,000 bytes, within 1.5 seconds, and nothing if no passage has enough words in common with the prompt. For the hook
UserPromptSubmit of a coding agent.`,
  options: RECALL_OPTIONS,
  notes: HOOK_NOTES,
  ignoresEnvironmentFile: true,
  run: (values) =>
    runHook({ agent: values.agent, hook: 'prompt' }, async (timeoutMs) =>
      recallForPrompt(values, (await readHookInput()).prompt, timeoutMs),
    ),
};
