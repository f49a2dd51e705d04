import type { Database } from '../../db/driver/database.ts';
import type { FoundSource } from '../../db/queries/memory/source-library.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { TeamScope } from '../../shared/scope.ts';
import { readSource } from './read-source.ts';

/** Chunks of one read: most pages need one or two. */
const CHUNKS_PER_READ = 60;
/** Between two chunks: only white space was lost there. */
const JOINT = '\n\n';

/** A source with a part of its text. */
export interface SourceTextPart extends FoundSource {
  text: string;
  /** The last chunk of the part, after which the next part begins. Null at the end of the text. */
  lastChunkId: string | null;
}

/** How a part of a text is limited. */
export interface TextRoom {
  /** The most characters of the part, as `measure` counts them. At least one chunk is returned. */
  room: (source: FoundSource) => number;
  measure: (text: string) => number;
}

/**
 * Reads the text of a source from a chunk on: as many whole chunks as fit.
 * @param after the last chunk of the part before; null to begin
 * @throws ServiceError `not_found`; `invalid_request` if the text has been replaced since the part before was read
 */
export async function readSourceText(
  database: Database,
  scope: TeamScope,
  { id, after }: { id: string; after: string | null },
  { room, measure }: TextRoom,
): Promise<SourceTextPart> {
  let found: FoundSource | null = null;
  let left = Number.NaN;
  let lastChunkId = after;
  const texts: string[] = [];
  for (;;) {
    const part = await readSource(database, scope, id, { limit: CHUNKS_PER_READ + 1, after: lastChunkId });
    if (part === null) throw new ServiceError('not_found');
    if (found === null) {
      found = { source: part.source, metadata: part.metadata };
      left = room(found);
    }
    const { chunks } = part;
    for (const chunk of chunks.slice(0, CHUNKS_PER_READ)) {
      left -= measure(texts.length === 0 ? chunk.text : `${JOINT}${chunk.text}`);
      if (left < 0 && texts.length > 0) return { ...found, text: texts.join(JOINT), lastChunkId };
      texts.push(chunk.text);
      lastChunkId = chunk.id;
    }
    if (chunks.length <= CHUNKS_PER_READ) return { ...found, text: texts.join(JOINT), lastChunkId: null };
  }
}
