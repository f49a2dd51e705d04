import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AuditEvent } from '../../shared/schemas/audit.ts';
import { openTestApp, type SignedIn, type TestApp } from '../support/app.ts';
import { sendCapture, sendClaim, stageCapture } from '../support/captures.ts';
import { via } from '../support/client/client.ts';
import { complete, type GivenItem, lend } from '../support/consolidation.ts';
import { databaseError, openFailingApp } from '../support/failing-database.ts';
import { addMemory, decide, decided } from '../support/memories.ts';
import { addSource, removeSource } from '../support/source-library.ts';
import { addClient, addPerson, type Person } from '../support/team.ts';

const service = await openTestApp();

interface Answer {
  statusCode: number;
  body: string;
  json<T>(): T;
}

/** What an event says of where and about what it is. */
type Told = Pick<AuditEvent, 'kind' | 'subjectType' | 'subjectId' | 'detail'>;

/** A change, and what its events are to say, made of the answer. */
interface Change {
  /** Makes it, through this app. */
  act: (on: Pick<TestApp, 'app'>) => PromiseLike<Answer>;
  events: (answer: Answer) => Told[];
}

/** The layer of a change, and its actor, who has Full access and is not the author of anything. */
interface Occasion {
  company: SignedIn;
  actor: Person;
  clientId: string | null;
}

const inLayer = (clientId: string | null) => (clientId === null ? {} : { scope: { clientId } });
const ITEM = { title: 'A title', content: 'A fact of one chunk.' };

/** A batch of the actor's with one capture of someone else's, and its complete with one item. */
async function completing({ company, actor, clientId }: Occasion, item: GivenItem) {
  const { batchId, captureIds } = await lend(company, [clientId], actor);
  const act: Change['act'] = (on) => complete(via(on, actor), batchId, [{ captureIds, ...ITEM, ...item }]);
  const memoryId = (answer: Answer) =>
    answer.json<{ results: { memoryId: string | null }[] }>().results[0]?.memoryId ?? null;
  return { batchId, captureIds, act, memoryId };
}

/** The source that a memory was published with. */
async function sourceOf(memoryId: string | null): Promise<string> {
  const [row] = await service.database.query<{ id: string }>(
    'select source_id as id from memory.memory_item where id = $1',
    [memoryId],
  );
  return row?.id ?? '';
}

const memoryEvent = (kind: string, subjectId: string | null, detail: object): Told => ({
  kind: `memory.${kind}`,
  subjectType: 'memory',
  subjectId,
  detail: detail as Record<string, unknown>,
});

const batchEvent = (kind: string, subjectId: string, captureIds: readonly string[]): Told => ({
  kind: `memory.${kind}`,
  subjectType: 'batch',
  subjectId,
  detail: { captureIds },
});

/** Every change that a route of captures, consolidation, memories and sources makes. */
const CHANGES: Record<string, (occasion: Occasion) => Promise<Change>> = {
  'a capture': async ({ actor, clientId }) => ({
    act: (on) => sendCapture(via(on, actor), inLayer(clientId)),
    events: (answer) => {
      const { id } = answer.json<{ capture: { id: string } }>().capture;
      return [{ kind: 'memory.capture', subjectType: 'capture', subjectId: id, detail: {} }];
    },
  }),
  'a capture with a sequence number': async ({ actor, clientId }) => ({
    act: (on) => sendCapture(via(on, actor), { ...inLayer(clientId), sequence: 7 }),
    events: (answer) => {
      const { id } = answer.json<{ capture: { id: string } }>().capture;
      return [{ kind: 'memory.capture', subjectType: 'capture', subjectId: id, detail: { sequence: 7 } }];
    },
  }),
  'a claim': async ({ company, actor, clientId }) => {
    const staged = [
      await stageCapture(company, inLayer(clientId)),
      await stageCapture(company, inLayer(clientId)),
    ];
    const captureIds = staged.map(({ id }) => id);
    return {
      act: (on) => sendClaim(via(on, actor)),
      events: (answer) => [
        batchEvent('claim', answer.json<{ batch: { id: string } }>().batch.id, captureIds),
      ],
    };
  },
  'a published item': async (occasion) => {
    const { batchId, captureIds, act, memoryId } = await completing(occasion, { action: 'publish' });
    return {
      act,
      events: (answer) => [
        memoryEvent('publish', memoryId(answer), {
          version: 1,
          batchId,
          captureIds,
          chunks: 1,
          embedded: 0,
        }),
      ],
    };
  },
  'an item for review': async (occasion) => {
    const { batchId, captureIds, act, memoryId } = await completing(occasion, { action: 'review' });
    return {
      act,
      events: (answer) => [memoryEvent('review', memoryId(answer), { version: 1, batchId, captureIds })],
    };
  },
  'a discarded item': async (occasion) => {
    const { batchId, captureIds, act } = await completing(occasion, { action: 'discard' });
    return {
      act,
      events: () => [batchEvent('discard', batchId, captureIds)],
    };
  },
  'an item that supersedes a memory': async (occasion) => {
    const { company, clientId } = occasion;
    const old = await addMemory(company, 'published', {}, clientId);
    const { batchId, captureIds, act, memoryId } = await completing(occasion, {
      action: 'publish',
      supersedes: old.id,
    });
    return {
      act,
      events: (answer) => [
        memoryEvent('delete', old.id, {
          version: 2,
          sourceId: old.sourceId,
          supersededBy: memoryId(answer),
        }),
        memoryEvent('publish', memoryId(answer), {
          version: 1,
          batchId,
          captureIds,
          supersedes: old.id,
          chunks: 1,
          embedded: 0,
        }),
      ],
    };
  },
  'a publish': async ({ company, actor, clientId }) => {
    const { id } = await addMemory(company, 'review', {}, clientId);
    return {
      act: (on) => decide(via(on, actor), { action: 'publish', memoryId: id }),
      events: () => [memoryEvent('publish', id, { version: 2, edited: false, chunks: 1, embedded: 0 })],
    };
  },
  'a publish of an edited text': async ({ company, actor, clientId }) => {
    const { id } = await addMemory(company, 'review', {}, clientId);
    return {
      act: (on) => decide(via(on, actor), { action: 'publish', memoryId: id, content: 'Another fact.' }),
      events: () => [memoryEvent('publish', id, { version: 2, edited: true, chunks: 1, embedded: 0 })],
    };
  },
  'a publish that supersedes a memory': async ({ company, actor, clientId }) => {
    const old = await addMemory(company, 'published', {}, clientId);
    const { id } = await addMemory(company, 'review', {}, clientId);
    const decision = { action: 'publish', memoryId: id, title: 'Another title', supersedes: old.id };
    return {
      act: (on) => decide(via(on, actor), decision),
      events: () => [
        memoryEvent('delete', old.id, { version: 2, sourceId: old.sourceId, supersededBy: id }),
        memoryEvent('publish', id, {
          version: 2,
          edited: true,
          supersedes: old.id,
          chunks: 1,
          embedded: 0,
        }),
      ],
    };
  },
  'a discard': async ({ company, actor, clientId }) => {
    const { id } = await addMemory(company, 'review', {}, clientId);
    return {
      act: (on) => decide(via(on, actor), { action: 'discard', memoryId: id }),
      events: () => [memoryEvent('discard', id, { version: 2 })],
    };
  },
  'an update of the content': async ({ company, actor, clientId }) => {
    const { id, sourceId } = await addMemory(company, 'published', {}, clientId);
    return {
      act: (on) => decide(via(on, actor), { action: 'update', memoryId: id, content: 'Another fact.' }),
      events: () => [
        memoryEvent('update', id, {
          version: 2,
          sourceId,
          titleChanged: false,
          contentChanged: true,
          chunks: 1,
        }),
      ],
    };
  },
  'an update of the title': async ({ company, actor, clientId }) => {
    const { id, sourceId } = await addMemory(company, 'published', {}, clientId);
    return {
      act: (on) => decide(via(on, actor), { action: 'update', memoryId: id, title: 'Another title' }),
      events: () => [
        memoryEvent('update', id, { version: 2, sourceId, titleChanged: true, contentChanged: false }),
      ],
    };
  },
  'an update of the tags': async ({ company, actor, clientId }) => {
    const { id, sourceId } = await addMemory(company, 'published', {}, clientId);
    const same = { version: 2, sourceId, titleChanged: false, contentChanged: false };
    return {
      act: (on) => decide(via(on, actor), { action: 'update', memoryId: id, tags: ['a tag'] }),
      events: () => [memoryEvent('update', id, { ...same, tagsChanged: true })],
    };
  },
  'a deletion': async ({ company, actor, clientId }) => {
    const { id, sourceId } = await addMemory(company, 'published', {}, clientId);
    return {
      act: (on) => decide(via(on, actor), { action: 'delete', memoryId: id }),
      events: () => [memoryEvent('delete', id, { version: 2, sourceId })],
    };
  },
  'a reopening': async ({ company, actor, clientId }) => {
    const { id } = await addMemory(company, 'discarded', {}, clientId);
    return {
      act: (on) => decide(via(on, actor), { action: 'reopen', memoryId: id }),
      events: () => [memoryEvent('reopen', id, { version: 3 })],
    };
  },
  'an unpublication that publishes another memory again': async ({ company, actor, clientId }) => {
    const old = await addMemory(company, 'published', {}, clientId);
    const { id } = await addMemory(company, 'review', {}, clientId);
    const { sourceId } = await decided(company, {
      action: 'publish',
      memoryId: id,
      supersedes: old.id,
    });
    return {
      act: (on) => decide(via(on, actor), { action: 'unpublish', memoryId: id }),
      events: () => [
        memoryEvent('unpublish', id, { version: 3, sourceId, restored: old.id }),
        memoryEvent('restore', old.id, { version: 3, sourceId: old.sourceId, chunks: 1, embedded: 0 }),
      ],
    };
  },
  'a restoration of a version': async ({ company, actor, clientId }) => {
    const { id, sourceId } = await addMemory(company, 'archived', {}, clientId);
    return {
      act: (on) => decide(via(on, actor), { action: 'restore', memoryId: id, version: 1 }),
      events: () => [
        memoryEvent('restore', id, { version: 3, sourceId, restoredVersion: 1, chunks: 1, embedded: 0 }),
      ],
    };
  },
  'a change of a source': async ({ company, actor, clientId }) => {
    const { id } = await addSource(company, inLayer(clientId));
    const detail = { updated: ['title', 'tags'] };
    return {
      act: (on) => via(on, actor).ask.changeSource(id, { title: 'New', tags: ['a tag'] }),
      events: () => [{ kind: 'memory.update', subjectType: 'source', subjectId: id, detail }],
    };
  },
  'archiving a source': async ({ company, actor, clientId }) => {
    const chunks = [{ text: 'one' }, { text: 'two' }];
    const { id } = await addSource(company, { chunks, ...inLayer(clientId) });
    return {
      act: (on) => removeSource(via(on, actor), id),
      events: () => [{ kind: 'memory.archive', subjectType: 'source', subjectId: id, detail: { chunks: 2 } }],
    };
  },
};

/** Someone with Full access in a Company of the test's own, and a layer. */
async function openOccasion(inClient: boolean): Promise<Occasion> {
  const company = await service.company();
  const clientId = inClient ? await addClient(service, company) : null;
  const actor = await addPerson(service, company, { teamRole: 'admin' });
  return { company, actor, clientId };
}

/** Events as both routes list them, newest first: what they hold in common. */
async function listedEvents(company: SignedIn): Promise<AuditEvent[]> {
  const listed = await company.all.listTeamAudit();
  const ofCompany = await company.all.listCompanyAudit({ teamId: company.teamId });
  assert.deepEqual(listed, ofCompany);
  return listed;
}

/** A publish names the source that it made, which no answer of a complete shows. */
async function withSource(event: Told): Promise<Told> {
  if (event.kind !== 'memory.publish') return event;
  return { ...event, detail: { ...event.detail, sourceId: await sourceOf(event.subjectId) } };
}

for (const inClient of [false, true]) {
  describe(`audit events of changes in ${inClient ? 'a client' : 'the Team layer'}`, () => {
    for (const [what, prepare] of Object.entries(CHANGES)) {
      test(`${what} is recorded with its actor, layer and details`, async () => {
        const occasion = await openOccasion(inClient);
        const { company, actor, clientId } = occasion;
        const change = await prepare(occasion);
        const before = await listedEvents(company);
        const answer = await change.act(service);
        assert.ok(answer.statusCode < 300, answer.body);
        const listed = await listedEvents(company);
        const added = listed.slice(0, listed.length - before.length).reverse();
        const told = await Promise.all(change.events(answer).map(withSource));
        assert.deepEqual(
          added,
          told.map((event, index) => ({
            ...event,
            id: added[index]?.id,
            at: added[index]?.at,
            actorName: added[index]?.actorName,
            subjectName: added[index]?.subjectName,
            clientName: added[index]?.clientName,
            actorId: actor.userId,
            tokenId: null,
            teamId: company.teamId,
            layer: inClient ? 'client' : 'team',
            clientId,
          })),
        );
      });
    }
  });
}

const TOUCHED = [
  'audit_event',
  'capture',
  'consolidation_batch',
  'memory_item',
  'memory_version',
  'source',
  'chunk',
];

/** Every row of the Team that a change can touch, its events first, and its jobs. */
async function rowsOf({ teamId }: SignedIn): Promise<string[]> {
  const tables = TOUCHED.map(
    (name) => `select '${name} ' || t::text as row from memory.${name} t where team_id = $1`,
  );
  const rows = await service.database.query<{ row: string }>(
    `${tables.join(' union all ')}
      union all select 'job ' || name from pgboss.job where data->>'teamId' = $1::text order by 1`,
    [teamId],
  );
  return rows.map(({ row }) => row);
}

const countEvents = (rows: readonly string[]) => rows.filter((row) => row.startsWith('audit_event')).length;

describe('a change during which a statement fails', () => {
  for (const [what, prepare] of Object.entries(CHANGES)) {
    test(`${what} is rolled back with its events if any statement fails`, async (t) => {
      const occasion = await openOccasion(false);
      const { company } = occasion;
      const change = await prepare(occasion);
      let statementsLeft = 0;
      const app = await openFailingApp(t, service, () => {
        statementsLeft -= 1;
        return statementsLeft < 0 ? databaseError('XX000') : null;
      });
      const before = await rowsOf(company);
      let statements = 0;
      let answer = await change.act({ app });
      for (; answer.statusCode >= 500; answer = await change.act({ app })) {
        assert.deepEqual(await rowsOf(company), before, `failed behind ${statements} statements`);
        statements += 1;
        statementsLeft = statements;
      }
      assert.ok(answer.statusCode < 300, answer.body);
      assert.ok(statements > 5, `failed at ${statements} statements`);
      const events = countEvents(await rowsOf(company)) - countEvents(before);
      assert.equal(events, change.events(answer).length);
    });
  }
});
