import { insertMemorySource } from '../../../core/memories/store.ts';
import { type Database, transaction } from '../../../db/driver/database.ts';
import { insertCapture } from '../../../db/queries/captures.ts';
import { insertMemory, updateMemory } from '../../../db/queries/memories.ts';
import { archiveSource } from '../../../db/queries/sources/removal.ts';
import { newId } from '../../../shared/ids.ts';
import { prepareContent } from '../../../shared/text/memory-content.ts';
import { TEST_MODEL_NAME } from '../../support/needs/database.ts';
import { giveOriginal } from '../../support/originals.ts';
import { ownerScope } from '../../support/scopes.ts';
import { axis, storeSource } from '../../support/sources.ts';
import type { Canaries, Thing } from './canaries.ts';
import { hiddenOf, type Place, thingOf } from './place.ts';
import type { CallerName } from './table.ts';

/** What callers capture is planted as, where they may write: to those without Full access it is theirs alone. */
const CAPTURED: Partial<Record<CallerName, Thing>> = {
  member: 'capture-member',
  granted: 'capture-granted',
  reading: 'capture-reading',
  'layer agent': 'capture-agent',
};
export const capturedBy = (name: CallerName): Thing => CAPTURED[name] ?? 'backstage';

/** A sentence that all planted memories share, so that each is like every other, wherever it lies. */
export const ALIKE = 'The walrus keeps its letters in the locked drawer beside the northern harbour door.';
/** Where the vectors of all planted memories point. */
export const ALIKE_AXIS = 4;

/** Where something is captured, and by whom. Any author gets the scope that the capture requires. */
interface Captured {
  clientId: string | null;
  author: string;
  thing: Thing;
}

export type MemoryKind = 'review' | 'discarded' | 'published' | 'to be published';

/** Makes, in the database, the captures, memories and sources that single requests are about: new for each. */
export class LibraryTargets {
  private readonly database: Database;
  private readonly canaries: Canaries;

  constructor(database: Database, canaries: Canaries) {
    this.database = database;
    this.canaries = canaries;
  }

  /** A capture, staged. */
  async capture(place: Place, { clientId, author, thing }: Captured): Promise<string> {
    const id = newId();
    const word = () => this.canaries.word(thing, place.key);
    await transaction(this.database, this.scope(place, clientId, author), (tx) =>
      insertCapture(tx, {
        id,
        layerId: clientId ?? place.teamId,
        sessionId: word(),
        sequence: null,
        summary: word(),
        startedAt: null,
        endedAt: null,
        metadata: { note: word() },
      }),
    );
    return id;
  }

  /** A batch of one capture, lent to its author; with `beside`, of another capture too. */
  async batch(
    place: Place,
    captured: Captured,
    beside?: Captured,
  ): Promise<{ batchId: string; captureId: string; besideId: string }> {
    const [batchId, captureId] = [newId(), await this.capture(place, captured)];
    const besideId = beside === undefined ? '' : await this.capture(place, beside);
    const captureIds = beside === undefined ? [captureId] : [captureId, besideId];
    await this.database.query(
      `update memory.capture set state = 'claimed', batch_id = $3, leased_until = now() + interval '10 minutes'
        where team_id = $1 and id = any ($2::uuid[])`,
      [place.teamId, captureIds, batchId],
    );
    await this.database.query(
      `insert into memory.consolidation_batch (team_id, id, user_id, capture_ids, expires_at)
       values ($1, $2, $3, $4::uuid[], now() + interval '10 minutes')`,
      [place.teamId, batchId, captured.author, captureIds],
    );
    return { batchId, captureId, besideId };
  }

  /**
   * A memory of the Owner's, that waits for review, is discarded or is published; or waits and is going to be published.
   * @returns its ids, that of its source where it has one
   */
  async memory(
    place: Place,
    kind: MemoryKind,
    clientId: string | null = null,
  ): Promise<{ id: string; memoryId: string; sourceId: string }> {
    const memoryId = newId();
    const isHidden = kind === 'review' || kind === 'discarded';
    const thing = isHidden ? hiddenOf(place, clientId) : thingOf(place, clientId);
    const state = kind === 'published' ? kind : 'review';
    const content = `${ALIKE} ${this.canaries.word(thing, place.key)}`;
    const prepared = await prepareContent(place.teamId, {
      title: this.canaries.word(thing, place.key),
      content,
    });
    const common = {
      layerId: clientId ?? place.teamId,
      title: this.canaries.word(thing, place.key),
      metadata: { note: this.canaries.word(thing, place.key) },
      tags: [this.canaries.word(thing, place.key)],
      embedding: axis(ALIKE_AXIS),
      model: TEST_MODEL_NAME,
    };
    const sourceId = await transaction(
      this.database,
      this.scope(place, clientId, place.ownerId),
      async (tx) => {
        const stored = state === 'published' ? await insertMemorySource(tx, { ...common, prepared }) : null;
        await insertMemory(tx, {
          ...common,
          id: memoryId,
          state,
          content,
          terms: prepared.terms,
          captureIds: [],
          sourceId: stored?.sourceId ?? null,
          supersedes: null,
        });
        if (kind === 'discarded') await updateMemory(tx, memoryId, { state: kind });
        return stored?.sourceId ?? '';
      },
    );
    return { id: memoryId, memoryId, sourceId };
  }

  /**
   * A source that someone ingested.
   * @param title also its tag and part of its text
   */
  async source(
    place: Place,
    clientId: string | null,
    author: string,
    title = this.canaries.word(thingOf(place, clientId), place.key),
  ): Promise<string> {
    return storeSource(this.database, this.scope(place, clientId, author), {
      layer: clientId,
      title,
      tags: [title],
      chunks: [{ text: `walrus ${title}` }],
    });
  }

  async chunk(place: Place, clientId: string | null): Promise<string> {
    const [chunk] = await this.database.query<{ id: string }>(
      'select id from memory.chunk where team_id = $1 and source_id = $2',
      [place.teamId, await this.source(place, clientId, place.ownerId)],
    );
    return chunk!.id;
  }

  /** A source that someone ingested, and that was archived. It can be restored. */
  async archivedSource(place: Place, clientId: string | null, author: string): Promise<string> {
    const id = await this.source(place, clientId, author);
    const keeping = { archiveDays: 30, embeddingModel: TEST_MODEL_NAME };
    await transaction(this.database, this.scope(place, clientId, author), (tx) =>
      archiveSource(tx, id, keeping),
    );
    return id;
  }

  /** A source that someone ingested, with a former text, which is its version 1. */
  async versionedSource(place: Place, clientId: string | null, author: string): Promise<string> {
    const id = await this.source(place, clientId, author);
    const former = `walrus, formerly ${this.canaries.word(thingOf(place, clientId), place.key)} ${id}`;
    await this.database.query(
      `with changed as (update memory.source set text_version = 2 where team_id = $1 and id = $2)
       insert into memory.source_version (team_id, source_id, version, layer_id, at, actor_id, text)
       values ($1, $2, 1, $3, now(), $4, $5)`,
      [place.teamId, id, clientId ?? place.teamId, author, former],
    );
    return id;
  }

  /** A source of the Owner's that was imported, with its file. */
  async original(place: Place, clientId: string | null): Promise<string> {
    const sourceId = await this.source(place, clientId, place.ownerId);
    const content = Buffer.from(`walrus ${this.canaries.word(thingOf(place, clientId), place.key)}`);
    await giveOriginal(this.database, this.scope(place, clientId, place.ownerId), sourceId, content);
    return sourceId;
  }

  /** A chunk that a search of someone has returned, and the search. */
  async hit(
    place: Place,
    clientId: string | null,
    searcher: string,
  ): Promise<{ queryId: string; chunkId: string }> {
    const [queryId, chunkId] = [newId(), await this.chunk(place, clientId)];
    await this.database.query(
      `with event as (
         insert into memory.audit_event (company_id, id, kind, actor_id, team_id, client_id, layer, subject_type, subject_id)
         values ($1, $2, 'memory.search', $3, $4, $7::uuid, case when $7::uuid is not null then 'client' end, 'query', $5))
       insert into memory.audit_search (company_id, team_id, event_id, actor_id, hit_ids, passage_ids, hits_salt)
       values ($1, $4, $2, $3, array[$6::uuid], '{}', '')`,
      [place.companyId, newId(), searcher, place.teamId, queryId, chunkId, clientId],
    );
    return { queryId, chunkId };
  }

  /** A source that is in review, because the Owner has given feedback on it. */
  async questionedSource(place: Place, clientId: string | null): Promise<string> {
    const { queryId, chunkId } = await this.hit(place, clientId, place.ownerId);
    const [feedback] = await this.database.query<{ sourceId: string }>(
      `insert into memory.feedback (team_id, id, created_by, query_id, chunk_id, source_id, verdict)
       select team_id, $2, $3, $4, id, source_id, 'wrong' from memory.chunk where team_id = $1 and id = $5
       returning source_id as "sourceId"`,
      [place.teamId, newId(), place.ownerId, queryId, chunkId],
    );
    return feedback?.sourceId ?? '';
  }

  /** Marks the ids of captures, memories and batches with the things that they hold. */
  async markHoldings(place: Place): Promise<void> {
    const rows = await this.database.query<{ id: string; text: string }>(
      `select id, summary as text from memory.capture where team_id = $1
       union all select id, content from memory.memory_item where team_id = $1
       union all select b.id, string_agg(c.summary, ' ') from memory.consolidation_batch b
                   join memory.capture c on c.team_id = b.team_id and c.id = any (b.capture_ids)
                  where b.team_id = $1 group by b.id`,
      [place.teamId],
    );
    for (const { id, text } of rows) {
      const things = [...this.canaries.wordsIn(text)].map((what) => what.split('.')[0] as Thing);
      const [only] = things;
      const thing = things.length === 1 && only !== undefined ? only : 'backstage';
      this.canaries.mark(id, thing === 'shelf' ? 'shelf-ids' : thing, place.key);
    }
  }

  /** A scope that reaches that layer, for any user. */
  private scope(place: Place, clientId: string | null, userId: string) {
    return ownerScope({ ...place, ownerId: userId }, clientId === null ? [] : [clientId]);
  }
}
