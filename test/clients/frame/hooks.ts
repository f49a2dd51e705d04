import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { CHECKOUT, keepSession } from '../../cli/cli.ts';
import { via } from '../../support/client/client.ts';
import { until } from '../../support/process-table.ts';
import { startModel } from '../model/scripted-model.ts';
import type { AgentProgram } from './agent-story.ts';
import { testsOf } from './results.ts';
import { openRoom, type Room } from './room.ts';
import type { ListeningService } from './service.ts';

/** The terminal client, as one file if the run has written it. */
const CLIENT = process.env['MEMORY_TEST_CLIENT'] ?? CHECKOUT;
/** Longer than it takes to stage a session. */
const STAGED_MS = 60_000;
/** What a person who needs no short answer would set: the machine can be busy. */
const PATIENCE = { MEMORY_HOOK_TIMEOUT_MS: '20000' };

/** An agent that runs hooks. */
export interface HookedAgent extends AgentProgram {
  /** Its name in `memory hook install`. */
  hookName: string;
  /** The command that lets it answer a prompt with hooks that no person has looked at. */
  hookCommand: string;
}

/** Signs the person of a room in, as `memory login` does. */
async function signIn(room: Room, { url, owner }: ListeningService): Promise<void> {
  const sessionFile = join(room.env['XDG_CONFIG_HOME'] ?? '', 'team-memory', 'session.json');
  const { token, ownerEmail: email } = owner;
  const kept = { url, token, email, expiresAt: '2030-01-01T00:00:00.000Z' };
  await keepSession({ home: room.home, sessionFile, run: () => assert.fail() }, kept);
}

/** The texts of all captures that name a word. */
async function stagedWith(word: string, { owner }: ListeningService): Promise<string[]> {
  const answer = await owner.ask.listCaptures({ limit: 200 });
  const { items } = answer.json<{ items: { summary: string | null }[] }>();
  return items.flatMap(({ summary }) => (summary?.includes(word) ? [summary] : []));
}

/** Lets an agent with its hooks answer a prompt. Both recall and staging must work. */
async function runHooked(
  agent: HookedAgent,
  room: Room,
  env: Record<string, string>,
  at: ListeningService,
): Promise<void> {
  const word = `gauge-${randomUUID()}`;
  const stored = { title: word, text: `The tide ${word} of pier 9 waits 40 seconds before it measures.` };
  assert.equal((await via(at.service, at.owner).ask.ingestSource(stored)).statusCode, 201);
  const model = await startModel([]);
  const AGENT_TOKEN = await at.newToken();
  const own = await agent.prepare(room, { mcp: at.mcp, token: AGENT_TOKEN }, model.url);
  const prompt = `How many seconds does the tide ${word} of pier 9 wait before it measures? ${'I want to write it into the manual of the harbour, which has a page for each gauge. '.repeat(3)}`;
  const { output } = await room.run(agent.hookCommand, {
    AGENT_TOKEN,
    ...own,
    ...env,
    ...PATIENCE,
    PROMPT: prompt,
  });
  assert.ok(
    model.asked.some(({ body }) => JSON.stringify(body).includes('waits 40 seconds')),
    `the model was not shown what is stored:\n${output}`,
  );
  await until(AbortSignal.timeout(STAGED_MS), async () => (await stagedWith(word, at)).length > 0);
  const [summary = ''] = await stagedWith(word, at);
  assert.match(summary, /All calls are done/, 'the capture has what the agent said');
}

/** Defines the tests of agents with hooks. */
export function testHooks(kind: string, agents: readonly HookedAgent[], at: ListeningService): void {
  for (const agent of agents) {
    const define = testsOf(kind, agent.name, agent.program);
    const install = async (room: Room, env: Record<string, string>) => {
      const { code, output } = await room.run(`"$NODE" "$CLIENT" hook install ${agent.hookName}`, {
        ...env,
        NODE: process.execPath,
        CLIENT,
      });
      assert.equal(code, 0, output);
    };

    define('hooks with a login', 'recalls and stages by its hooks, with a login', async () => {
      const room = await openRoom(agent.program);
      await signIn(room, at);
      await install(room, {});
      await runHooked(agent, room, {}, at);
    });

    define('hooks with an agent token', 'recalls and stages by its hooks, with an agent token', async () => {
      const room = await openRoom(agent.program);
      const env = { MEMORY_API_TOKEN: await at.newToken(), MEMORY_API_PUBLIC_URL: at.url };
      await install(room, env);
      await runHooked(agent, room, env, at);
    });
  }
}
