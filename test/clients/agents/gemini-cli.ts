import type { AgentProgram } from '../frame/agent-story.ts';
import { connectByCommand } from './connect.ts';

/** As a person chooses at the first start: the key of an API, and no statistics. */
const SETTINGS = {
  security: { auth: { selectedType: 'gemini-api-key' } },
  privacy: { usageStatisticsEnabled: false },
  general: { enableAutoUpdate: false },
};

export const geminiCli: AgentProgram = {
  name: 'Gemini CLI',
  program: 'gemini-cli',
  inGuide: true,
  command: 'gemini --yolo -m gemini-2.5-pro -p "$PROMPT"',
  status: 'gemini mcp list',
  refusal: /team-memory: .*Disconnected/,
  prepare: async (room, place, model) => {
    await room.write('.gemini/settings.json', JSON.stringify(SETTINGS));
    await connectByCommand('Gemini CLI', room, place);
    return { GEMINI_API_KEY: 'none', GOOGLE_GEMINI_BASE_URL: model, GEMINI_CLI_TRUST_WORKSPACE: 'true' };
  },
};
