import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createAgent } from '../support/agent-tokens.ts';
import { openTestApp } from '../support/app.ts';
import { sendMessage } from '../support/mcp.ts';
import { addPerson, type Caller } from '../support/team.ts';

const service = await openTestApp();

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
