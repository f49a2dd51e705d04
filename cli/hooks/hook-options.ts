import { parseRecord } from '../client/private-file.ts';
import { ALL_LAYERS } from '../client/signed-in.ts';
import { TEAM_OPTIONS, type Values } from '../program/command.ts';
import { CommandError } from '../terminal/command-error.ts';

/** The coding agents whose hooks can be installed. */
export const AGENTS = ['claude-code', 'codex'] as const;
export type Agent = (typeof AGENTS)[number];

export const AGENT_NAMES = AGENTS.join(' or ');

export function isAgent(name: string | undefined): name is Agent {
  return AGENTS.some((agent) => agent === name);
}

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

/** A word that no shell changes. */
const PLAIN_WORD = /^[\w@%+=:,./-]+$/;

/** A word for the shell that runs hooks: `sh`, or on Windows `cmd`. */
export function shellWord(word: string): string {
  if (PLAIN_WORD.test(word)) return word;
  return process.platform === 'win32' ? `"${word}"` : `'${word.replaceAll("'", "'\\''")}'`;
}

/**
 * A command line of this program that works in any folder: with the paths of Node and of the program, because what npx
 * or a project has installed is not on the path of the agent.
 */
export function ownCommand(...words: string[]): string {
  return [process.execPath, process.argv[1] ?? '', ...words].map(shellWord).join(' ');
}

/** What an agent sends to a hook. Both agents use the same names. A field that is missing or has another type is ''. */
export interface HookInput {
  sessionId: string;
  transcriptPath: string;
  cwd: string;
  prompt: string;
}

/** More than any prompt. */
const MAX_INPUT_BYTES = 8 * 1024 * 1024;

/**
 * Reads the JSON object that an agent sends on standard input.
 * @throws CommandError
 */
export async function readHookInput(): Promise<HookInput> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_INPUT_BYTES) throw new CommandError('standard input is too long for a hook');
    chunks.push(chunk);
  }
  const record = parseRecord(Buffer.concat(chunks).toString('utf8'));
  if (record === null) throw new CommandError('standard input: expected the JSON object of a hook');
  const text = (name: string) => (typeof record[name] === 'string' ? record[name] : '');
  return {
    sessionId: text('session_id'),
    transcriptPath: text('transcript_path'),
    cwd: text('cwd'),
    prompt: text('prompt'),
  };
}
