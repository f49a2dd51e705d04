import type { AgentProgram } from '../frame/agent-story.ts';
import { connectByCommand } from './connect.ts';

export const copilot: AgentProgram = {
  name: 'GitHub Copilot CLI',
  program: 'copilot',
  inGuide: true,
  command: 'copilot --disable-client-telemetry --allow-all-tools -p "$PROMPT"',
  // It prints nothing.
  status: 'cat .copilot/logs/*.log',
  refusal: /HTTP 401 challenge.*/,
  prepare: async (room, place, model) => {
    await connectByCommand('GitHub Copilot CLI', room, place);
    return { COPILOT_PROVIDER_BASE_URL: `${model}/v1`, COPILOT_MODEL: 'scripted' };
  },
};
