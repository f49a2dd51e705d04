import assert from 'node:assert/strict';
import type { AgentProgram } from '../frame/agent-story.ts';
import { connectByCommand } from './connect.ts';

export const cline: AgentProgram = {
  name: 'Cline',
  program: 'cline',
  inGuide: true,
  command: 'cline --auto-approve true "$PROMPT"',
  refusal: /revoked/,
  prepare: async (room, place, model) => {
    await connectByCommand('Cline', room, place);
    // The model of the script, by chat completions.
    const { code, output } = await room.run(`cline auth openai -k none -m scripted -b ${model}/v1`);
    assert.equal(code, 0, output);
    return {};
  },
};
