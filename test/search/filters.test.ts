import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import type { Hit } from '../../shared/schemas/search.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { column } from '../support/columns.ts';
import { keep } from '../support/consolidation.ts';
import { assertInvalid, assertSameRefusal } from '../support/refusals.ts';
import { addSource, archived } from '../support/source-library.ts';
import { addClient, addPerson, along, type Caller, CLAIM } from '../support/team.ts';
import { addImported, askForHerons, EVERYWHERE, heronsOf } from './heron-search.ts';

const service = await openTestApp();
const { database } = service;

/** A query without words, so only the vector decides. */
const NO_WORDS = '?!';
const hitsOf = heronsOf;

async function textsOf(caller: Caller, body: object): Promise<string[]> {
  return (await hitsOf(caller, body)).map((hit) => hit.text).sort();
}

/** Sets the time at which the chunks of a source were created. */
function setTime(sourceId: string, at: string) {
  return database.query('update memory.chunk set created_at = $2::timestamptz where source_id = $1', [
    sourceId,
    at,
  ]);
}

const DAYS = ['2025-03-01T08:00:00.000Z', '2025-03-02T08:00:00.000Z', '2025-03-03T08:00:00.000Z'] as const;

/** A source of one chunk, with the fields that filters use. */
interface Shelved {
  sourceId: string;
  text: string;
  kind: Hit['kind'];
  layer: Hit['layer'];
  at: string;
}

/** A Team with herons of every kind, in both layers, from three days. */
async function openShelf(): Promise<{ company: SignedIn; clientId: string; shelf: Shelved[] }> {
  const company = await service.company();
  const clientId = await addClient(service, company);
  const shelf: Shelved[] = [];
  for (const layer of ['team', 'client'] as const) {
    const within = layer === 'team' ? null : clientId;
    for (const kind of ['ingest', 'import', 'memory'] as const) {
      for (const at of kind === 'ingest' ? DAYS : DAYS.slice(1, 2)) {
        const text = `heron ${kind} of the ${layer} layer on ${at}`;
        const sourceId = await addOf(company, kind, text, within);
        await setTime(sourceId, at);
        shelf.push({ sourceId, text, kind, layer, at });
      }
    }
  }
  return { company, clientId, shelf };
}

async function addOf(
  company: SignedIn,
  kind: Hit['kind'],
  text: string,
  clientId: string | null,
): Promise<string> {
  if (kind === 'import') return addImported(service, company, text, clientId);
  const scope = clientId === null ? {} : { clientId };
  if (kind === 'ingest') return (await addSource(company, { text, scope })).id;
  const { memoryId } = await keep(company, { title: 'Bird', content: text }, clientId);
  const [memory] = await database.query<{ sourceId: string }>(
    'select source_id as "sourceId" from memory.memory_item where id = $1',
    [memoryId],
  );
  assert.ok(memory);
  return memory.sourceId;
}

describe('search filters', () => {
  let company: SignedIn;
  let clientId: string;
  let shelf: Shelved[];
  before(async () => {
    ({ company, clientId, shelf } = await openShelf());
    // The text of a memory contains its title too.
    const stored = await database.query<{ source_id: string; text: string }>(
      'select source_id, text from memory.chunk where team_id = $1',
      [company.teamId],
    );
    for (const one of shelf) one.text = stored.find((row) => row.source_id === one.sourceId)?.text ?? '';
  });

  const expected = (passes: (one: Shelved) => boolean) =>
    shelf
      .filter(passes)
      .map((one) => one.text)
      .sort();

  test('filters return only the matching chunks, in any combination and in every scope', async () => {
    const two = new Set([shelf[1]?.sourceId, shelf.at(-1)?.sourceId]);
    const kinds = [undefined, ['ingest'], ['import', 'memory']];
    const times = [{}, { createdAfter: DAYS[0] }, { createdAfter: DAYS[0], createdBefore: DAYS[2] }];
    for (const layers of [['team'], ['client'], ['team', 'client']]) {
      for (const kind of kinds) {
        for (const sourceIds of [undefined, [...two]]) {
          for (const time of times as { createdAfter?: string; createdBefore?: string }[]) {
            const filters = { kinds: kind, sourceIds, ...time };
            const scope = { clientId, include: layers };
            assert.deepEqual(
              await textsOf(company, { ...filters, scope }),
              expected(
                (one) =>
                  layers.includes(one.layer) &&
                  (kind === undefined || kind.includes(one.kind)) &&
                  (sourceIds === undefined || two.has(one.sourceId)) &&
                  (time.createdAfter === undefined || one.at > time.createdAfter) &&
                  (time.createdBefore === undefined || one.at < time.createdBefore),
              ),
              JSON.stringify({ ...filters, scope }),
            );
          }
        }
      }
    }
  });

  test('sourceIds accepts an id in upper case and the same id repeated', async () => {
    const { sourceId = '', text } = shelf[0] ?? {};
    assert.deepEqual(await textsOf(company, { sourceIds: [sourceId.toUpperCase(), sourceId] }), [text]);
  });
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
      ];
      assert.deepEqual(await Promise.all(bounds.map(count)), [0, 0, 1, 1], micros);
    }
  });

  test('createdAfter and createdBefore accept times in any time zone', async () => {
    const company = await service.company();
    const { id } = await addSource(company, { text: 'heron' });
    await setTime(id, '2025-03-01T08:00:00Z');
    const count = async (bounds: object) => (await hitsOf(company, bounds)).length;
    assert.equal(await count({ createdAfter: '2025-03-01T09:59:59+02:00' }), 1);
    assert.equal(await count({ createdAfter: '2025-03-01T10:00:00+02:00' }), 0);
    assert.equal(await count({ createdBefore: '2025-03-01T03:00:00.001-05:00' }), 1);
    assert.equal(await count({ createdBefore: '2025-03-01T03:00:00-05:00' }), 0);
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

test('a time that does not exist, or is out of range, is refused', async () => {
  const company = await service.company();
  for (const time of ['2025-03-01', '2025-03-01T08:00:00', '2016-12-31T23:59:60Z', '0000-06-01T00:00:00Z']) {
    assertInvalid(await askForHerons(company, { createdAfter: time }), '/createdAfter');
  }
  assertInvalid(await askForHerons(company, { createdBefore: '2025-02-30T08:00:00Z' }), '/createdBefore');
});
