import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { EXAMPLES } from '../../../api/http/openapi/examples.ts';
import { operatorAt } from '../../access/matrix/callers.ts';
import type { Cell, Row, Values } from '../../access/matrix/row.ts';
import { ALL_ROWS } from '../../access/matrix/rows/all.ts';
import { CALLERS, expectedOf, SERVICE_TOKEN } from '../../access/matrix/table.ts';
import { PASSWORD } from '../../access/matrix/targets.ts';
import { World } from '../../access/matrix/world.ts';
import { MAIL_ON, openTestApp } from '../../support/app.ts';
import { type Operation, operationsOf, readDocument } from './document.ts';

/*
 * Sends the example of each operation. The access matrix has a row for each route: the row makes the records that the
 * request needs, and its values replace the fields of the example that have the same names.
 */

const service = await openTestApp(MAIL_ON);
const { app } = service;
const document = await readDocument(app);
const withBody = operationsOf(document).filter(({ example }) => example !== undefined);
const world = await World.open(app, service, 'own');

/** What operations need beyond the values of their rows, by operationId. */
const PREPARED: Readonly<Record<string, (cell: Cell) => Promise<Values>>> = {
  // A claimed batch: its chunk must be in the request.
  completeEmbeddings: async ({ targets, at, caller: { headers } }) => {
    await targets.chunk(at);
    const url = '/v1/memory/embeddings/claim';
    const answer = await app.inject({ method: 'POST', url, headers, payload: { limit: 1 } });
    const { batch } = answer.json<{ batch: { id: string; chunks: { chunkId: string }[] } }>();
    return { batchId: batch.id, chunkId: batch.chunks[0]?.chunkId ?? '' };
  },
};

/** Fields of examples whose values are named otherwise in rows. */
const LISTS: Readonly<Record<string, string>> = { captureIds: 'captureId', ids: 'id' };
const PASSWORDS = ['password', 'currentPassword'];

/** An example with the values of a request in the fields of the same names. */
function fill(example: unknown, values: Values): unknown {
  if (Array.isArray(example)) return example.map((part) => fill(part, values));
  if (typeof example !== 'object' || example === null) return example;
  const fields = Object.entries(example).map(([name, given]) => {
    const item = values[LISTS[name] ?? ''];
    if (item !== undefined) return [name, [item]];
    if (PASSWORDS.includes(name)) return [name, PASSWORD];
    return [name, values[name] ?? fill(given, values)];
  });
  return Object.fromEntries(fields) as object;
}

/** The first row of a route that succeeds for someone, and a caller for whom it does. */
async function findCell(route: string): Promise<{ row: Row; cell: Cell }> {
  for (const row of ALL_ROWS.filter((candidate) => candidate.route === route)) {
    const expected = expectedOf(row);
    const name = CALLERS.toReversed().find(
      (caller) => caller !== 'archived' && expected[caller] === String(row.ok),
    );
    if (name === undefined && row.kind !== SERVICE_TOKEN) continue;
    const { targets, canaries, places } = world;
    if (name === undefined) {
      const caller = operatorAt(places.t);
      return { row, cell: { caller, at: caller.at, foreign: false, targets, canaries } };
    }
    const caller = row.fresh ? await world.newCaller(name) : world.caller(name);
    return { row, cell: { caller, at: caller.at, foreign: false, targets, canaries } };
  }
  throw new Error(`${route}: no row of the access matrix succeeds for a caller`);
}

async function send({ route, id, example }: Operation) {
  const { row, cell } = await findCell(route);
  const values = (await (PREPARED[id] ?? row.values)?.(cell)) ?? {};
  const [method = '', path = ''] = route.split(' ');
  return app.inject({
    method: method as 'POST',
    url: path.replaceAll(/:(\w+)/g, (_match, name: string) => values[name] ?? ''),
    headers: cell.caller.headers,
    payload: fill(example, values) as object,
  });
}

describe('the examples of the OpenAPI document', () => {
  test('every operation with a body has one, and no other', () => {
    const missing = withBody.filter(({ example }) => example === null).map(({ id }) => id);
    assert.deepEqual(missing, [], 'add an example for each to api/http/openapi/examples.ts');
    const ids = withBody.map(({ id }) => id);
    assert.deepEqual(Object.keys(EXAMPLES).sort(), ids.sort());
  });

  for (const operation of withBody) {
    test(`is accepted: ${operation.id}`, async () => {
      const answer = await send(operation);
      const about = `${operation.route}: ${answer.body}`;
      assert.match(String(answer.statusCode), /^2/, about);
      assert.ok(operation.statuses.includes(String(answer.statusCode)), about);
    });
  }
});
