import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentProgram } from '../frame/agent-story.ts';
import { writeFileOf } from '../frame/guide.ts';

const FILE = '.config/opencode/opencode.json';

/** The model of the script, by chat completions. */
const modelSettings = (model: string) => ({
  model: 'local/scripted',
  small_model: 'local/scripted',
  autoupdate: false,
  share: 'disabled',
  provider: {
    local: {
      npm: '@ai-sdk/openai-compatible',
      name: 'local',
      options: { baseURL: `${model}/v1`, apiKey: 'none' },
      models: { scripted: { name: 'scripted', tool_call: true } },
    },
  },
});

export const opencode: AgentProgram = {
  name: 'opencode',
  program: 'opencode',
  inGuide: true,
  command: 'opencode run "$PROMPT"',
  status: 'opencode mcp list',
  refusal: /Non-200 status code \(401\)/,
  prepare: async (room, place, model) => {
    await writeFileOf(FILE, room, place);
    const connected = JSON.parse(await readFile(join(room.home, FILE), 'utf8')) as object;
    await room.write(FILE, JSON.stringify({ ...connected, ...modelSettings(model) }));
    return {};
  },
};
