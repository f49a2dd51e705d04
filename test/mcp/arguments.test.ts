import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { TOOLS } from '../../api/mcp/tools/index.ts';
import { createAgent } from '../support/agent-tokens.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { type Caller, callerOf } from '../support/client/client.ts';
import { column } from '../support/columns.ts';
import { lend } from '../support/consolidation.ts';
import { called, callTool, sendMessage, toolOutcome } from '../support/mcp.ts';
import { addClient, addPerson, addTeam, inTeam } from '../support/team.ts';

const service = await openTestApp();

/** Gives a client or a Team a name. */
const rename = (table: 'client' | 'team', id: string, name: string) =>
  service.database.query(`update identity.${table} set name = $2 where id = $1`, [id, name]);

/** The titles that a search for walruses finds, sorted. */
async function found(caller: Caller, args: object): Promise<string[]> {
  type Found = { results: { title: string }[] };
  return column(
    (await called<Found>(caller, 'search', { query: 'walrus', ...args })).results,
    'title',
  ).sort();
}

/** A Team with two clients, and a text in each layer that its title names. */
async function openScene(): Promise<{ company: SignedIn; a: string; b: string }> {
  const company = await service.company();
  const [a, b] = [await addClient(service, company), await addClient(service, company)];
  await rename('client', a, 'Café Älpha');
  await rename('client', b, 'Beta');
  for (const [title, client] of Object.entries({ team: undefined, a, b }))
    await called(company, 'remember', { text: `walrus of ${title}`, title, client });
  return { company, a, b };
}

describe('the argument client', () => {
  test('is absent for the Team layer, an id, a name, or all', async () => {
    const { company, a } = await openScene();
    assert.deepEqual(await found(company, {}), ['team']);
    for (const client of [a, a.toUpperCase(), ' cafe\u0301 ÄLPHA '])
      assert.deepEqual(await found(company, { client }), ['a', 'team']);
    assert.deepEqual(await found(company, { client: 'all' }), ['a', 'b', 'team']);
  });

  test('is never widened if the caller cannot reach the client', async () => {
    const { company, a, b } = await openScene();
    const other = await openScene();
    const archived = await addClient(service, company, 'archived');
    await rename('client', archived, 'Gone');
    const granted = await addPerson(service, company, { teamRole: 'member', clients: { [a]: 'read' } });
    const texts = new Set<string>();
    for (const client of [b, 'Beta', other.a, 'nobody', archived, 'Gone', company.teamId]) {
      const answer = await callTool(granted, 'search', { query: 'walrus', client });
      assert.equal(answer.isError, true, client);
      texts.add(answer.text);
    }
    assert.equal(texts.size, 1, 'the same error, whether or not the client exists');
    assert.match([...texts][0] ?? '', /^scope_forbidden: You cannot reach a client with this id or name/);
  });

  test('must be one client that the caller can write to, in tools that write', async () => {
    const { company, a } = await openScene();
    const reading = await addPerson(service, company, { teamRole: 'member', clients: { [a]: 'read' } });
    for (const [tool, more] of Object.entries({
      remember: {},
      stage_session: { session: 's', sequence: 1 },
    })) {
      const args = { text: `walrus ${tool}`, ...more };
      assert.equal(await toolOutcome(company, tool, { ...args, client: 'all' }), 'invalid_request');
      assert.equal(await toolOutcome(reading, tool, { ...args, client: 'Café Älpha' }), 'scope_forbidden');
    }
    assert.deepEqual(await found(company, { client: 'all' }), ['a', 'b', 'team']);
  });

  test('is all only in small letters, and not if a client has that name', async () => {
    const { company, a, b } = await openScene();
    assert.deepEqual(await found(company, { client: ' all ' }), ['a', 'b', 'team']);
    assert.equal(await toolOutcome(company, 'search', { query: 'walrus', client: 'All' }), 'scope_forbidden');
    await rename('client', a, 'ALL');
    const { text } = await callTool(company, 'search', { query: 'walrus', client: 'all' });
    const told = 'all is also the name of a client. Name it by its id, or rename it to read every client';
    assert.equal(text, `invalid_request: /client: ${told}: ${a}.`);
    assert.deepEqual(await found(company, { client: 'All' }), ['a', 'team']);
    const granted = await addPerson(service, company, { teamRole: 'member', clients: { [b]: 'read' } });
    assert.deepEqual(await found(granted, { client: 'all' }), ['b', 'team']);
  });

  test('is refused with the ids if several clients have the name', async () => {
    const { company, a, b } = await openScene();
    await rename('client', b, 'café älpha');
    const { text } = await callTool(company, 'search', { query: 'walrus', client: 'Café Älpha' });
    const told = 'is the name of several clients. Name one by its id';
    assert.equal(text, `invalid_request: /client: ${told}: ${a}, ${b}.`);
  });
});

describe('the argument team', () => {
  test('selects a Team by id or name, with the clients and rights of the caller there', async () => {
    const { company } = await openScene();
    const teamId = await addTeam(service, company);
    await rename('team', teamId, 'Sales');
    const sales = inTeam(company, teamId);
    const clientId = await addClient(service, { ...company, teamId });
    await called(sales, 'remember', { text: 'walrus of sales', title: 'sales', client: clientId });
    assert.deepEqual(await found(company, { team: 'SALES', client: clientId }), ['sales']);
    assert.deepEqual(await found(company, { team: teamId, client: 'all' }), ['sales']);
    assert.deepEqual(await found(company, { client: 'all' }), ['a', 'b', 'team']);
  });

  test('is refused for a Team out of reach, whether or not it exists, and the Teams in reach are named', async () => {
    const { company } = await openScene();
    const other = await service.company();
    const secret = await addTeam(service, company);
    await rename('team', secret, 'Secret');
    const member = await addPerson(service, company, { teamRole: 'member' });
    const texts = new Set<string>();
    for (const team of [secret, 'Secret', other.teamId, 'nobody']) {
      texts.add((await callTool(member, 'search', { query: 'walrus', team })).text);
    }
    const told = 'You do not have access to this Team. Name one of these';
    assert.deepEqual([...texts], [`team_forbidden: ${told}: Test Team (${company.teamId}).`]);
  });

  test('is the only Team of the caller if neither it nor the header is given; of several, the error names each', async () => {
    const { company } = await openScene();
    const unnamed = callerOf(service.app, { authorization: company.headers.authorization });
    assert.deepEqual(await found(unnamed, {}), ['team']);
    const teamId = await addTeam(service, company);
    const { text } = await callTool(unnamed, 'search', { query: 'walrus' });
    assert.match(text, /^team_required: You have access to several Teams\. Name one, best by its id: /);
    for (const part of [`Test Team (${company.teamId})`, `Another Team (${teamId})`])
      assert.ok(text.includes(part));
    assert.deepEqual(await found(unnamed, { team: 'test team' }), ['team']);
  });

  test('does not make up for a header that names a Team out of reach', async () => {
    const { company } = await openScene();
    const other = await service.company();
    for (const header of [other.teamId, 'nonsense']) {
      const caller = inTeam(company, header);
      assert.equal(await toolOutcome(caller, 'search', { query: 'walrus' }), 'team_forbidden');
    }
  });
});

test('a right that is taken away does not work in the next call', async () => {
  const { company, a } = await openScene();
  const granted = await addPerson(service, company, { teamRole: 'member', clients: { [a]: 'write' } });
  assert.deepEqual(await found(granted, { client: 'all' }), ['a', 'team']);
  await service.database.query('delete from identity.client_grant where client_id = $1', [a]);
  assert.deepEqual(await found(granted, { client: 'all' }), ['team']);
  assert.equal(await toolOutcome(granted, 'search', { query: 'walrus', client: a }), 'scope_forbidden');
});

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

interface Listed {
  name: string;
  inputSchema: Record<string, unknown>;
  outputSchema: Record<string, unknown>;
}

async function listTools(caller: Caller): Promise<Listed[]> {
  const answer = await sendMessage(caller, 'tools/list');
  return answer.json<{ result: { tools: Listed[] } }>().result.tools;
}

/** Keywords that servers on llama.cpp and other clients refuse. */
const REFUSED = new Set(['pattern', 'patternProperties', '$ref', '$defs', 'definitions']);

const COUNTS = new Set(['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties']);

/** The faults of a schema, with their places. `isNames` is true for the fields of an object, whose names are no keywords. */
function faultsOf(schema: unknown, place: string, isNames = false): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) => {
    const at = `${place}/${key}`;
    const isRefused = !isNames && (REFUSED.has(key) || (COUNTS.has(key) && Number(value) > 2_000));
    return [...(isRefused ? [at] : []), ...faultsOf(value, at, !isNames && key === 'properties')];
  });
}

/** The fields of arguments without a description, at any depth. */
function undescribed(schema: unknown, place: string): string[] {
  const {
    properties = {},
    items,
    anyOf = [],
  } = schema as {
    properties?: Record<string, { description?: string }>;
    items?: unknown;
    anyOf?: unknown[];
  };
  return [
    ...Object.entries(properties).flatMap(([name, field]) => [
      ...(field.description === undefined ? [`${place}/${name}`] : []),
      ...undescribed(field, `${place}/${name}`),
    ]),
    ...(items === undefined ? [] : undescribed(items, `${place}/*`)),
    ...anyOf.flatMap((branch) => undescribed(branch, place)),
  ];
}

describe('the schemas that clients see', () => {
  test('have nothing that a client refuses, for every kind of credential', async () => {
    const company = await service.company();
    const callers = [
      company,
      await addPerson(service, company, { teamRole: 'member' }),
      await createAgent(service, company, company),
      await createAgent(service, company, company, { permissions: ['memory:read', 'memory:write'] }),
    ];
    for (const caller of callers) {
      const tools = await listTools(caller);
      assert.ok(tools.length > 0);
      for (const { name, inputSchema, outputSchema } of tools) {
        assert.deepEqual(faultsOf(inputSchema, `${name} input`), []);
        assert.deepEqual(faultsOf(outputSchema, `${name} output`), []);
      }
    }
  });

  test('describe every argument, at any depth', async () => {
    for (const { name, inputSchema } of await listTools(await service.company())) {
      assert.deepEqual(undescribed(inputSchema, name), []);
    }
  });

  test('tell the lengths that they leave out, which the service still checks', async () => {
    const company = await service.company();
    const tools = await listTools(company);
    const search = tools.find(({ name }) => name === 'search');
    const properties = search?.inputSchema['properties'] as { query: { description: string } } | undefined;
    assert.equal(properties?.query.description, 'a question, or words to find; at most 4,000 characters');
    const answer = await sendMessage(company, 'tools/call', {
      name: 'search',
      arguments: { query: 'a'.repeat(4_001) },
    });
    assert.match(answer.body, /invalid_request: \/query: must have 1 to 4000 characters/);
  });
});

describe('the address of the protocol', () => {
  test('checks the credential of another method before the method, and then returns 405', async () => {
    const company = await service.company();
    const revoked = await createAgent(service, company, company);
    await company.api.revokeToken(revoked.record.id);
    for (const method of ['GET', 'DELETE', 'HEAD', 'PUT', 'PATCH'] as const) {
      const send = (headers: Record<string, string>, url = '/v1/mcp') =>
        service.app.inject({ method, url, headers });
      for (const url of ['/v1/mcp', '/v1/mcp/', '/v1/mcp?session=1']) {
        const answer = await send(company.headers, url);
        assert.deepEqual([answer.statusCode, answer.headers['allow']], [405, 'POST'], `${method} ${url}`);
      }
      const without = await send({});
      assert.deepEqual([without.statusCode, without.headers['www-authenticate']], [401, 'Bearer']);
      const refused = await send(revoked.headers);
      assert.equal(refused.headers['www-authenticate'], 'Bearer error="invalid_token"');
      const unknown = await send({}, '/v1/mcp/sessions');
      assert.equal(unknown.statusCode, 404, 'below the address there is no route');
    }
  });
});
