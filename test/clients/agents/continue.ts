import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentProgram } from '../frame/agent-story.ts';
import { writeFileOf } from '../frame/guide.ts';
import { REVOKED } from '../frame/story.ts';

const FILE = '.continue/config.yaml';

/** The model of the script, by chat completions. */
const modelSettings = (model: string) => `
models:
  - name: scripted
    provider: openai
    model: scripted
    apiBase: ${model}/v1
    apiKey: none
    capabilities: [tool_use]
    roles: [chat]
`;

export const continueCli: AgentProgram = {
  name: 'Continue',
  program: 'continue',
  inGuide: true,
  command: 'cn --config .continue/config.yaml --auto -p "$PROMPT"',
  refusal: REVOKED,
  prepare: async (room, place, model) => {
    await writeFileOf(FILE, room, place);
    const connected = await readFile(join(room.home, FILE), 'utf8');
    await room.write(FILE, `${connected}${modelSettings(model)}`);
    return {};
  },
};
