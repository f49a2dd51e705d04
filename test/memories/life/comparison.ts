import assert from 'node:assert/strict';
import type { Static } from 'typebox';
import type { Status } from '../../../shared/schemas/status.ts';
import { column } from '../../support/columns.ts';
import { assertMemory, assertSource, seenExpiry } from './asking.ts';
import { CALLERS, type CallerName, type Layer, type ModelMemory, RIGHTS } from './model.ts';
import { assertAllOf } from './play-batches.ts';
import { assertSearches } from './searches.ts';
import { Words } from './words.ts';
import { callerOf, layerOf, type World } from './world.ts';

/**
 * Holds everything that can be seen of a Company against the model.
 * @param turn counts the steps: what would take long for everyone is asked by one caller after the other
 */
export async function assertAsTheModelSays(world: World, turn: number): Promise<void> {
  await assertCaptures(world);
  await assertMemories(world);
  await assertVersions(world);
  await assertLibrary(world, turn % 2 === 0 ? 'owner' : 'admin');
  await assertFigures(world, CALLERS[turn % CALLERS.length]!);
  await assertSearches(world, turn);
  await assertEvents(world);
}

async function assertCaptures(world: World): Promise<void> {
  const rows = await world.service.database.query<{
    id: string;
    author: string;
    layer: string | null;
    session: string;
    sequence: number | null;
    summary: string;
    state: string;
    batch: string | null;
  }>(
    // A lease that ran out leaves its captures staged, whether or not the worker came by yet.
    `select id, created_by as author, nullif(layer_id, team_id) as layer, session_id as session, sequence, summary,
            case when leased_until <= now() then 'staged' else state end as state,
            case when leased_until <= now() then null else batch_id end as batch
       from memory.capture where team_id = $1 order by id`,
    [world.company.teamId],
  );
  const seen = rows.map((row) => ({
    ...row,
    author: callerOf(world, row.author),
    layer: layerOf(world, row.layer),
  }));
  assert.deepEqual(seen, byId(world.model.captures), 'the captures');
}

function byId<T extends { id: string }>(list: readonly T[]): T[] {
  return list.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

interface StoredMemory {
  memory: Record<string, string>;
  id: string;
  sourceId: string | null;
  source: {
    state: string;
    kind: string;
    title: string;
    clientId: string | null;
    createdBy: string;
    chunks: number;
    expiresAt: string | null;
  } | null;
  stored: string;
  texts: string[];
  keywords: number;
  vectors: number;
  pending: number;
}

/** Every memory, in whatever state, with its source and all that is stored for searches. */
async function assertMemories(world: World): Promise<void> {
  const { model, company, service } = world;
  const rows = await service.database.query<StoredMemory>(
    `select m.id, m.source_id as "sourceId",
            jsonb_build_object('id', m.id, 'state', memory.state_now(m.state, m.expires_at), 'title', m.title, 'content', m.content,
              'layer', case when m.layer_id = m.team_id then 'team' else 'client' end, 'clientId', nullif(m.layer_id, m.team_id),
              'version', m.version, 'captureIds', to_jsonb(m.capture_ids), 'sourceId', m.source_id,
              'supersedes', m.supersedes, 'supersededBy', m.superseded_by, 'createdBy', m.created_by,
              'decidedBy', m.decided_by, 'expiresAt', m.expires_at) as memory, m.state as stored,
            (select jsonb_build_object('state', s.state, 'kind', s.kind, 'title', s.title, 'clientId', nullif(s.layer_id, s.team_id),
                'createdBy', s.created_by, 'chunks', s.chunk_count, 'expiresAt', s.expires_at)
               from memory.source s where s.team_id = m.team_id and s.id = m.source_id) as source,
            array(select c.text from memory.chunk c where c.team_id = m.team_id and c.source_id = m.source_id
               and c.layer_id = m.layer_id order by c.ordinal) as texts,
            ${COUNTS('chunk_keyword')} as keywords, ${COUNTS('chunk_embedding')} as vectors,
            ${COUNTS('embedding_pending')} as pending
       from memory.memory_item m where m.team_id = $1 order by m.id`,
    [company.teamId],
  );
  assert.deepEqual(
    column(rows, 'id'),
    byId(model.memories).map(({ id }) => id),
    'the memories',
  );
  for (const row of rows) {
    assertMemory(world, row.memory as never);
    assertStored(world, model.memory(row.id)!, row);
  }
  await assertNothingElse(world, rows);
}

/** The texts that each memory has had. */
async function assertVersions({ model, company, service }: World): Promise<void> {
  const rows = await service.database.query<{ id: string; versions: unknown }>(
    `select memory_id as id,
            jsonb_agg(jsonb_build_object('version', version, 'title', title, 'content', content) order by version) as versions
       from memory.memory_version where team_id = $1 group by 1 order by 1`,
    [company.teamId],
  );
  assert.deepEqual(
    rows.map((row) => ({ ...row })),
    byId(model.memories).map(({ id, versions }) => ({ id, versions })),
    'the versions of the memories',
  );
}

const COUNTS = (table: string) => `(select count(*) from memory.chunk c
  join memory.${table} k on k.team_id = c.team_id and k.chunk_id = c.id
    and k.layer_id = c.layer_id
 where c.team_id = m.team_id and c.source_id = m.source_id)`;

function assertStored(world: World, memory: ModelMemory, row: StoredMemory): void {
  assertSource(world, memory, row.sourceId);
  const { source, texts, keywords, vectors, pending } = row;
  // What has expired stays stored as it was until it is archived.
  const stored = memory.due ?? memory.state;
  assert.equal(row.stored, stored, 'the stored state of a memory');
  if (source === null) return;
  const { title, layer, publishedBy, content, vector, expiry } = memory;
  const published = stored === 'published';
  assert.deepEqual(
    {
      kind: source.kind,
      state: source.state,
      layer: layerOf(world, source.clientId),
      by: callerOf(world, source.createdBy),
      title: source.title,
      expiry: seenExpiry(source.expiresAt),
      text: squeezed(texts.join(' ')),
      vectors,
    },
    {
      kind: 'memory',
      state: published ? 'active' : 'archived',
      layer,
      by: publishedBy,
      title,
      expiry,
      text: published ? squeezed(content) : '',
      vectors: published && vector ? 1 : 0,
    },
    'the source of a memory',
  );
  const counted = { chunks: source.chunks, keywords, waiting: pending };
  const { length } = texts;
  assert.deepEqual(counted, { chunks: length, keywords: length, waiting: length - vectors }, 'its chunks');
}

function squeezed(text: string): string {
  return text.replaceAll(/\s+/g, '');
}

/** Removed records leave nothing behind, and no other records exist. */
async function assertNothingElse(world: World, rows: readonly StoredMemory[]): Promise<void> {
  const sum = (of: (row: StoredMemory) => number) => rows.reduce((total, row) => total + of(row), 0);
  const [seen] = await world.service.database.query(
    `select (select count(*) from memory.source where team_id = $1) as sources,
            (select count(*) from memory.chunk where team_id = $1) as chunks,
            (select count(*) from memory.chunk_keyword where team_id = $1) as keywords,
            (select count(*) from memory.chunk_embedding where team_id = $1) as vectors,
            (select count(*) from memory.embedding_pending where team_id = $1) as pending`,
    [world.company.teamId],
  );
  assert.deepEqual(
    { ...seen },
    {
      sources: world.sources.size,
      chunks: sum(({ texts }) => texts.length),
      keywords: sum(({ keywords }) => keywords),
      vectors: sum(({ vectors }) => vectors),
      pending: sum(({ pending }) => pending),
    },
    'all that is stored is of a memory',
  );
}

/** What waits for review and what is published, newest first, with what a reviewer goes by. */
async function assertLibrary(world: World, by: CallerName): Promise<void> {
  const { model, players } = world;
  const listed = await players[by].all.listMemories();
  const open = model.memories.filter(({ state }) => state === 'review' || state === 'published');
  assert.deepEqual(
    column(listed, 'id'),
    byId(open)
      .map(({ id }) => id)
      .reverse(),
    'the library',
  );
  for (const { captures, similar, ...memory } of listed) {
    assertMemory(world, memory);
    const known = model.memory(memory.id)!;
    if (known.state === 'published') {
      assert.deepEqual({ captures, similar }, { captures: undefined, similar: undefined });
      continue;
    }
    assert.deepEqual(
      captures?.map(({ id, createdBy }) => [id, callerOf(world, createdBy)]),
      known.captures.map((id) => [id, model.capturesOf([id])[0]?.author]),
      'where a review item comes from',
    );
    const compared = open.filter(({ layer }) => layer === known.layer);
    for (const state of ['review', 'published']) {
      const some = compared.filter((one) => one.state === state);
      assertAllOf(
        some,
        known,
        (similar ?? []).filter((one) => one.state === state),
      );
    }
  }
}

function countBy<T>(list: readonly T[], key: (one: T) => string, keys: readonly string[]) {
  return Object.fromEntries(keys.map((name) => [name, list.filter((one) => key(one) === name).length]));
}

/** Compares the figures of GET status with the records that one caller reaches. */
async function assertFigures(world: World, by: CallerName): Promise<void> {
  const { model, players } = world;
  const within = ({ layer }: { layer: Layer }) => RIGHTS[by].reads.includes(layer);
  const captures = model.captures.filter(within);
  const memories = model.memories.filter(within);
  const published = memories.filter(({ state }) => state === 'published').length;
  // A memory that was published once keeps its source in every state.
  const archived = memories.filter(
    ({ state, publishedBy }) => state !== 'published' && publishedBy !== null,
  ).length;
  const answer = await players[by].ask.getStatus();
  const status = answer.json<Static<typeof Status>>();
  assert.deepEqual(
    { captures: status.captures, memories: status.memories, sources: status.sources },
    {
      captures: countBy(captures, ({ state }) => state, ['staged', 'claimed', 'completed']),
      memories: countBy(memories, ({ state }) => state, ['review', 'published', 'discarded', 'archived']),
      sources: { active: published, archived, byKind: published === 0 ? {} : { memory: published } },
    },
    `the figures of ${by}`,
  );
}

/** Holds the sources that everyone may list at the end of a life against the model. */
export async function assertSources(world: World): Promise<void> {
  const { model, players, sources } = world;
  for (const by of CALLERS) {
    const listed = await players[by].all.listSources({ kind: 'memory' });
    const expected = model.memories
      .filter(({ layer, publishedBy }) => publishedBy !== null && RIGHTS[by].reads.includes(layer))
      .map(({ id, state }) => [sources.get(id), state === 'published' ? 'active' : 'archived']);
    const seen = listed.map(({ id, state }) => [id, state]);
    assert.deepEqual(seen.sort(), expected.sort(), `the sources of ${by}`);
  }
}

interface StoredEvent {
  kind: string;
  actor: string | null;
  subjectType: string;
  subject: string;
  layer: 'team' | 'client' | null;
  clientId: string | null;
}

/** One event for each change, in the order of the changes, and none for anything else. */
async function assertEvents(world: World): Promise<void> {
  const rows = await world.service.database.query<StoredEvent>(
    `select kind, actor_id as actor, subject_type as "subjectType", subject_id as subject, layer,
            client_id as "clientId"
       from memory.audit_event where company_id = $1 order by id offset $2`,
    [world.company.companyId, world.eventsBefore],
  );
  const seen = rows.map(({ clientId, ...row }) => ({
    ...row,
    actor: callerOf(world, row.actor),
    layer: row.layer && layerOf(world, clientId),
  }));
  assert.deepEqual(inOrder(seen), inOrder(world.model.events), 'the audit trail');
}

/** Events in the order of the changes. What the worker archives in one go has no order: it is sorted by the ids. */
function inOrder<T extends { kind: string; subject: string }>(events: readonly T[]): T[] {
  const ordered: T[] = [];
  for (const event of events) {
    let place = ordered.length;
    if (event.kind === 'memory.expire') {
      while (ordered[place - 1]?.kind === event.kind && ordered[place - 1]!.subject > event.subject) place--;
    }
    ordered.splice(place, 0, event);
  }
  return ordered;
}

/** Holds the whole trail, as it is shown, against the model: in order, without a word of any text, in one chain. */
export async function assertTrail(world: World): Promise<void> {
  const { players, model, words, eventsBefore } = world;
  const listed = await players.owner.all.listTeamAudit();
  const shown = listed.filter(({ kind }) => kind.startsWith('memory.'));
  assert.deepEqual(
    inOrder(shown.map(({ kind, subjectId }) => ({ kind, subject: subjectId ?? '' })).reverse()),
    inOrder(model.events.map(({ kind, subject }) => ({ kind, subject }))),
  );
  assert.deepEqual(Words.in(JSON.stringify(shown), words.all), [], 'an event holds no content');
  const answer = await players.owner.ask.verifyAudit();
  const { events, firstBreak } = answer.json<{ events: number; firstBreak: string | null }>();
  assert.deepEqual({ events, firstBreak }, { events: eventsBefore + model.events.length, firstBreak: null });
}
