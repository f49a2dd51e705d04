import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import fc from 'fast-check';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import { column } from '../../support/columns.ts';
import { importNow } from '../../support/import-now.ts';
import { addSource, listSources, readSource } from '../../support/source-library.ts';
import { addClient } from '../../support/team.ts';
import { searchDated } from './dated-sources.ts';

const service = await openTestApp();
const { database } = service;

interface Bounds {
  occurredAfter?: string;
  occurredBefore?: string;
}

/** The first and the last millisecond of a day or a time. */
function span(moment: string): [number, number] {
  const first = Date.parse(moment);
  return moment.length === 10 ? [first, first + 86_399_999] : [first, first];
}

/** Whether one of the times of a moment is within bounds that are days or times. */
function isWithin(moment: string, { occurredAfter, occurredBefore }: Bounds): boolean {
  const [first, last] = span(moment);
  return (
    (occurredAfter === undefined || last >= span(occurredAfter)[0]) &&
    (occurredBefore === undefined || first <= span(occurredBefore)[1])
  );
}

/** What lies at, beside and between the edges of some days. */
const MOMENTS = ['2024-02-28', '2024-02-29', '2024-03-01', '2024-03-02'].flatMap((day) => [
  day,
  `${day}T00:00:00.000Z`,
  `${day}T00:00:00.001Z`,
  `${day}T12:30:00.000Z`,
  `${day}T23:59:59.999Z`,
]);

test('a day and a time are compared as the times that they consist of, whatever bounds them', async () => {
  const moment = fc.constantFrom(...MOMENTS);
  const bound = fc.option(moment, { nil: undefined });
  const cases = fc.array(fc.tuple(moment, bound, bound), { minLength: 300, maxLength: 300 });
  await fc.assert(
    fc.asyncProperty(cases, async (given) => {
      const passed = await database.query<{ passes: boolean }>(
        `select memory.is_dated_within(g.at, g.is_day, g.after, g.before) as passes
           from unnest($1::timestamptz[], $2::boolean[], $3::timestamptz[], $4::timestamptz[])
                with ordinality g (at, is_day, after, before, nth) order by g.nth`,
        [
          given.map(([at]) => new Date(at)),
          // Without a date, it is null: the time of creation counts.
          given.map(([at], nth) => at.length === 10 || (nth % 2 === 0 ? false : null)),
          given.map(([, after]) => (after === undefined ? null : new Date(span(after)[0]))),
          given.map(([, , until]) => (until === undefined ? null : new Date(span(until)[1]))),
        ],
      );
      const expected = given.map(([at, after, until]) =>
        isWithin(at, {
          ...(after !== undefined && { occurredAfter: after }),
          ...(until !== undefined && { occurredBefore: until }),
        }),
      );
      assert.deepEqual(column(passed, 'passes'), expected);
    }),
    { numRuns: 10 },
  );
});

describe('occurredAfter and occurredBefore', () => {
  let company: SignedIn;
  const dates = new Map<string, string>();
  before(async () => {
    company = await service.company();
    const clientId = await addClient(service, company);
    for (const [nth, occurredAt] of MOMENTS.entries()) {
      const scope = nth % 3 === 0 ? { clientId } : {};
      const { id } = await addSource(company, { text: `heron ${nth}`, occurredAt, scope });
      dates.set(id, occurredAt);
    }
    // Created at a time that times in milliseconds cannot tell apart from the one after it.
    const { id } = await addSource(company, { text: 'heron of an unknown day' });
    await database.query(
      `update memory.source set created_at = '2024-02-29T23:59:59.999987Z' where id = $1`,
      [id],
    );
    dates.set(id, '2024-02-29T23:59:59.999Z');
  });

  const expected = (bounds: Bounds) =>
    [...dates].filter(([, date]) => isWithin(date, bounds)).map(([id]) => id);

  async function assertFound(bounds: Bounds, filters: object = {}): Promise<void> {
    const ids = expected(bounds).toSorted();
    const hits = await searchDated(company, { query: 'heron', ...bounds, ...filters });
    assert.deepEqual(column(hits, 'source_id').toSorted(), ids, JSON.stringify(bounds));
    const query = new URLSearchParams({ limit: '200', ...bounds });
    const listed = await listSources(company, `?${query.toString()}`);
    assert.deepEqual(column(listed, 'id').toSorted(), ids, `list, ${query.toString()}`);
  }

  test('are inclusive, and a day counts from its first to its last moment', async () => {
    for (const edge of [MOMENTS[5]!, MOMENTS[6]!, MOMENTS[9]!, MOMENTS[10]!]) {
      await assertFound({ occurredAfter: edge });
      await assertFound({ occurredBefore: edge });
      await assertFound({ occurredAfter: edge, occurredBefore: edge });
    }
    await assertFound({ occurredAfter: '0001-01-01', occurredBefore: '9999-12-31' });
    await assertFound({
      occurredAfter: '2024-02-29T13:00:00+01:00',
      occurredBefore: '2024-03-01T01:00:00+02:00',
    });
  });

  test('narrow a search together with other filters', async () => {
    const bounds = { occurredAfter: '2024-02-29', occurredBefore: '2024-03-01' };
    await assertFound(bounds, { kinds: ['ingest'], createdAfter: '2001-01-01T00:00:00Z' });
    const some = expected(bounds).slice(0, 3);
    const hits = await searchDated(company, { query: 'heron', ...bounds, sourceIds: some });
    assert.deepEqual(column(hits, 'source_id').toSorted(), some.toSorted());
    for (const none of [{ kinds: ['memory'] }, { tags: ['none'] }]) {
      assert.deepEqual(await searchDated(company, { query: 'heron', ...bounds, ...none }), []);
    }
  });

  test('find what was not there before, once the date of a source is another one', async () => {
    const { id } = await addSource(company, {
      text: 'heron that was dated wrongly',
      occurredAt: '1999-12-31',
    });
    const bounds = { occurredAfter: '1999-01-01', occurredBefore: '1999-12-31T00:00:00Z' };
    const found = async () => column(await searchDated(company, { query: 'heron', ...bounds }), 'source_id');
    assert.deepEqual(await found(), [id]);
    await company.api.changeSource(id, { occurredAt: null });
    assert.deepEqual(await found(), []);
    assert.deepEqual(await listSources(company, `?${new URLSearchParams(bounds).toString()}`), []);
    await company.api.changeSource(id, { occurredAt: '2024-02-27' });
    dates.set(id, '2024-02-27');
    await assertFound({ occurredBefore: '2024-02-27' });
  });

  test('compare the date of the document of an import', async () => {
    const other = await service.company();
    const text = 'Subject: Pump\nDate: Wed, 31 Jan 2024 10:20:00 +0000\n\nThe pump leaks.';
    const { occurredAt, sourceId } = await importNow(service, other, { filename: 'pump.eml', text });
    assert.equal(occurredAt, null);
    assert.equal((await readSource(other, sourceId!)).occurredAt, '2024-01-31');
    const count = async (bounds: Bounds) => (await searchDated(other, { query: 'pump', ...bounds })).length;
    assert.equal(await count({ occurredAfter: '2024-01-31', occurredBefore: '2024-01-31' }), 1);
    assert.equal(await count({ occurredAfter: '2024-01-31T23:59:59.999Z' }), 1);
    assert.equal(await count({ occurredAfter: '2024-02-01' }), 0);
  });
});
