import { createInterface } from 'node:readline';
import { type Fields, fields, parseRecord } from '../client/private-file.ts';
import { sendRequest } from '../client/service-client.ts';
import { isToken } from '../client/settings.ts';
import { chosenTeam, findAccess } from '../client/signed-in.ts';
import { type Command, TEAM_OPTIONS, type Values } from '../program/command.ts';
import { CommandError } from '../terminal/command-error.ts';
import type { Result } from '../terminal/output.ts';

type Given = Values<typeof TEAM_OPTIONS>;

/** Longer than the service works on one message. */
const TIMEOUT_MS = 120_000;
/** The error of a message that the service did not answer, from the range that JSON-RPC leaves to implementations. */
const NOT_ANSWERED = -32_000;
/** Where a message of the revision of 2026 names its revision. */
const REVISION = 'io.modelcontextprotocol/protocolVersion';

/**
 * The headers that the protocol derives from a message.
 * @param agreed the revision of 2025 that `initialize` agreed on; null before that
 */
function protocolHeaders({ method, params }: Fields, agreed: string | null): Record<string, string> {
  const { _meta, name, uri } = fields(params);
  const revision = fields(_meta)[REVISION];
  if (typeof revision !== 'string') return agreed === null ? {} : { 'mcp-protocol-version': agreed };
  const subject = name ?? uri;
  return {
    'mcp-protocol-version': revision,
    'mcp-method': String(method),
    // A header cannot have every character of a name, and no name of the service needs more.
    ...(typeof subject === 'string' && isToken(subject) ? { 'mcp-name': subject } : {}),
  };
}

/** What the service said instead of an answer of the protocol. */
function refusalOf({ status }: Response, body: Fields, url: string): CommandError {
  const { code, detail } = body;
  return new CommandError(
    typeof code === 'string'
      ? `the service refused: ${code}: ${String(detail)}`
      : `${url} answered ${status}, but not as this service does`,
  );
}

/**
 * Sends a message to the service. The credential is looked up each time, so that a new sign-in counts at once.
 * @returns the answer; null for a notification, which has none
 * @throws CommandError
 */
async function send(given: Given, message: Fields, agreed: string | null): Promise<Fields | null> {
  const access = await findAccess(given);
  const { url, credential } = access;
  const team = await chosenTeam(access, given.team);
  const { response, text } = await sendRequest(url, '/v1/mcp', TIMEOUT_MS, {
    method: 'POST',
    redirect: 'manual',
    headers: {
      authorization: `Bearer ${credential.token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(team === null ? {} : { 'memory-team': team }),
      ...protocolHeaders(message, agreed),
    },
    body: JSON.stringify(message),
  });
  if (response.status === 202) return null;
  const body = parseRecord(text) ?? {};
  if (body['jsonrpc'] !== '2.0') throw refusalOf(response, body, url);
  return body;
}

/** Passes messages on, one on each line of standard input, and prints the answers, until the input ends. */
async function passOn(given: Given): Promise<void> {
  let agreed: string | null = null;
  const print = (answer: Fields) => process.stdout.write(`${JSON.stringify(answer)}\n`);
  const handle = async (line: string) => {
    const message = parseRecord(line);
    const id = message?.['id'] ?? null;
    try {
      if (message === null) throw new CommandError('expected one JSON object on each line');
      const answer = await send(given, message, agreed);
      const { protocolVersion } = fields(answer?.['result']);
      if (message['method'] === 'initialize' && typeof protocolVersion === 'string') agreed = protocolVersion;
      if (answer !== null) print(answer);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      // A notification has no id, and gets no answer.
      if (message === null || id !== null)
        print({ jsonrpc: '2.0', id, error: { code: NOT_ANSWERED, message: error.message } });
    }
  };
  const running = new Set<Promise<void>>();
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    if (line.trim() === '') continue;
    const handled = handle(line);
    running.add(handled);
    void handled.finally(() => running.delete(handled));
  }
  await Promise.all(running);
}

export const mcp: Command<typeof TEAM_OPTIONS> = {
  section: 'agent',
  summary: 'serve the tools of the service to an agent that starts this command',
  about: `Serves the Model Context Protocol (MCP) on standard input and output, for an agent that starts its MCP servers as
commands: it passes each message on to /v1/mcp of the service. The plugins for coding agents use it.`,
  options: TEAM_OPTIONS,
  notes: `The credential is MEMORY_API_TOKEN from the environment, otherwise the session that login saved; with a profile,
it is the session of the profile. It is looked up for each message. A file .env of the folder is not read, because a
repository could name another service in it.`,
  ignoresEnvironmentFile: true,
  async run(values): Promise<Result> {
    await passOn(values);
    return { text: '', data: {} };
  },
};
