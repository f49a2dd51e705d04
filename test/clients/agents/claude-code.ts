import type { AgentProgram } from '../frame/agent-story.ts';
import { connectByCommand } from './connect.ts';

/** The model of the script, by the Messages API. */
const environment = (model: string) => ({
  ANTHROPIC_BASE_URL: model,
  ANTHROPIC_API_KEY: 'none',
  // Otherwise the model has to search for the tools before it can call them.
  ENABLE_TOOL_SEARCH: 'false',
});

export const claudeCode: AgentProgram = {
  name: 'Claude Code',
  program: 'claude-code',
  inGuide: true,
  command: 'claude -p "$PROMPT" --allowedTools mcp__team-memory',
  status: 'claude mcp list',
  refusal: /revoked/,
  prepare: async (room, place, model) => {
    await connectByCommand('Claude Code', room, place);
    return environment(model);
  },
};
