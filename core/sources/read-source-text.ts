import type { Database } from '../../db/driver/database.ts';
import type { FoundSource } from '../../db/queries/memory/source-library.ts';
import { invalidField, ServiceError } from '../../shared/errors.ts';
import type { TeamScope } from '../../shared/scope.ts';
import { continuation } from '../search/merge-passages.ts';
import { readSource } from './read-source.ts';

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
    const part = await readSource(database, scope, id, { limit: CHUNKS_PER_READ + 1, after }, STALE);
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
