import { homedir } from 'node:os';
import { join } from 'node:path';
import { setting } from '../../client/settings.ts';
import claudeCode from '../../integrations/claude-code/hooks/hooks.json' with { type: 'json' };
import codex from '../../integrations/codex/hooks/hooks.json' with { type: 'json' };
import type { Agent } from '../agents.ts';
import { ownCommand } from '../own-command.ts';

/** A hook in the files of both agents. */
export interface Hook {
  type: string;
  command: string;
  timeout: number;
}

/** The hooks of one event. Without a matcher, they run at each one. */
export interface HookGroup {
  matcher?: string;
  hooks: Hook[];
}

/** The hooks of an agent, by event. */
export type HookGroups = Record<string, HookGroup[]>;

interface Manifest {
  name: string;
  hooks: HookGroups;
  /** The file with the hooks of a user. */
  userFile: () => string;
  /** The file with the hooks of a user in one project, inside its folder. */
  projectFile: string;
  /** The command that removes the plugin with the same hooks. */
  removePlugin: string;
  /** What the user must do after the installation. */
  advice: string;
}

const homeOf = (chosen: string | null, name: string) => chosen ?? join(homedir(), name);

/** What is known about each agent, from its public documents. */
export const MANIFESTS: Readonly<Record<Agent, Manifest>> = {
  'claude-code': {
    name: 'Claude Code',
    hooks: claudeCode.hooks,
    userFile: () => join(homeOf(setting('CLAUDE_CONFIG_DIR'), '.claude'), 'settings.json'),
    // The settings of one user: the commands contain paths of this computer.
    projectFile: join('.claude', 'settings.local.json'),
    removePlugin: 'claude plugin uninstall team-memory',
    advice: 'Sessions that start from now on use them; /hooks lists them.',
  },
  codex: {
    name: 'Codex',
    hooks: codex.hooks,
    userFile: () => join(homeOf(setting('CODEX_HOME'), '.codex'), 'hooks.json'),
    projectFile: join('.codex', 'hooks.json'),
    removePlugin: 'codex plugin remove team-memory@team-memory',
    advice:
      'Codex runs them after you have trusted them: type /hooks in Codex. SessionEnd requires Codex 0.145.',
  },
};

/** How the command of each hook in a manifest begins. */
const MANIFEST_PROGRAM = 'memory ';

/**
 * The hooks of an agent as commands of this program.
 * @param words the options of each hook
 */
export function hooksOf(agent: Agent, words: readonly string[]): HookGroups {
  const groups = Object.entries(MANIFESTS[agent].hooks).map(([event, list]) => {
    const withCommand = (hook: Hook) => ({
      ...hook,
      command: ownCommand(...hook.command.slice(MANIFEST_PROGRAM.length).split(' '), ...words),
    });
    return [event, list.map((group) => ({ ...group, hooks: group.hooks.map(withCommand) }))] as const;
  });
  return Object.fromEntries(groups);
}

/** The events at which the hooks stage a session. */
const STAGING_EVENTS = ['Stop', 'PreCompact', 'SessionEnd'];

/** The hooks that only search. */
export function withoutStaging(groups: HookGroups): HookGroups {
  return Object.fromEntries(Object.entries(groups).filter(([event]) => !STAGING_EVENTS.includes(event)));
}
