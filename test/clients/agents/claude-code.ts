import type { HookedAgent } from '../frame/hooks.ts';
import { REVOKED } from '../frame/story.ts';
import { connectByCommand } from './connect.ts';

/** The model of the script, by the Messages API. */
const environment = (model: string) => ({
  ANTHROPIC_BASE_URL: model,
  ANTHROPIC_API_KEY: 'none',
  // Otherwise the model has to search for the tools before it can call them.
  ENABLE_TOOL_SEARCH: 'false',
});

const COMMAND = 'claude -p "$PROMPT" --allowedTools mcp__team-memory';

export const claudeCode: HookedAgent = {
  name: 'Claude Code',
  program: 'claude-code',
  inGuide: true,
  command: COMMAND,
  hookName: 'claude-code',
  hookCommand: COMMAND,
  status: 'claude mcp list',
  refusal: REVOKED,
  prepare: async (room, place, model) => {
    await connectByCommand('Claude Code', room, place);
    return environment(model);
  },
};
