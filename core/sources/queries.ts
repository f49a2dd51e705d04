import { type Database, readOnce, readTogether } from '../../db/driver/database.ts';
import type { ListPart } from '../../db/queries/common.ts';
import { readList } from '../../db/queries/query-list.ts';
import type { Sorted, SortedPart } from '../../db/queries/sorting.ts';
import {
  countTags,
  type FoundSource,
  findOriginal as find,
  findSource,
  findTitle,
  listSourceChunks,
  type OriginalFile,
  type SourceFilter,
  listSources as selectSources,
} from '../../db/queries/sources/lists.ts';
import { readFromReplica } from '../../db/replica/follow-replica.ts';
import { invalidField, ServiceError } from '../../shared/errors.ts';
import { normalizeTag } from '../../shared/formats/names.ts';
import type { Chunk, Source, TagCount } from '../../shared/schemas/sources.ts';
import { type LayerId, narrowToClient, type TeamScope } from '../../shared/scope.ts';
import type { Dependencies } from '../dependencies.ts';
import { countOpened, countReturned } from '../feedback/commands.ts';
import { continuation } from '../search/answer.ts';
import { findSentText, type SentText, toSentText } from './texts.ts';

/** The filters of a list of sources. With a client, only the sources of its layer. */
export type SourceListFilter = SourceFilter & { clientId: string | undefined };

/**
 * Lists sources, except sources that are loading.
 * @throws ServiceError `scope_forbidden` for a client that the caller cannot read
 */
export async function listSources(
  { database }: Pick<Dependencies, 'database'>,
  scope: TeamScope,
  part: SortedPart,
  { clientId, ...filter }: SourceListFilter,
): Promise<Sorted<Source>[]> {
  const narrowed = narrowToClient(scope, clientId);
  return readFromReplica(database, narrowed, (from) =>
    readList(from, narrowed, part, (tx) => selectSources(tx, part, filter)),
  );
}

/** A page of the list of tags, as the query of the request asks for it. */
interface TagPage extends Pick<ListPart, 'limit' | 'count'> {
  cursor: string | undefined;
  /** With a client, only the sources of its layer are counted. */
  clientId: string | undefined;
}

/**
 * Lists the tags of the active sources that the caller can read, in the order of their characters, each with the number
 * of these sources that have it.
 * @throws ServiceError `invalid_request` for a cursor of another list, `scope_forbidden` for a client that the
 *   caller cannot read
 */
export async function listTags(
  { database }: Pick<Dependencies, 'database'>,
  scope: TeamScope,
  { limit, cursor, clientId, ...count }: TagPage,
): Promise<{ items: TagCount[]; nextCursor: string | null }> {
  const after = parseTagCursor(cursor);
  const narrowed = narrowToClient(scope, clientId);
  // One more than the page has, to find out whether there is a next page.
  const part = { after, limit: limit + 1, ...count };
  const found = await readFromReplica(database, narrowed, (from) =>
    readList(from, narrowed, part, (tx) => countTags(tx, part)),
  );
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: found.length > limit && last ? cursorOf(last.tag) : null };
}

/** The cursor is the last tag shown, so that a new tag does not shift the pages. */
function cursorOf(tag: string): string {
  return Buffer.from(tag).toString('base64url');
}

function parseTagCursor(cursor: string | undefined): string | null {
  if (cursor === undefined) return null;
  const tag = Buffer.from(cursor, 'base64url').toString();
  // Decoding ignores or replaces what is not valid, so the cursor is compared with the encoding of its tag.
  if (tag === '' || tag.includes('\0') || normalizeTag(tag) !== tag || cursorOf(tag) !== cursor) {
    throw invalidField('/cursor', 'is not a cursor of this list');
  }
  return tag;
}

/** A source, and a part of its chunks. */
export interface SourcePart extends FoundSource {
  chunks: (Chunk & { id: string })[];
  /** The text as it was sent. Empty if it was not asked for. */
  sent: Partial<SentText>;
}

/** What a reader of a source asks for. */
interface SourceReading {
  /** The text as it was sent: the present one for null, or a former one. */
  version?: number | null;
  /** The field that says where the part begins, and what is wrong with it if its chunk has been replaced. */
  stale?: { path: string; message: string };
}

/**
 * Reads a source, a part of its chunks and its text, all of the same moment. Counts that it was opened, for its first part.
 * @returns null if the source or the version does not exist
 * @throws ServiceError `invalid_request` if the part begins after a chunk that has been replaced
 */
export async function getSource(
  database: Database,
  scope: TeamScope,
  id: string,
  part: ListPart,
  {
    version,
    stale = { path: '/cursor', message: 'is not a cursor of the current text of the source' },
  }: SourceReading = {},
): Promise<SourcePart | null> {
  const read = await readTogether(database, scope, async (tx) => {
    const found = await findSource(tx, id);
    if (found === null) return null;
    const chunks = await listSourceChunks(tx, id, part);
    if (chunks === null) throw invalidField(stale.path, stale.message);
    const stored = version === undefined ? undefined : await findSentText(tx, id, version);
    if (stored === null) return null;
    return { ...found, stored, chunks: chunks.map((chunk) => ({ ...chunk, id: chunk.chunk_id })) };
  });
  if (read === null) return null;
  // Its other parts belong to the same reading.
  if (part.after === null) countOpened(database, scope, id);
  countReturned(database, scope, read.chunks);
  const { stored, ...rest } = read;
  return { ...rest, sent: stored === undefined ? {} : await toSentText(stored) };
}

/** Returns the title of the active source of a layer with an external id; null if it does not exist. */
export function readTitle(
  database: Database,
  scope: TeamScope,
  named: { externalId: string; layerId: LayerId },
): Promise<string | null> {
  return readOnce(database, scope, (tx) => findTitle(tx, named));
}

/** Chunks of one read: most parts need one or two. */
const CHUNKS_PER_READ = 60;

/** The error for a place that the current text does not have. */
const STALE = { path: '/id', message: 'the text was replaced; fetch it from its id' };

/** A place in the text of a source. */
export interface TextPosition {
  /** The last chunk before it; null in the first chunk. */
  after: string | null;
  /** Where it is in the own text of the chunk that follows, in UTF-16 code units. */
  offset: number;
}

/** A source with a part of its text. */
export interface SourceTextPart extends FoundSource {
  text: string;
  /** Where the next part begins. Null at the end of the text. */
  next: TextPosition | null;
}

/** How a part of a text is limited. */
export interface TextRoom {
  /** The most that the part takes, as `measure` counts it. */
  room: (source: FoundSource) => number;
  measure: (text: string) => number;
  /** Where the longest part of a text ends that begins at `start` and fits into the room. */
  endOfFitting: (text: string, start: number, room: number) => number;
}

/**
 * Reads the text of a source from a position on: as many whole chunks as fit or, if not one does, the beginning of one.
 * @throws ServiceError `not_found`; `invalid_request` if the position is not in the current text
 */
export async function readSourceText(
  database: Database,
  scope: TeamScope,
  { id, position }: { id: string; position: TextPosition },
  limits: TextRoom,
): Promise<SourceTextPart> {
  let found: FoundSource | null = null;
  let left = Number.NaN;
  let { after, offset } = position;
  let read = '';
  for (;;) {
    const part = await getSource(
      database,
      scope,
      id,
      { limit: CHUNKS_PER_READ + 1, after },
      { stale: STALE },
    );
    if (part === null) throw new ServiceError('not_found');
    if (found === null) {
      found = { source: part.source, metadata: part.metadata };
      left = limits.room(found);
    }
    const { chunks } = part;
    for (const chunk of chunks.slice(0, CHUNKS_PER_READ)) {
      // The part before has the heading row of a table that goes on.
      const { joint, text: own } = continuation(chunk);
      const text = own.slice(offset);
      if (offset > 0 && text === '') throw invalidField(STALE.path, STALE.message);
      const next = read === '' ? text : `${joint}${text}`;
      left -= limits.measure(next);
      if (left < 0) {
        if (read !== '') return { ...found, text: read, next: { after, offset: 0 } };
        const end = limits.endOfFitting(own, offset, limits.room(found));
        return { ...found, text: own.slice(offset, end), next: { after, offset: end } };
      }
      read += next;
      after = chunk.id;
      offset = 0;
    }
    if (chunks.length <= CHUNKS_PER_READ) return { ...found, text: read, next: null };
  }
}

/** Bytes that are read at once: what a download needs in memory. An object of a bucket is read in such blocks too. */
const SLICE_BYTES = 1024 * 1024;

/** Some bytes of a file, the last one included. */
export interface ByteRange {
  start: number;
  end: number;
}

/**
 * Finds the original of a source.
 * @throws ServiceError `not_found` if it has none, is archived, or is out of reach
 */
export async function findOriginal(
  { database }: Pick<Dependencies, 'database'>,
  scope: TeamScope,
  sourceId: string,
): Promise<OriginalFile> {
  const original = await readOnce(database, scope, (tx) => find(tx, sourceId));
  if (original === null) throw new ServiceError('not_found');
  return original;
}

/**
 * Reads bytes of an original, slice by slice. Each slice is a transaction of its own, so that a slow reader keeps no
 * connection, and checks again that the scope can read the content: after a purge, the next slice fails. Counts that the
 * source was opened, if the range begins with the file.
 * @returns the slices. The first one has been read
 * @throws ServiceError `not_found` if the content was deleted in the meantime
 */
export async function readOriginal(
  { blobs, database, logger }: Pick<Dependencies, 'blobs' | 'database' | 'logger'>,
  scope: TeamScope,
  sourceId: string,
  sha256: string,
  { start, end }: ByteRange,
): Promise<AsyncGenerator<Buffer, void>> {
  const readSlice = async (at: number) => {
    const slice = await blobs.readPart(scope, sha256, {
      start: at,
      // Up to the end of a block, so that no block is read twice.
      length: Math.min(SLICE_BYTES - (at % SLICE_BYTES), end + 1 - at),
    });
    if (slice === null) throw new ServiceError('not_found');
    return slice;
  };
  const first = await readSlice(start);
  if (start === 0) countOpened(database, scope, sourceId);
  return (async function* slices() {
    yield first;
    for (let at = start + first.length; at <= end; ) {
      // The answer has begun, so no status can tell the caller: the connection ends before all bytes are sent.
      const slice = await readSlice(at).catch((error: unknown) => {
        if (error instanceof ServiceError && error.code === 'not_found')
          logger.info({ sha256 }, 'a download ended early: the content can no longer be read');
        else logger.error({ err: error, sha256 }, 'a download ended early');
        throw error;
      });
      yield slice;
      at += slice.length;
    }
  })();
}
