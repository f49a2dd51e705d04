import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { OpenAPIV3_1 } from 'openapi-types';
import { MAX_TOTAL } from '../../shared/schemas/common.ts';
import type { Row } from './matrix/row.ts';
import { CALLERS, expectedOf } from './matrix/table.ts';
import { openAccess } from './matrix/test-access.ts';
import { titleOf } from './matrix/walk.ts';

/*
 * `count=true` of every list. The world of the access matrix has records that some callers cannot see, in other layers, Teams
 * and Companies, and of every state, so a number that counts them differs from what the pages show.
 */

const { world, walk, rows, database } = await openAccess('own');
const { app } = world;
// What the world lacks: tokens of the callers, and tags, of which each layer has some of its own.
for (const row of rows.filter(({ route }) => route === 'POST /v1/auth/tokens')) await walk.ask(row);
await database.query(`update memory.source set tags = array['all', kind, layer_id::text]`);

interface ListPage {
  items: unknown[];
  nextCursor: string | null;
  total?: number | null;
  totalAtLeast?: number;
}

/** The routes whose answer has `items` and `nextCursor`, as the rows name them. */
async function listRoutes(): Promise<string[]> {
  const document = (await app.inject('/v1/openapi.json')).json<OpenAPIV3_1.Document>();
  return Object.entries(document.paths ?? {}).flatMap(([path, item]) => {
    const answer = item?.get?.responses?.['200'] as OpenAPIV3_1.ResponseObject | undefined;
    const schema = answer?.content?.['application/json']?.schema as { $ref?: string } | undefined;
    const name = schema?.$ref?.split('/').at(-1) ?? '';
    const shown = (document.components?.schemas?.[name] ?? schema ?? {}) as OpenAPIV3_1.SchemaObject;
    const fields = Object.keys(shown.properties ?? {});
    const isList = fields.includes('items') && fields.includes('nextCursor');
    return isList ? [`GET ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`] : [];
  });
}

async function read(url: string, headers: Record<string, string>): Promise<ListPage> {
  const answer = await app.inject({ url, headers });
  assert.equal(answer.statusCode, 200, answer.body);
  return answer.json<ListPage>();
}

const ROUTES = await listRoutes();
const callersOf = (row: Row) => {
  const expected: Record<string, string> = expectedOf(row);
  return CALLERS.filter((name) => expected[name] === String(row.ok));
};
/** The rows of lists, without those that nobody can read. */
const LISTS = rows.filter((row) => ROUTES.includes(row.route) && callersOf(row).length > 0);
const withQuery = (url: string, query: string) => `${url}${url.includes('?') ? '&' : '?'}${query}`;

/** Asserts that the first page and the second one have the number of what all pages show. */
async function assertCounted(row: Row): Promise<number> {
  let most = 0;
  for (const { caller, request } of await walk.requestsOf(row, callersOf(row))) {
    const { headers } = request;
    const url = request.url.replace(/([?&])limit=\d+&?/, '$1');
    let shown = 0;
    let counted: number | null | undefined;
    for (let cursor: string | null = '', pages = 0; cursor !== null && pages < 1000; pages += 1) {
      const place = cursor === '' ? '' : `&cursor=${cursor}`;
      const page: ListPage = await read(
        withQuery(url, `limit=${pages === 0 ? 1 : 200}&count=true${place}`),
        headers,
      );
      assert.equal(page.totalAtLeast, undefined);
      assert.equal(page.total, counted ?? page.total, `a later page of ${titleOf(row)} as ${caller}`);
      counted = page.total;
      shown += page.items.length;
      cursor = page.nextCursor;
    }
    assert.equal(counted, shown, `${titleOf(row)} as ${caller}`);
    most = Math.max(most, shown);
  }
  return most;
}

describe('count=true', () => {
  test('every list of the OpenAPI document is tested here', () => {
    // No caller of the matrix can read the list of the operator: see test/companies/companies.test.ts.
    const listed = [...LISTS.map(({ route }) => route), 'GET /v1/companies'];
    assert.deepEqual([...new Set(listed)].sort(), ROUTES.toSorted());
    assert.ok(ROUTES.length >= 22, String(ROUTES.length));
  });

  for (const row of LISTS) {
    test(`is how many records the caller can page through: ${titleOf(row)}`, async () => {
      assert.ok((await assertCounted(row)) > 0, 'nobody has a record in this list');
    });
  }

  test('the list has no total without it, and another value is refused', async () => {
    for (const row of LISTS) {
      const [{ request } = {}] = await walk.requestsOf(row, callersOf(row).slice(0, 1));
      assert.ok(request, titleOf(row));
      for (const query of ['', 'count=false']) {
        const page = await read(withQuery(request.url, query), request.headers);
        assert.ok(!('total' in page || 'totalAtLeast' in page), titleOf(row));
      }
      const answer = await app.inject({ ...request, url: withQuery(request.url, 'count=1') });
      assert.equal(answer.json<{ code?: string }>().code, 'invalid_request', titleOf(row));
    }
  });

  test(`is null above ${MAX_TOTAL}, and that of the list also if the page is empty`, async () => {
    const row = LISTS.find(({ route }) => route === 'GET /v1/memory/imports');
    const [{ request } = {}] = row === undefined ? [] : await walk.requestsOf(row, ['Owner']);
    assert.ok(request);
    const count = async (place = '') => {
      const page = await read(withQuery(request.url, `count=true${place}`), request.headers);
      return { shown: page.items.length > 0, total: page.total, totalAtLeast: page.totalAtLeast };
    };
    const add = (number: number) =>
      database.query(
        `insert into memory.import (team_id, id, layer_id, state, filename, title, media_type, bytes, attempts, created_by)
         select $1, gen_random_uuid(), $1, 'cancelled', 'a.txt', 'a.txt', 'text/plain', 1, 1, $2 from generate_series(1, $3::int)`,
        [world.places.t.teamId, world.places.t.ownerId, number],
      );
    const { total } = await count();
    assert.ok(typeof total === 'number');
    await add(MAX_TOTAL - total);
    assert.deepEqual(await count(), { shown: true, total: MAX_TOTAL, totalAtLeast: undefined });
    const end = Buffer.from('00000000-0000-7000-8000-000000000000', 'latin1').toString('base64url');
    assert.deepEqual(await count(`&cursor=${end}`), {
      shown: false,
      total: MAX_TOTAL,
      totalAtLeast: undefined,
    });
    await add(1);
    assert.deepEqual(await count(), { shown: true, total: null, totalAtLeast: MAX_TOTAL });
  });
});
