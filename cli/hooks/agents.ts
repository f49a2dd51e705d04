/** The coding agents whose hooks can be installed. */
export const AGENTS = ['claude-code', 'codex'] as const;
export type Agent = (typeof AGENTS)[number];

export const AGENT_NAMES = AGENTS.join(' or ');

export function isAgent(name: string | undefined): name is Agent {
  return AGENTS.some((agent) => agent === name);
}
