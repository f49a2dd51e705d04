import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import fc from 'fast-check';
import type { Hit } from '../../shared/schemas/search.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { claimBatch, sendCapture, stageCapture } from '../support/captures.ts';
import type { Body } from '../support/client/client.ts';
import { column } from '../support/columns.ts';
import { recordsNothing } from '../support/company.ts';
import { claimAll, complete, completed, lend } from '../support/consolidation.ts';
import { DAYS_APART, dayBefore } from '../support/days.ts';
import { importNow } from '../support/import-now.ts';
import { called, callTool } from '../support/mcp.ts';
import { addMemories, addMemory, decide, decided, listMemories } from '../support/memories.ts';
import { assertInvalid } from '../support/refusals.ts';
import { outcome } from '../support/sign-in.ts';
import { addSource, listSources, readSource } from '../support/source-library.ts';
import { addClient, type Caller } from '../support/team.ts';

/** Searches by keywords in all layers. */
async function searchDated(caller: Caller, body: Body<'searchMemory'>): Promise<Hit[]> {
  return (
    await caller.api.searchMemory({
      embeddingMode: 'keyword',
      scope: { include: ['team', 'client'] },
      topK: 50,
      ...body,
    })
  ).hits;
}

const service = await openTestApp();

/** What a request gives, and what answers show. */
const MOMENTS = [
  ['2024-02-29', '2024-02-29'],
  ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
  ['2024-02-29T23:30:00.1234-01:00', '2024-03-01T00:30:00.123Z'],
  ['0001-01-01', '0001-01-01'],
  ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  [null, null],
] as const;

const [DAY, TIME] = ['2019-05-06', '2021-09-10T11:12:13.140Z'];

describe('occurredAt', () => {
  test('is shown by a source, its list and its hits as it was given: a day as a day, a time in UTC', async () => {
    const company = await service.company();
    for (const [given, shown] of MOMENTS) {
      const { id, occurredAt } = await addSource(company, { occurredAt: given });
      assert.equal(occurredAt, shown);
      const read = await readSource(company, id);
      const [listed] = await listSources(company, '?limit=1');
      const [hit] = await searchDated(company, { query: 'text', sourceIds: [id] });
      assert.deepEqual(
        [read.occurredAt, read.chunks[0]?.occurred_at, listed?.occurredAt, hit?.occurred_at],
        [shown, shown, shown, shown],
      );
    }
    assert.equal((await addSource(company)).occurredAt, null);
  });

  test('is shown by an import, a capture and its claim, and by a memory in every state', async () => {
    const company = await service.company();
    // It counts more than the date of the document.
    const text = 'Subject: The pump\nDate: Wed, 31 Jan 2024 10:20:00 +0000\n\nIt leaks.';
    const imported = await importNow(service, company, { filename: 'a.eml', text, occurredAt: TIME });
    assert.equal(imported.occurredAt, TIME);
    assert.equal((await readSource(company, imported.sourceId!)).occurredAt, TIME);

    const capture = await stageCapture(company, { occurredAt: DAY });
    assert.equal(capture.occurredAt, DAY);
    assert.equal((await stageCapture(company)).occurredAt, null);
    const batch = await claimBatch(company);
    assert.deepEqual(
      batch?.captures.map(({ occurredAt }) => occurredAt),
      [DAY, null],
    );

    for (const state of ['review', 'published'] as const) {
      const memories = await addMemories(company, state, [{ occurredAt: TIME }, { occurredAt: DAY }]);
      assert.deepEqual(column(memories, 'occurredAt'), [TIME, DAY]);
    }
    await stageCapture(company, { occurredAt: DAY });
    const { batchId, captureIds } = await claimAll(company);
    await completed(company, batchId, [{ captureIds, action: 'publish', title: 'A', content: 'B' }]);
    const [ofCapture, ...listed] = await listMemories(company, '?state=published');
    assert.equal(ofCapture?.occurredAt, null, 'it is not taken from a capture');
    const source = await readSource(company, listed[0]!.sourceId!);
    assert.deepEqual([listed[0]?.occurredAt, source.occurredAt], [DAY, DAY]);
  });

  test('is changed by PATCH of a source', async () => {
    const company = await service.company();
    const { id } = await addSource(company, { occurredAt: DAY });
    for (const occurredAt of [TIME, null]) {
      await company.api.changeSource(id, { occurredAt });
      assert.equal((await readSource(company, id)).occurredAt, occurredAt);
      await recordsNothing(service, company, () => company.api.changeSource(id, { occurredAt }));
    }
  });

  test('of a memory is changed by its update, and of its source not by itself', async () => {
    const company = await service.company();
    const memory = await addMemory(company, 'published', { occurredAt: DAY });
    assert.equal(
      outcome(await company.ask.changeSource(memory.sourceId!, { occurredAt: TIME })),
      '409 conflict',
    );
    for (const change of [{ occurredAt: TIME }, { title: 'Other' }]) {
      const updated = await decided(company, { action: 'update', memoryId: memory.id, ...change });
      assert.equal(updated.occurredAt, TIME);
    }
    assert.equal((await readSource(company, memory.sourceId!)).occurredAt, TIME);
    const cleared = { action: 'update', memoryId: memory.id, content: 'A new text.', occurredAt: null };
    assert.equal((await decided(company, cleared)).occurredAt, null);
    assert.equal((await readSource(company, memory.sourceId!)).occurredAt, null);
    const refused = await decide(company, { ...cleared, action: 'discard', content: undefined });
    assertInvalid(refused, '/occurredAt');
  });

  test('finds a source and a memory by its day in UTC, which follows each change', async () => {
    const company = await service.company();
    const today = new Date().toISOString().slice(0, 10);
    const found = async (day: string) => column(await searchDated(company, { query: day }), 'source_id');
    const [first, second, third, fourth] = DAYS_APART as [string, string, string, string];
    const { id } = await addSource(company, { text: 'The walrus.', externalId: 'walrus', occurredAt: first });
    const { id: memoryId, sourceId } = await addMemory(company, 'published', { occurredAt: first });
    assert.deepEqual((await found(first)).sort(), [id, sourceId].sort());
    for (const [occurredAt, day] of [
      [`${dayBefore(second)}T23:30:00-01:00`, second],
      [third, third],
      [null, today],
    ] as const) {
      await company.api.changeSource(id, { occurredAt });
      await decided(company, { action: 'update', memoryId, occurredAt });
      assert.deepEqual((await found(day)).sort(), [id, sourceId].sort(), day);
      assert.deepEqual(await found(first), []);
    }
    // The text stays, and then the day.
    for (const [text, given] of [
      ['The walrus.', { occurredAt: fourth }],
      ['The walrus wakes.', {}],
    ] as const) {
      await company.api.ingestSource({ title: 'A title', externalId: 'walrus', text, ...given });
      assert.deepEqual([await found(fourth), await found(today)], [[id], [sourceId]], text);
    }
  });

  test('stays when a memory is unpublished, published, moved, deleted and restored', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const { id: memoryId, version } = await addMemory(company, 'published', { occurredAt: DAY });
    for (const decision of [
      { action: 'unpublish' },
      { action: 'publish' },
      { action: 'move', clientId },
      { action: 'delete' },
      { action: 'restore', version },
    ]) {
      const memory = await decided(company, { memoryId, ...decision });
      assert.equal(memory.occurredAt, DAY, decision.action);
      const source = await readSource(company, memory.sourceId!);
      assert.equal(source.occurredAt, DAY, decision.action);
    }
  });
});

test('a day that does not exist is 400 that says what to do on every route, and nothing is stored', async () => {
  const company = await service.company();
  const { id } = await addSource(company);
  const { id: memoryId } = await addMemory(company, 'published', {});
  const { batchId, captureIds } = await lend(company);
  const occurredAt = '2024-02-30';
  const item = { captureIds, action: 'publish' as const, title: 'A', content: 'B', occurredAt };
  await recordsNothing(service, company, async () => {
    for (const [answer, field] of [
      [await company.ask.ingestSource({ title: 'A', text: 'B', occurredAt }), '/occurredAt'],
      [
        await company.ask.importFiles({ items: [{ filename: 'a.txt', text: 'A', occurredAt }] }),
        '/items/0/occurredAt',
      ],
      [await sendCapture(company, { occurredAt }), '/occurredAt'],
      [await complete(company, batchId, [item]), '/items/0/occurredAt'],
      [await company.ask.changeSource(id, { occurredAt }), '/occurredAt'],
      [await decide(company, { action: 'update', memoryId, occurredAt }), '/occurredAt'],
      [await company.ask.listSources({ occurredAfter: occurredAt }), '/occurredAfter'],
      [
        await company.ask.searchMemory({ query: 'x', embeddingMode: 'keyword', occurredBefore: occurredAt }),
        '/occurredBefore',
      ],
    ] as const) {
      assertInvalid(answer, field);
      assert.match(answer.json<{ detail: string }>().detail, /must be a day such as/);
    }
  });
});

test('a day in expiresAt counts to its last moment in UTC', async () => {
  const company = await service.company();
  const end = (day: string) => `${day}T23:59:59.999Z`;
  const { id, expiresAt } = await addSource(company, { expiresAt: '2998-03-01' });
  assert.equal(expiresAt, end('2998-03-01'));
  assert.equal(
    (await company.api.changeSource(id, { expiresAt: '2999-03-01' })).expiresAt,
    end('2999-03-01'),
  );
  const items = [{ filename: 'a.txt', text: 'A file.', expiresAt: '2998-03-01' }];
  const [accepted] = (await company.api.importFiles({ items })).imports;
  assert.equal(accepted?.expiresAt, end('2998-03-01'));
  const memory = await addMemory(company, 'published', { expiresAt: '2998-03-01' });
  assert.equal(memory.expiresAt, end('2998-03-01'));
  const renewed = { action: 'renew', memoryId: memory.id, expiresAt: '2999-03-01' };
  assert.equal((await decided(company, renewed)).expiresAt, end('2999-03-01'));
  // Today has not ended yet.
  const today = new Date().toISOString().slice(0, 10);
  assert.equal((await addSource(company, { expiresAt: today })).expiresAt, end(today));
});

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
const EDGES = ['2024-02-28', '2024-02-29', '2024-03-01', '2024-03-02'].flatMap((day) => [
  day,
  `${day}T00:00:00.000Z`,
  `${day}T00:00:00.001Z`,
  `${day}T12:30:00.000Z`,
  `${day}T23:59:59.999Z`,
]);

test('a day and a time are compared as the times that they consist of, whatever bounds them', async () => {
  const moment = fc.constantFrom(...EDGES);
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
    for (const [nth, occurredAt] of EDGES.entries()) {
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
    for (const edge of [EDGES[5]!, EDGES[6]!, EDGES[9]!, EDGES[10]!]) {
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

interface Found {
  results: { id: string; when: string }[];
}

const search = async (company: SignedIn, args: object) =>
  (await called<Found>(company, 'search', { query: 'walrus', ...args })).results;

test('since and until of the tool search compare when it happened, which is `when`', async () => {
  const company = await service.company();
  const dated = await addSource(company, { text: 'A walrus of a day.', occurredAt: '2020-01-31' });
  const timed = await addSource(company, {
    text: 'A walrus of a time.',
    occurredAt: '2020-02-01T10:00:00Z',
  });
  const other = await addSource(company, { text: 'A walrus of today.' });
  const found = async (args: object) => (await search(company, args)).map(({ id }) => id).toSorted();
  const ids = (...sources: { id: string }[]) => sources.map(({ id }) => id).toSorted();
  assert.deepEqual(await found({ since: '2020-01-31', until: ' 2020-02-01 ' }), ids(dated, timed));
  assert.deepEqual(await found({ since: '2020-01-31T23:59:59.999Z' }), ids(dated, timed, other));
  assert.deepEqual(await found({ since: '2020-02-01T10:00:00Z' }), ids(timed, other));
  assert.deepEqual(await found({ until: '2020-01-31T00:00:00Z' }), ids(dated));
  assert.deepEqual(await found({ since: '2020-02-02' }), ids(other));
  assert.deepEqual(await found({ since: '2020-02-02', until: '2020-02-01' }), []);
  const shown = new Map((await search(company, {})).map(({ id, when }) => [id, when]));
  assert.equal(shown.get(dated.id), '2020-01-31');
  assert.equal(shown.get(timed.id), '2020-02-01T10:00:00.000Z');
  assert.ok(Math.abs(Date.parse(shown.get(other.id) ?? '') - Date.parse(other.createdAt)) < 60_000);
  for (const edge of ['since', 'until']) {
    const { text } = await callTool(company, 'search', { query: 'a', [edge]: 'lately' });
    assert.match(text, new RegExp(`^invalid_request: /${edge}: must be a day such as`));
  }
});

test('the tool remember stores when it happened, and a known key keeps it', async () => {
  const company = await service.company();
  const remember = async (args: object) => {
    const answer = await called<{ id: string; status: string }>(company, 'remember', args);
    return [answer.status, (await readSource(company, answer.id)).occurredAt];
  };
  const text = 'The walrus sleeps.';
  assert.deepEqual(await remember({ text, key: 'walrus', occurred: ' 2020-01-31 ' }), [
    'created',
    '2020-01-31',
  ]);
  assert.deepEqual(await remember({ text, key: 'walrus' }), ['duplicate', '2020-01-31']);
  assert.deepEqual(await remember({ text: 'It wakes.', key: 'walrus' }), ['replaced', '2020-01-31']);
  assert.deepEqual(
    await remember({ text: 'It wakes.', key: 'walrus', occurred: '2020-02-01T10:00:00+01:00' }),
    ['replaced', '2020-02-01T09:00:00.000Z'],
  );
  const refused = await callTool(company, 'remember', { text, occurred: '2020-02-30' });
  assert.match(refused.text, /^invalid_request: \/occurred: must be a day such as/);
});
