import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { TOOLS } from '../../api/mcp/tools/index.ts';
import { openTestApp } from '../support/app.ts';
import type { Caller } from '../support/client/client.ts';
import { column } from '../support/columns.ts';
import { lend } from '../support/consolidation.ts';
import { called, callTool, sendMessage } from '../support/mcp.ts';
import { addClient } from '../support/team.ts';

const service = await openTestApp();

interface Found {
  results: { title: string }[];
}
type Answer = { result?: { isError?: boolean; content: { text: string }[] }; error?: { code: number } };

/** Calls a tool with arguments of any kind. */
const send = (company: Caller, name: string, args: unknown) =>
  sendMessage(company, 'tools/call', { name, arguments: args });

describe('null', () => {
  test('counts as absent for every optional argument, for arguments and for params', async () => {
    const company = await service.company();
    for (const [tool, args] of Object.entries({
      search: { query: 'walrus' },
      expand: { chunk: 'x' },
      import_status: {},
      remember: { text: 'The walrus sleeps.' },
      claim_captures: {},
    })) {
      const { input } = TOOLS.find(({ name }) => name === tool)!;
      const nothing = Object.keys(input.properties).map((name) => [name, null] as const);
      assert.ok(nothing.length > 1);
      await called(company, tool, { ...Object.fromEntries(nothing), ...args });
    }
    for (const args of [null, undefined, {}, 'null']) {
      const answer = await send(company, 'whoami', args);
      assert.equal(answer.json<Answer>().result?.isError, undefined, answer.body);
    }
    for (const params of [null, { cursor: null }, { _meta: null }, { _meta: { progressToken: null } }]) {
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/list', params };
      const answer = await company.ask.sendMcpMessage(message);
      assert.ok('result' in answer.json<object>(), answer.body);
    }
    const initialize = {
      protocolVersion: '2025-06-18',
      capabilities: { roots: null, sampling: null },
      clientInfo: { name: 'a test', version: '1', title: null },
    };
    assert.ok('result' in (await sendMessage(company, 'initialize', initialize)).json<object>());
  });

  test('counts as absent inside of lists and objects, and stays in metadata', async () => {
    const company = await service.company();
    const { batchId, captureIds } = await lend(company);
    const item = {
      captureIds,
      action: 'publish',
      title: 'Habits',
      content: 'The walrus sleeps.',
      metadata: { left: null },
      scope: { clientId: null },
      tags: null,
      expiresAt: null,
      supersedes: null,
      embedding: null,
      embeddingModel: null,
      embeddingDim: null,
    };
    type Completed = { results: { memoryId: string }[] };
    const args = { batchId, items: [item] };
    const [result] = (await called<Completed>(company, 'complete_captures', args)).results;
    assert.deepEqual((await company.api.getMemory(result!.memoryId)).metadata, { left: null });
  });
});

describe('a string of JSON', () => {
  test('is read where a number, a list or an object is wanted', async () => {
    const company = await service.company();
    for (const n of [1, 2, 3]) {
      await called(company, 'remember', { text: `The walrus ${n} sleeps.`, tags: '["sea"]' });
    }
    const search = (args: object) => called<Found>(company, 'search', { query: 'walrus', ...args });
    assert.equal((await search({ limit: '2' })).results.length, 2);
    assert.equal((await search({ limit: 'null', kinds: '["ingest"]', tags: ' ["sea"] ' })).results.length, 3);
    assert.equal((await search({ kinds: '["memory"]' })).results.length, 0);
    const answer = await send(company, 'search', '{"query": "walrus", "limit": "1"}');
    const { result } = answer.json<{ result: { structuredContent: Found } }>();
    assert.equal(result.structuredContent.results.length, 1, answer.body);
  });

  test('is read inside of lists and objects too', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const { batchId, captureIds } = await lend(company, [null, null]);
    const item = (index: number) => ({
      captureIds: JSON.stringify([captureIds[index]]),
      action: 'publish',
      title: `Habits ${index}`,
      content: `The walrus ${index} sleeps.`,
      scope: JSON.stringify({ clientId }),
      metadata: '{"left": [1, null]}',
      tags: '["sea"]',
    });
    const items = JSON.stringify([item(0), JSON.stringify(item(1))]);
    type Completed = { results: { state: string }[] };
    const { results } = await called<Completed>(company, 'complete_captures', { batchId, items });
    assert.deepEqual(column(results, 'state'), ['published', 'published']);
    type Located = { results: { location: { clientId: string } }[] };
    const args = { query: 'walrus', client: clientId, tags: '["sea"]' };
    const found = await called<Located>(company, 'search', args);
    for (const { location } of found.results) assert.equal(location.clientId, clientId);
    assert.equal(found.results.length, 2);
  });

  test('that does not parse, or to another kind of value, is an error that names the argument', async () => {
    const company = await service.company();
    for (const [args, path] of [
      [{ limit: 'five' }, '/limit'],
      [{ limit: '' }, '/limit'],
      [{ limit: '5,000' }, '/limit'],
      [{ limit: '1e999' }, '/limit'],
      [{ limit: '51' }, '/limit'],
      [{ limit: '[5]' }, '/limit'],
      [{ limit: 'true' }, '/limit'],
      [{ kinds: 'memory' }, '/kinds'],
      [{ kinds: '["memory"' }, '/kinds'],
      [{ kinds: '{"0": "memory"}' }, '/kinds'],
      [{ kinds: '["walrus"]' }, '/kinds/0'],
      [{ kinds: `${'['.repeat(20_000)}${']'.repeat(20_000)}` }, '/kinds'],
      [{ tags: '["a\\u0000b"]' }, '/tags/0'],
    ] as const) {
      const { text, isError } = await callTool(company, 'search', { query: 'walrus', ...args });
      assert.equal(isError, true, JSON.stringify(args).slice(0, 80));
      assert.ok(text.startsWith(`invalid_request: ${path}: `), text);
    }
  });

  test('stays a text where a text is wanted', async () => {
    const company = await service.company();
    for (const text of ['5', 'null', '["a"]', '{"a": 1}']) {
      const { id } = await called<{ id: string }>(company, 'remember', { text });
      assert.equal((await called<{ text: string }>(company, 'fetch', { id })).text, text);
    }
  });
});

/** The JSON of lists within each other. */
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

describe('arguments that cannot be stored or read', () => {
  const FAULTS: readonly (readonly [args: unknown, path: string])[] = [
    [{ text: 'a\u0000b' }, '/text'],
    [{ text: 'a\ud800b' }, '/text'],
    [{ text: 'walrus', tags: ['a\u0000b'] }, '/tags/0'],
    [{ text: 'walrus', 'a\u0000b': 1 }, '/a\u0000b'],
    [{ text: 'walrus', 'a\udfffb': 1 }, '/a'],
    [JSON.parse('{"text": "walrus", "__proto__": {"a": 1}}'), '/__proto__'],
    [[], '/arguments'],
    ['walrus', '/arguments'],
    [5, '/arguments'],
    [{}, '/text'],
    [{ text: 5 }, '/text'],
  ];

  test('are a result that names the argument, for every revision', async () => {
    const company = await service.company();
    for (const [args, path] of FAULTS) {
      for (const headers of [{}, { 'mcp-protocol-version': '2025-11-25' }]) {
        const call = { name: 'remember', arguments: args };
        const answer = await sendMessage(company, 'tools/call', call, headers);
        assert.equal(answer.statusCode, 200, answer.body);
        const { result } = answer.json<Answer>();
        assert.equal(result?.isError, true, answer.body);
        assert.ok(result.content[0]?.text.startsWith(`invalid_request: ${path}`), answer.body);
      }
    }
  });

  test('are a result if they are nested too deep', async () => {
    const company = await service.company();
    for (const [depth, path] of [
      [31, '/text: must be a string'],
      [32, '/arguments: must not be nested deeper than 32'],
      [9_000, '/arguments: must not be nested deeper than 32'],
    ] as const) {
      const message = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"remember","arguments":{"text":${nested(depth)}}}}`;
      const { result } = (await company.ask.sendMcpMessage(message)).json<Answer>();
      assert.deepEqual(result, {
        isError: true,
        content: [{ type: 'text', text: `invalid_request: ${path}.` }],
      });
    }
  });
});
