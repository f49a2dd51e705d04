import { AGENT_NAMES, AGENTS, type Agent } from '../../hooks/agents.ts';
import { changeHooksFile } from '../../hooks/setup/hooks-file.ts';
import { hooksFile, PLACE_OPTIONS } from '../../hooks/setup/setup-options.ts';
import type { Command } from '../../program/command.ts';

export const hookUninstall: Command<typeof PLACE_OPTIONS> = {
  section: 'agent',
  summary: 'remove the hooks from a coding agent',
  about: `Removes the hooks that hook install has added to the settings of a coding agent (${AGENT_NAMES}). Everything
else in the settings stays.`,
  options: PLACE_OPTIONS,
  operand: { name: 'agent', choices: AGENTS },
  ignoresEnvironmentFile: true,
  async run(values, operand) {
    const agent = operand as Agent;
    const file = await hooksFile(agent, values);
    const removed = await changeHooksFile(file, {});
    return {
      text: removed ? `Removed the hooks from ${file}.` : `${file} has no hooks of this program.`,
      data: { agent, file, removed },
    };
  },
};
