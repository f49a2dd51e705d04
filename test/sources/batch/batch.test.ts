import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { changeEach, parseBatch } from '../../../core/sources/batch.ts';
import type { SourceBatch, SourceBatchChange } from '../../../shared/schemas/sources.ts';
import { createAgent } from '../../support/agent-tokens.ts';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import { recordedBy, recordsNothing } from '../../support/company.ts';
import { countTurns } from '../../support/count-turns.ts';
import { addMemory } from '../../support/memories.ts';
import { assertInvalid } from '../../support/refusals.ts';
import { ownerScope } from '../../support/scopes.ts';
import { outcome } from '../../support/sign-in.ts';
import { addSource, archived, readSource } from '../../support/source-library.ts';
import { addClient, addPerson } from '../../support/team.ts';
import { answersOf, ask, changed, shown, takenBack } from './batches.ts';

const service = await openTestApp();
const { database } = service;

const LATER = '2090-01-01T00:00:00.000Z';
const NOWHERE = '018f0000-0000-7000-8000-000000000000';

/** A Team with two clients, and sources that differ in everything a batch can change. */
async function openScene(): Promise<{ company: SignedIn; clients: string[]; ids: string[] }> {
  const company = await service.company();
  const clients = [await addClient(service, company), await addClient(service, company)];
  const given = [
    { tags: ['a', 'b'] },
    { tags: ['c'], scope: { clientId: clients[0] }, expiresAt: '2080-05-05T00:00:00.000Z' },
    { tags: ['b', 'c'] },
    { scope: { clientId: clients[1] } },
  ];
  const ids: string[] = [];
  for (const fields of given) ids.push((await addSource(company, fields)).id);
  return { company, clients, ids };
}

const table: [string, (clients: string[]) => SourceBatchChange][] = [
  ['tags', () => ({ tags: { add: ['B', 'new'], remove: ['c'] } })],
  ['a move to a client', ([a]) => ({ clientId: a! })],
  ['a move to the Team layer', () => ({ clientId: null })],
  ['an expiry', () => ({ expiresAt: LATER })],
  ['no expiry', () => ({ expiresAt: null })],
  ['the archive', () => ({ state: 'archived' })],
  ['restoring', () => ({ state: 'active' })],
  [
    'all at once, archived',
    ([a]) => ({ tags: { add: ['x'] }, clientId: a!, expiresAt: LATER, state: 'archived' }),
  ],
  [
    'all at once, restored',
    ([a]) => ({ tags: { add: ['x'] }, clientId: a!, expiresAt: LATER, state: 'active' }),
  ],
];

for (const [what, changeOf] of table) {
  test(`${what}: its undo restores each source, and the undo of the undo repeats it`, async () => {
    const { company, clients, ids } = await openScene();
    if (what.includes('restor')) for (const id of ids) await archived(company, id);
    const before = await shown(company, ids);
    const first = await changed(company, { ids, change: changeOf(clients) });
    const after = await shown(company, ids);
    assert.notDeepEqual(after, before);
    const undone = await takenBack(company, first.undo);
    assert.deepEqual(await shown(company, ids), before);
    await takenBack(
      company,
      undone.flatMap(({ undo }) => undo),
    );
    assert.deepEqual(await shown(company, ids), after);
  });
}

describe('the answer', () => {
  test('has a result for each id in their order, and problems alike for what cannot be reached', async () => {
    const { company, ids } = await openScene();
    const other = await addSource(await service.company());
    const sent = ['nonsense', ids[2]!, NOWHERE, ids[0]!.toUpperCase(), other.id];
    const { results, undo } = await changed(company, { ids: sent, change: { tags: { add: ['b', 'n'] } } });
    assert.deepEqual(
      results.map(({ id }) => id),
      sent,
    );
    assert.deepEqual(answersOf(results), ['404 not_found', true, '404 not_found', true, '404 not_found']);
    const details = results.map(({ problem }) => problem?.detail);
    assert.equal(new Set([details[0], details[2], details[4]]).size, 1);
    assert.deepEqual(
      undo.map(({ ids }) => ids),
      [[ids[2], ids[0]]],
    );
    assert.deepEqual(undo[0]?.change, { tags: { remove: ['n'] } });
  });

  test('says where nothing changed, and then nothing is recorded', async () => {
    const { company, ids } = await openScene();
    const [id] = ids;
    await recordsNothing(service, company, async () => {
      for (const change of [
        { tags: { add: ['A'], remove: ['z'] } },
        { state: 'active' as const },
        { clientId: null },
      ]) {
        const { results, undo } = await changed(company, { ids: [id!], change });
        assert.deepEqual([answersOf(results), undo], [[false], []]);
      }
    });
  });

  test('promises no way back for what cannot be restored', async () => {
    const none = await openTestApp({ MEMORY_ARCHIVE_DAYS: '0' });
    const company = await none.company();
    const { id } = await addSource(company);
    const { results, undo } = await changed(company, { ids: [id], change: { state: 'archived' } });
    assert.deepEqual([answersOf(results), undo], [[true], []]);
  });
});

test('every event of a batch has the same batchId, and no other batch has it', async () => {
  const { company, clients, ids } = await openScene();
  const change = { tags: { add: ['x'] }, clientId: clients[0]!, state: 'archived' as const };
  const { events } = await recordedBy(service, company, () => changed(company, { ids, change }));
  const kinds = events.map(({ kind, subjectId }) => `${kind} ${ids.indexOf(subjectId ?? '')}`);
  const own = ['memory.update', 'memory.archive'];
  assert.deepEqual(
    kinds,
    ids.flatMap((_, n) => [...(n === 1 ? [] : ['memory.move']), ...own].map((kind) => `${kind} ${n}`)),
  );
  const batches = new Set(events.map(({ detail }) => detail['batchId']));
  assert.equal(batches.size, 1);
  const next = await recordedBy(service, company, () =>
    changed(company, { ids, change: { state: 'active' } }),
  );
  assert.ok(
    next.events.every(
      ({ detail }) => typeof detail['batchId'] === 'string' && !batches.has(detail['batchId']),
    ),
  );
});

describe('an undo', () => {
  test('leaves the sources that changed since, also in the same millisecond', async () => {
    const { company, ids } = await openScene();
    const { undo } = await changed(company, { ids, change: { tags: { add: ['x'] } } });
    await company.api.changeSource(ids[0]!, { title: 'Changed since' });
    await archived(company, ids[1]!);
    const answers = (await takenBack(company, undo)).flatMap(({ results }) => answersOf(results));
    assert.deepEqual(answers, ['409 version_conflict', '409 version_conflict', true, true]);
    assert.deepEqual((await readSource(company, ids[0]!)).tags, ['a', 'b', 'x']);
  });

  test('has one body for sources with the same way back, and each body fits the route', async () => {
    const { company, clients, ids } = await openScene();
    const { undo } = await changed(company, { ids, change: { clientId: clients[0]! } });
    const back = undo.map(({ change, ids: some }) => [change.clientId, some.length]);
    assert.deepEqual(back, [
      [null, 2],
      [clients[1], 1],
    ]);
  });
});

test('updatedAt is a later millisecond with every change, also if the transaction began before the last', async () => {
  const { company, ids } = await openScene();
  const [id] = ids;
  // As a change by a process whose transaction began later, and ended first.
  await database.query(`update memory.source set updated_at = now() + interval '1 hour' where id = $1`, [id]);
  const seen = [(await readSource(company, id!)).updatedAt];
  for (const change of [
    { tags: { add: ['1'] } },
    { clientId: null, expiresAt: LATER },
    { state: 'archived' as const },
    { state: 'active' as const },
  ]) {
    await changed(company, { ids: [id!], change });
    seen.push((await readSource(company, id!)).updatedAt);
  }
  assert.deepEqual(seen, [...new Set(seen)].sort());
});

describe('rights and rules', () => {
  test('are those of each source', async () => {
    const { company, clients, ids } = await openScene();
    const member = await addPerson(service, company, {
      teamRole: 'member',
      clients: { [clients[0]!]: 'write' },
    });
    const own = await addSource(member);
    const hidden = ids[3]!;
    const memory = await addMemory(company, 'published');
    const change = { tags: { add: ['x'] } };
    const sent = [ids[0]!, own.id, hidden, memory.sourceId!];
    assert.deepEqual(answersOf((await changed(member, { ids: sent, change })).results), [
      '403 forbidden',
      true,
      '404 not_found',
      '403 forbidden',
    ]);
    assert.deepEqual(answersOf((await changed(company, { ids: sent.slice(2), change })).results), [
      true,
      '409 conflict',
    ]);
    const away = await ask(member, { ids: [own.id], change: { clientId: clients[1]! } });
    assert.equal(outcome(away), '403 scope_forbidden');
    await archived(company, ids[0]!);
    assert.deepEqual(answersOf((await changed(company, { ids: [ids[0]!], change })).results), [
      '409 conflict',
    ]);
  });

  test('of an agent token without memory:review: only what its owner made, and 20 in the archive', async () => {
    const { company } = await openScene();
    const member = await addPerson(service, company, { teamRole: 'member' });
    const foreign = await addSource(member);
    const agent = await createAgent(service, company, company, {
      permissions: ['memory:read', 'memory:write'],
    });
    const own: string[] = [];
    for (let n = 0; n < 21; n += 1) own.push((await addSource(company)).id);
    const { results } = await changed(agent, { ids: [foreign.id, ...own], change: { state: 'archived' } });
    assert.deepEqual(answersOf(results), [
      '403 forbidden',
      ...own.slice(1).map(() => true),
      '429 rate_limited',
    ]);
    const reader = await createAgent(service, company, company, { permissions: ['memory:read'] });
    const refused = await ask(reader, { ids: own, change: { state: 'active' } });
    assert.equal(outcome(refused), '403 permission_required');
  });

  test('of a workspace file: only its tags', async () => {
    const company = await service.company();
    const { id } = await addSource(company);
    await database.query(`update memory.source set kind = 'file', file_id = id where id = $1`, [id]);
    const tagged = await changed(company, { ids: [id], change: { tags: { add: ['x'] } } });
    assert.deepEqual(answersOf(tagged.results), [true]);
    for (const change of [{ clientId: null }, { expiresAt: null }, { state: 'archived' as const }]) {
      const { results } = await changed(company, { ids: [id], change });
      assert.deepEqual(answersOf(results), ['409 conflict']);
    }
  });

  test('refuse a tag too many and a name that is in use, for that source only', async () => {
    const { company, clients } = await openScene();
    const full = await addSource(company, { tags: Array.from({ length: 20 }, (_, n) => `t${n}`) });
    const free = await addSource(company, { externalId: 'one' });
    await addSource(company, { externalId: 'one', scope: { clientId: clients[0] } });
    const ids = [full.id, free.id];
    const tagged = await changed(company, { ids, change: { tags: { add: ['x'] } } });
    assert.deepEqual(answersOf(tagged.results), ['400 invalid_request', true]);
    const moved = await changed(company, { ids, change: { clientId: clients[0]! } });
    assert.deepEqual(answersOf(moved.results), [true, '409 conflict']);
  });
});

test('a change with a part that is refused changes nothing of that source', async () => {
  const { company, clients } = await openScene();
  const { id } = await addSource(company, { externalId: 'one' });
  await addSource(company, { externalId: 'one', scope: { clientId: clients[0] } });
  await archived(company, id);
  const before = await shown(company, [id]);
  await recordsNothing(service, company, async () => {
    const { results } = await changed(company, {
      ids: [id],
      change: { state: 'active', clientId: clients[0]! },
    });
    assert.deepEqual(answersOf(results), ['409 conflict']);
  });
  assert.deepEqual(await shown(company, [id]), before);
});

describe('a body is refused as a whole', () => {
  const bodies: [string, (ids: string[]) => object, string][] = [
    ['without ids', () => ({ ids: [], change: { clientId: null } }), '/ids'],
    [
      'with more than 500',
      () => ({ ids: Array.from({ length: 501 }, String), change: { clientId: null } }),
      '/ids',
    ],
    ['with an id twice', ([id]) => ({ ids: [id, id!.toUpperCase()], change: { clientId: null } }), '/ids/1'],
    ['without a change', (ids) => ({ ids, change: {} }), '/change'],
    ['with no tags', (ids) => ({ ids, change: { tags: {} } }), '/change'],
    ['with empty tags', (ids) => ({ ids, change: { tags: { add: [], remove: [] } } }), '/change'],
    [
      'with a tag in both',
      (ids) => ({ ids, change: { tags: { add: ['A'], remove: ['a'] } } }),
      '/change/tags/remove',
    ],
    ['that has expired', (ids) => ({ ids, change: { expiresAt: '2001-01-01' } }), '/change/expiresAt'],
  ];
  for (const [what, bodyOf, path] of bodies) {
    test(what, async () => {
      const { company, ids } = await openScene();
      assertInvalid(await ask(company, bodyOf(ids) as SourceBatch), path);
    });
  }
});

test('the sources that follow stay as they are once the connection is closed', async () => {
  const { company, ids } = await openScene();
  const before = await shown(company, ids);
  const scope = ownerScope(company);
  const batch = await parseBatch(service, scope, { ids, change: { state: 'archived' } });
  const closed = new AbortController();
  for await (const outcome of changeEach(service, scope, batch, closed.signal)) {
    assert.ok(!('error' in outcome) && outcome.changed);
    closed.abort();
  }
  assert.deepEqual((await shown(company, ids)).slice(1), before.slice(1));
});

test('other requests are served between two sources', async () => {
  const { company } = await openScene();
  const ids: string[] = [];
  for (let n = 0; n < 40; n += 1) ids.push((await addSource(company)).id);
  const counted = async (some: string[]) =>
    countTurns(() => changed(company, { ids: some, change: { tags: { add: [`n${some.length}`] } } }));
  const few = await counted(ids.slice(0, 2));
  assert.ok((await counted(ids)) > few + 38, 'each source adds turns of the event loop');
});
