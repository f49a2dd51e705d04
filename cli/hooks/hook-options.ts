import { ALL_LAYERS } from '../client/layers.ts';
import { TEAM_OPTIONS, type Values } from '../program/command.ts';
import { AGENT_NAMES, AGENTS } from './agents.ts';

const AGENT = {
  type: 'string',
  value: 'agent',
  // Not choices: with a newer agent, a hook must not fail.
  examples: AGENTS,
  help: `the agent that calls the hook: ${AGENT_NAMES}`,
} as const;

/** The options of a hook that an agent calls. */
export const HOOK_OPTIONS = {
  agent: AGENT,
  client: {
    type: 'string',
    value: 'client',
    completes: 'client',
    help: 'name or id of a client of that Team; default: the Team layer',
  },
  ...TEAM_OPTIONS,
} as const;
export type HookOptions = Values<typeof HOOK_OPTIONS>;

/** The options of a hook that searches. */
export const RECALL_OPTIONS = {
  ...HOOK_OPTIONS,
  client: {
    ...HOOK_OPTIONS.client,
    examples: [ALL_LAYERS],
    help: `also search the layer of this client, by name or id; ${ALL_LAYERS}: the Team layer and all clients that you can reach`,
  },
} as const;

export const HOOK_NOTES = `The input is the JSON object that the agent sends on standard input. If anything fails, the
hook prints nothing and its exit code is 0, so that it never disturbs the agent. The reason is stored: doctor shows it, and
if a hook has not worked for a day, the next start of a session mentions it once. With MEMORY_HOOK_DEBUG=1, the reason is
also on standard error.

The credential is MEMORY_API_TOKEN from the environment, otherwise the session that login saved; with a profile, it is
the session of the profile. A file .env of the folder is not read, because a repository could name another service in
it.`;
