import assert from 'node:assert/strict';
import { freePorts } from '../../support/needs/process.ts';
import type { AgentProgram } from '../frame/agent-story.ts';
import { connectByCommand } from './connect.ts';

export const cline: AgentProgram = {
  name: 'Cline',
  program: 'cline',
  inGuide: true,
  command: 'cline --auto-approve true "$PROMPT"',
  refusal: null,
  prepare: async (room, place, model) => {
    // It leaves a process that keeps the settings of its home, and the next one would use it.
    const [port] = await freePorts(1);
    const env = { CLINE_HUB_PORT: String(port) };
    await connectByCommand('Cline', room, place, env);
    // The model of the script, by chat completions.
    const { code, output } = await room.run(`cline auth openai -k none -m scripted -b ${model}/v1`, env);
    assert.equal(code, 0, output);
    return env;
  },
};
