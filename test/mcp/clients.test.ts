import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as PreviousClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as PreviousTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { openTestApp, type SignedIn } from '../support/app.ts';

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
      const call = (tool: string, args: Record<string, unknown> = {}) =>
        client.callTool({ name: tool, arguments: args }) as Promise<{
          isError?: boolean;
          structuredContent: Record<string, never>;
        }>;
      const text = `The walrus of ${name} sleeps at noon.`;
      const { id } = (await call('remember', { text })).structuredContent;
      const found = await call('search', { query: `walrus ${name}` });
      const [result] = found.structuredContent['results'] as unknown as {
        id: string;
        location: { chunkId: string };
      }[];
      assert.ok(result);
      assert.equal((await call('fetch', { id: id! })).structuredContent['text'], text);
      const session = { session: name, sequence: 1, text: 'What was learned.' };
      const others = { expand: { chunk: result.location.chunkId }, whoami: {}, import_status: {} };
      for (const [tool, args] of Object.entries({ ...others, stage_session: session }))
        assert.notEqual((await call(tool, args)).isError, true, tool);
      const claimed = await call('claim_captures');
      const batch = claimed.structuredContent['batch'] as unknown as {
        id: string;
        captures: { id: string }[];
      };
      const captureIds = batch.captures.map((capture) => capture.id);
      const item = { captureIds, action: 'review', title: 'Habits', content: text };
      const completed = await call('complete_captures', { batchId: batch.id, items: [item] });
      const [{ memoryId } = { memoryId: '' }] = completed.structuredContent['results'] as unknown as {
        memoryId: string;
      }[];
      const decided = await call('decide_memory', { id: memoryId, version: 1, action: 'publish' });
      assert.equal(decided.structuredContent['state'], 'published');
      const forgotten = await call('forget', { id });
      assert.equal(forgotten.structuredContent['status'], 'archived');
      const restored = await call('forget', { id, undo: true });
      assert.equal(restored.structuredContent['status'], 'restored');
      const refused = await call('search', { query: '' });
      assert.equal(refused.isError, true);
      await client.close();
    });
  });
}
