import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { column, columns } from '../support/columns.ts';
import { assertSameRefusal } from '../support/refusals.ts';
import { addSource, archived } from '../support/source-library.ts';
import { addClient, addPerson, along, CLAIM } from '../support/team.ts';
import { askForHerons, EVERYWHERE, heronsOf as hitsOf } from './heron-search.ts';

const service = await openTestApp();
const { database } = service;

/** A query without words, so only the vector decides. */
const NO_WORDS = '?!';

/** Sets the time at which the chunks of a source were created. */
function setTime(sourceId: string, at: string) {
  return database.query('update memory.chunk set created_at = $2::timestamptz where source_id = $1', [
    sourceId,
    at,
  ]);
}

// All combinations of filters, in every scope, are tested in test/db/search/wide-filters.test.ts.
test('the filters kinds and sourceIds return only these chunks, also with ids in upper case and repeated', async () => {
  const company = await service.company();
  const ids: string[] = [];
  for (const kind of ['ingest', 'import', 'memory'] as const) {
    const { id } = await addSource(company, { text: `heron ${kind}` });
    await database.query('update memory.source set kind = $2 where id = $1', [id, kind]);
    ids.push(id);
    const found = await hitsOf(company, { kinds: [kind] });
    assert.deepEqual(columns(found, 'source_id', 'kind'), [[id, kind]]);
  }
  const [first = '', second = '', third = ''] = ids;
  const found = async (filters: object) => column(await hitsOf(company, filters), 'source_id').sort();
  assert.deepEqual(await found({ kinds: ['import', 'memory'] }), [second, third].sort());
  assert.deepEqual(await found({ sourceIds: [first.toUpperCase(), first, third] }), [first, third].sort());
  assert.deepEqual(await found({ kinds: ['import', 'memory'], sourceIds: [first, third] }), [third]);
});

describe('the filters createdAfter and createdBefore', () => {
  test('createdAfter and createdBefore exclude a chunk at the bound, whatever its microseconds', async () => {
    const company = await service.company();
    for (const micros of ['000', '001', '999']) {
      const { id } = await addSource(company, { text: `heron ${micros}` });
      await setTime(id, `2025-03-01T08:00:00.123${micros}Z`);
      const [hit] = await hitsOf(company, { sourceIds: [id] });
      assert.equal(hit?.created_at, '2025-03-01T08:00:00.123Z');
      const count = async (bounds: object) => (await hitsOf(company, { sourceIds: [id], ...bounds })).length;
      const bounds = [
        { createdAfter: hit.created_at },
        { createdBefore: hit.created_at },
        { createdAfter: '2025-03-01T08:00:00.122Z' },
        { createdBefore: '2025-03-01T08:00:00.124Z' },
        // The same bound and the one before, in other time zones.
        { createdAfter: '2025-03-01T10:00:00.123+02:00' },
        { createdBefore: '2025-03-01T03:00:00.124-05:00' },
      ];
      assert.deepEqual(await Promise.all(bounds.map(count)), [0, 0, 1, 1, 0, 1], micros);
    }
  });
});

describe('minSimilarity', () => {
  /** Cosines to `along(0)` of 1, some 0.8 and some 0.3, of 0 and of -1. */
  const vectors: Record<string, number[]> = {
    same: along(0),
    near: along(0, 0.8).with(1, 0.6),
    far: along(0, 0.3).with(1, Math.sqrt(1 - 0.09)),
    across: along(2),
    opposite: along(0, -1),
  };
  let company: SignedIn;
  before(async () => {
    company = await service.company();
    const chunks = Object.entries(vectors).map(([text, embedding]) => ({ text, embedding }));
    await addSource(company, { chunks: [...chunks, { text: 'without a vector' }], ...CLAIM });
  });
  const near = { query: NO_WORDS, queryEmbedding: along(0) };

  test('minSimilarity excludes chunks with a lower cosine from the vector leg', async () => {
    for (const [minSimilarity, expected] of [
      [-1, ['same', 'near', 'far', 'across', 'opposite']],
      [-0.5, ['same', 'near', 'far', 'across']],
      [0, ['same', 'near', 'far', 'across']],
      [0.5, ['same', 'near']],
      [1, ['same']],
    ] as const) {
      const hits = await hitsOf(company, { ...near, minSimilarity });
      assert.deepEqual(column(hits, 'text'), expected, `${minSimilarity}`);
    }
  });

  test('minSimilarity keeps keyword hits with a lower cosine, without a semantic rank', async () => {
    const hits = await hitsOf(company, { ...near, query: 'far near without', minSimilarity: 0.5 });
    const legs = hits.map(
      (hit) => [hit.text, hit.semantic_rank !== null, hit.keyword_rank !== null] as const,
    );
    assert.deepEqual(
      legs.toSorted(([a], [b]) => (a < b ? -1 : 1)),
      [
        ['far', false, true],
        ['near', true, true],
        ['same', true, false],
        ['without a vector', false, true],
      ],
    );
  });
});

describe('the filter sourceIds', () => {
  async function cast() {
    const company = await service.company();
    const [mine, other] = [await addClient(service, company), await addClient(service, company)];
    const add = async (clientId?: string) =>
      (await addSource(company, { text: `heron ${newId()}`, scope: { clientId } })).id;
    const sources = { inTeam: await add(), inMine: await add(mine), inOther: await add(other) };
    const member = await addPerson(service, company, { teamRole: 'member', clients: { [mine]: 'read' } });
    return { company, mine, member, ...sources };
  }

  test('finds nothing in a source that is outside the scope or archived', async () => {
    const { company, mine, inTeam, inMine, member } = await cast();
    const found = async (sourceIds: string[], scope: object) =>
      column(await hitsOf(member, { sourceIds, scope }), 'source_id');
    assert.deepEqual(await found([inMine], {}), []);
    assert.deepEqual(await found([inTeam], { clientId: mine, include: ['client'] }), []);
    assert.deepEqual(await found([inTeam, inMine], {}), [inTeam]);
    assert.deepEqual(await found([inMine], { clientId: mine }), [inMine]);
    await archived(company, inMine);
    assert.deepEqual(await found([inMine, inTeam], EVERYWHERE), [inTeam]);
  });

  test('returns the same 404 for a source out of reach, one that is being written and one that does not exist', async () => {
    const { company, mine, inTeam, inMine, inOther, member } = await cast();
    const loading = (await addSource(company, { text: 'heron' })).id;
    await database.query(`update memory.source set state = 'loading' where id = $1`, [loading]);
    const elsewhere = (await addSource(await service.company())).id;
    const absent = [inOther, loading, elsewhere, newId(), 'nonsense', '', `${inTeam} `, mine];
    await assertSameRefusal(
      '404 not_found',
      absent.flatMap((id) =>
        [{}, { clientId: mine }, EVERYWHERE].map((scope) =>
          askForHerons(member, { sourceIds: [inTeam, id, inMine], scope }),
        ),
      ),
    );
    assert.equal((await hitsOf(company, { sourceIds: [inOther] })).length, 1, 'the Owner reaches it');
  });
});
