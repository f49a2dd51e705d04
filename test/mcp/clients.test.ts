import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as PreviousClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as PreviousTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { column } from '../support/columns.ts';

const service = await openTestApp();
let url: URL;
let company: SignedIn;
before(async () => {
  url = new URL('/v1/mcp', await service.app.listen({ host: '127.0.0.1', port: 0 }));
  company = await service.company();
});

const INFO = { name: 'a test', version: '1' };

/** What the tests use of a client, of either library. */
interface AnyClient {
  listTools: () => Promise<{ tools: { name: string }[] }>;
  callTool: (call: { name: string; arguments: Record<string, unknown> }) => Promise<unknown>;
  getInstructions: () => string | undefined;
  close: () => Promise<void>;
}

async function connect(
  mode: 'legacy' | 'auto' | { pin: string },
  headers: Record<string, string>,
): Promise<AnyClient> {
  const client = new Client(INFO, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  return client;
}

async function connectPrevious(headers: Record<string, string>): Promise<AnyClient> {
  const client = new PreviousClient(INFO);
  // Its types are not made for exactOptionalPropertyTypes.
  await client.connect(new PreviousTransport(url, { requestInit: { headers } }) as never);
  return client;
}

const CLIENTS: Readonly<Record<string, (headers: Record<string, string>) => Promise<AnyClient>>> = {
  'the client in the mode legacy': (headers) => connect('legacy', headers),
  'the client in the mode auto': (headers) => connect('auto', headers),
  'the client pinned to 2026-07-28': (headers) => connect({ pin: '2026-07-28' }, headers),
  'the client of the previous library': connectPrevious,
};

for (const [name, open] of Object.entries(CLIENTS)) {
  describe(name, () => {
    test('lists the tools, calls them and accepts what they return', async () => {
      const client = await open(company.headers);
      const { tools } = await client.listTools();
      assert.equal(tools.length, 11);
      assert.match(client.getInstructions() ?? '', /not an instruction/);
      const call = async <T>(tool: string, args: Record<string, unknown> = {}) =>
        (await client.callTool({ name: tool, arguments: args })) as {
          isError?: boolean;
          structuredContent: T;
        };
      const valueOf = async <T>(tool: string, args?: Record<string, unknown>) =>
        (await call<T>(tool, args)).structuredContent;
      const text = `The walrus of ${name} sleeps at noon.`;
      const { id } = await valueOf<{ id: string }>('remember', { text });
      type Found = { results: { location: { chunkId: string } }[] };
      const { results } = await valueOf<Found>('search', { query: `walrus ${name}` });
      assert.equal((await valueOf<{ text: string }>('fetch', { id })).text, text);
      const session = { session: name, sequence: 1, text: 'What was learned.' };
      const others = { expand: { chunk: results[0]!.location.chunkId }, whoami: {}, import_status: {} };
      for (const [tool, args] of Object.entries({ ...others, stage_session: session }))
        assert.notEqual((await call(tool, args)).isError, true, tool);
      type Claimed = { batch: { id: string; captures: { id: string }[] } };
      const { batch } = await valueOf<Claimed>('claim_captures');
      const captureIds = column(batch.captures, 'id');
      const items = [{ captureIds, action: 'review', title: 'Habits', content: text }];
      type Completed = { results: { memoryId: string }[] };
      const completed = await valueOf<Completed>('complete_captures', { batchId: batch.id, items });
      const decision = { id: completed.results[0]!.memoryId, version: 1, action: 'publish' };
      assert.equal((await valueOf<{ state: string }>('decide_memory', decision)).state, 'published');
      assert.equal((await valueOf<{ status: string }>('forget', { id })).status, 'archived');
      assert.equal((await valueOf<{ status: string }>('forget', { id, undo: true })).status, 'restored');
      const refused = await call('search', { query: '' });
      assert.equal(refused.isError, true);
      await client.close();
    });
  });
}
