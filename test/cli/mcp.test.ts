import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { createAgent } from '../support/agent-tokens.ts';
import { openCli } from './cli-person.ts';
import '../support/needs/command.ts';
import { runnerEnvironment } from '../support/runner-environment.ts';
import { CHECKOUT, closedAddress, type Person } from './cli.ts';

const { service, base, newPerson, openOther, owner } = await openCli();

const client = process.env['MEMORY_TEST_CLIENT'] ?? CHECKOUT;

/** Starts `memory mcp` as an agent does, and closes it after the work. */
async function withClient<Value>(
  { home }: Person,
  env: Record<string, string>,
  mode: 'legacy' | { pin: string },
  work: (agent: Client) => Promise<Value>,
): Promise<Value> {
  const agent = new Client({ name: 'a-test', version: '1.0.0' }, { versionNegotiation: { mode } });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [client, 'mcp'],
    env: { HOME: home, ...runnerEnvironment(), ...env },
    cwd: home,
  });
  await agent.connect(transport);
  return work(agent).finally(() => agent.close());
}

/** Runs the command with these lines as its input, and returns the lines that it prints. */
async function answersTo(person: Person, lines: readonly string[], env: Record<string, string> = {}) {
  const { code, stdout, stderr } = await person.run(['mcp'], { input: lines.join('\n'), env });
  assert.deepEqual([code, stderr], [0, '']);
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { id: unknown; error?: { code: number; message: string } });
}

const message = (method: string, id?: number) =>
  JSON.stringify({ jsonrpc: '2.0', method, ...(id === undefined ? {} : { id }) });

describe('memory mcp', () => {
  for (const mode of ['legacy', { pin: '2026-07-28' }] as const) {
    const revision = mode === 'legacy' ? 'of 2025' : mode.pin;
    test(`passes the tools on in the revision ${revision}, with a session and with an agent token`, async () => {
      const { company, person } = await owner();
      const text = 'The heron of the harbour nests on the crane in dock nine.';
      await company.ask.ingestSource({ title: 'Heron', text });
      const { token } = await createAgent(service, company, company, { permissions: ['memory:read'] });
      const withToken = { MEMORY_API_TOKEN: token, MEMORY_API_PUBLIC_URL: base };
      for (const [someone, env, mayWrite] of [
        [person, {}, true],
        [await newPerson(), withToken, false],
      ] as const) {
        await withClient(someone, env, mode, async (agent) => {
          const { tools } = await agent.listTools();
          assert.equal(
            tools.some(({ name }) => name === 'remember'),
            mayWrite,
          );
          const found = await agent.callTool({ name: 'search', arguments: { query: 'heron dock nine' } });
          assert.match(JSON.stringify(found.content), /nests on the crane/);
        });
      }
    });
  }

  test('answers a message that the service did not answer with the reason, and a notification with nothing', async () => {
    const person = await newPerson();
    const nowhere = await closedAddress(openOther);
    const away = { MEMORY_API_TOKEN: 'a-token-of-this-test', MEMORY_API_PUBLIC_URL: nowhere };
    const wrong = { MEMORY_API_TOKEN: 'a-token-of-this-test', MEMORY_API_PUBLIC_URL: base };
    const breaking = await openOther((_request, response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('{"jsonrpc"', () => response.destroy());
    });
    for (const [env, reason] of [
      [{ ...away, MEMORY_API_PUBLIC_URL: breaking.url }, /the service at .+ cannot be reached/],
      [{}, /not signed in: sign in with memory login/],
      [away, /cannot be reached \(ECONNREFUSED\)/],
      [wrong, /the service refused: unauthenticated: /],
    ] as const) {
      const lines = [message('notifications/initialized'), message('tools/list', 7), 'no JSON'];
      const answers = await answersTo(person, lines, env);
      assert.deepEqual(answers.map(({ id }) => id).sort(), [7, null]);
      const [answer] = answers.filter(({ id }) => id === 7);
      assert.equal(answer?.error?.code, -32_000);
      assert.match(String(answer?.error?.message), reason);
    }
  });

  test('passes an error of the protocol on as it is', async () => {
    const { person } = await owner();
    const [answer] = await answersTo(person, [message('no/such/method', 3)]);
    assert.deepEqual([answer?.id, answer?.error?.code], [3, -32_601]);
  });
});
