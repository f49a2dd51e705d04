import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { addMemories } from '../support/memories.ts';
import { addSource } from '../support/source-library.ts';
import type { Caller } from '../support/team.ts';

const service = await openTestApp();

interface Row {
  id: string;
  title: string;
}

interface Page {
  items: Row[];
  nextCursor: string | null;
}

/** All pages of a list, with so many rows each. `between` runs after each page. */
async function pages(caller: Caller, url: string, limit: number, between = async () => {}): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor = '';
  for (;;) {
    const answer = await caller.send('GET', `${url}&limit=${limit}${cursor}`);
    assert.equal(answer.statusCode, 200, answer.body);
    const { items, nextCursor } = answer.json<Page>();
    rows.push(...items);
    if (nextCursor === null) return rows;
    cursor = `&cursor=${nextCursor}`;
    await between();
  }
}

const titlesOf = (rows: readonly Row[]) => rows.map(({ title }) => title);

/** What each record is sorted by. Times differ by microseconds, which callers do not see. */
const KEYS = [
  { title: 'beta', updated: '2026-01-01T00:00:00.000002Z', found: 2 },
  { title: 'Alpha', updated: '2026-01-01T00:00:00.000001Z', found: 0 },
  { title: 'ÄRGER', updated: '2026-01-01T00:00:00.000003Z', found: 10 },
  { title: 'alpha', updated: '2025-01-01T00:00:00Z', found: 9 },
  { title: '\u{1f40b} whale', updated: '2025-01-01T00:00:00Z', found: 2 },
  { title: '\uff5e tilde', updated: '2024-01-01T00:00:00Z', found: 2 },
] as const;

/** Titles in the order of the list when they ascend. Equal keys are in the order in which they were made. */
const ASCENDING = {
  createdAt: KEYS.map(({ title }) => title),
  title: ['Alpha', 'alpha', 'beta', 'ÄRGER', '\uff5e tilde', '\u{1f40b} whale'],
  updatedAt: ['\uff5e tilde', 'alpha', '\u{1f40b} whale', 'Alpha', 'beta', 'ÄRGER'],
  found: ['Alpha', 'beta', '\u{1f40b} whale', '\uff5e tilde', 'alpha', 'ÄRGER'],
};

async function filledWith(list: 'sources' | 'memories'): Promise<SignedIn> {
  const company = await service.company();
  const table = list === 'sources' ? 'source' : 'memory_item';
  const made =
    list === 'sources'
      ? await KEYS.reduce<Promise<{ id: string }[]>>(
          async (rows, { title }) => [...(await rows), await addSource(company, { title })],
          Promise.resolve([]),
        )
      : await addMemories(
          company,
          'published',
          KEYS.map(({ title }) => ({ title })),
        );
  for (const [n, { updated, found }] of KEYS.entries()) {
    const { id } = made[n]!;
    const [row] = await service.database.query<{ source: string }>(
      `update memory.${table} set updated_at = $2::timestamptz where id = $1
       returning ${list === 'sources' ? 'id' : 'source_id'} as source`,
      [id, updated],
    );
    if (found === 0) continue;
    await service.database.query(
      'insert into memory.source_use (team_id, source_id, found) values ($1, $2, $3)',
      [company.teamId, row!.source, found],
    );
  }
  return company;
}

for (const list of ['sources', 'memories'] as const) {
  describe(`GET /v1/memory/${list}, sorted`, () => {
    test('each order has its rows once, in pages of any size', async () => {
      const company = await filledWith(list);
      for (const [sort, titles] of Object.entries(ASCENDING)) {
        for (const limit of [1, 2, 4, 200]) {
          const url = `/v1/memory/${list}?sort=${sort}`;
          assert.deepEqual(titlesOf(await pages(company, `${url}&order=asc`, limit)), titles, sort);
          assert.deepEqual(
            titlesOf(await pages(company, `${url}&order=desc`, limit)),
            titles.toReversed(),
            sort,
          );
          const byDefault = sort === 'title' ? titles : titles.toReversed();
          assert.deepEqual(titlesOf(await pages(company, url, limit)), byDefault, sort);
        }
      }
    });

    test('a cursor of another order, or one that nobody was given, is refused', async () => {
      const company = await filledWith(list);
      const orders = [
        '',
        'sort=title',
        'sort=title&order=desc',
        'sort=updatedAt',
        'sort=createdAt&order=asc',
      ];
      const ask = (query: string) => company.send('GET', `/v1/memory/${list}?limit=1&${query}`);
      for (const order of orders) {
        const { nextCursor } = (await ask(order)).json<Page>();
        for (const other of orders) {
          const { statusCode } = await ask(`${other}&cursor=${nextCursor}`);
          assert.equal(statusCode, other === order ? 200 : 400, `${order} then ${other}`);
        }
      }
      const id = crypto.randomUUID();
      for (const parts of [
        ['title', false, 1, id],
        ['updatedAt', true, 'now', id],
        ['found', true, '-', id],
        null,
        7,
      ]) {
        const cursor = Buffer.from(JSON.stringify(parts)).toString('base64url');
        assert.equal(
          (await ask(`sort=${Array.isArray(parts) ? parts[0] : 'title'}&cursor=${cursor}`)).statusCode,
          400,
        );
      }
      for (const fault of ['sort=name', 'order=up']) assert.equal((await ask(fault)).statusCode, 400, fault);
    });
  });
}

test('pages by title stay whole while sources are added', async () => {
  const company = await service.company();
  const title = fc.string({ unit: 'binary', minLength: 1, maxLength: 8 });
  const visible = title.map((text) => `a${text.replaceAll('\0', '')}`);
  await fc.assert(
    fc.asyncProperty(
      fc.array(visible, { minLength: 3, maxLength: 6 }),
      fc.integer({ min: 1, max: 4 }),
      async (titles, limit) => {
        const own = new Set<string>();
        for (const one of titles) own.add((await addSource(company, { title: one })).id);
        const whole = await pages(company, '/v1/memory/sources?sort=title', 200);
        const paged = await pages(company, '/v1/memory/sources?sort=title', limit + 3, async () => {
          await addSource(company, { title: 'a new one' });
        });
        const before = new Set(whole.map(({ id }) => id));
        assert.deepEqual(
          paged.filter(({ id }) => before.has(id)),
          whole,
        );
      },
    ),
    { numRuns: 5 },
  );
});
