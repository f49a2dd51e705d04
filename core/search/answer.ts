import type { TeamTransaction } from '../../db/driver/database.ts';
import { type ChunkQuery, selectNeighbours } from '../../db/queries/search/search.ts';
import { invalidField } from '../../shared/errors.ts';
import {
  DEFAULT_TOP_K,
  type Hit,
  MAX_NEIGHBOUR_CHARACTERS,
  MAX_TOP_K,
  type SearchRequest,
} from '../../shared/schemas/search.ts';
import type { Chunk } from '../../shared/schemas/sources.ts';
import { countCharacters, splitCharacters } from '../../shared/text/characters.ts';

/** Hits, and how many more characters the answer can have. */
export interface FilledAnswer {
  hits: Hit[];
  room: number;
}

/**
 * Returns the hits whose texts fit into `maxCharacters`: the best ones, up to the first that does not fit. A first hit
 * that does not fit is returned without others. With passages, the text of a hit counts twice, because the answer has it
 * twice: first all hits with their own passages are filled, then the other passages, best hits first.
 */
export function fillWithHits(hits: readonly Hit[], maxCharacters: number): FilledAnswer {
  let room = maxCharacters;
  const kept: Hit[] = [];
  for (const hit of hits) {
    const length = countCharacters(hit.text) * (hit.passages === undefined ? 1 : 2);
    if (length > room && kept.length > 0) break;
    kept.push(hit);
    room -= length;
  }
  return { hits: kept.map((hit) => withPassages(hit)), room: Math.max(room, 0) };

  function withPassages(hit: Hit): Hit {
    if (hit.passages === undefined) return hit;
    const [own, ...others] = hit.passages;
    const passages = own === undefined ? [] : [own];
    for (const passage of others) {
      const length = countCharacters(passage.text);
      if (length > room) break;
      passages.push(passage);
      room -= length;
    }
    return { ...hit, passages };
  }
}

/**
 * Gives each hit the chunks before and after it, up to `distance` on each side: first those of the best hit, the nearest
 * first. A chunk is in the answer only once, so the hits and their passages are nobody's neighbours. A side ends before
 * the first chunk that does not fit.
 * @param nearby the chunks of the hits' sources that can be neighbours, in any order
 */
export function addNeighbours(
  { hits, room }: FilledAnswer,
  nearby: readonly Chunk[],
  distance: number,
): Hit[] {
  const positionOf = (chunk: Chunk, offset = 0) => `${chunk.source_id}/${chunk.ordinal + offset}`;
  const free = new Map(nearby.map((chunk) => [positionOf(chunk), chunk]));
  for (const hit of hits) for (const chunk of [hit, ...(hit.passages ?? [])]) free.delete(positionOf(chunk));
  let left = Math.min(room, MAX_NEIGHBOUR_CHARACTERS);

  return hits.map((hit) => {
    const before: Side = { direction: -1, chunks: [], isFull: false };
    const after: Side = { direction: 1, chunks: [], isFull: false };
    for (let away = 1; away <= distance; away += 1) {
      for (const side of [before, after]) {
        const position = positionOf(hit, away * side.direction);
        const chunk = side.isFull ? undefined : free.get(position);
        // The source was moved to another layer after the hits were read. An answer shows it in one place.
        if (chunk === undefined || chunk.client_id !== hit.client_id) continue;
        const length = countCharacters(chunk.text);
        side.isFull = length > left;
        if (side.isFull) continue;
        side.chunks.push(chunk);
        free.delete(position);
        left -= length;
      }
    }
    return { ...hit, before: before.chunks.reverse(), after: after.chunks };
  });
}

/** The chunks on one side of a hit, the nearest first. */
interface Side {
  direction: -1 | 1;
  chunks: Chunk[];
  isFull: boolean;
}

/** What an answer contains besides the best chunks. */
export interface AnswerShape extends Required<Pick<ChunkQuery, 'topK' | 'bySource'>> {
  /** How many chunks to return before and after each hit. */
  neighbours: number;
  /** The most characters of all texts of the answer. Infinity without a limit. */
  maxCharacters: number;
}

/**
 * Parses the fields of a search that shape its answer.
 * @throws ServiceError `invalid_request`
 */
export function parseShape(body: SearchRequest): AnswerShape {
  const { topK, maxCharacters, neighbours = 0, group } = body;
  if (topK !== undefined && maxCharacters !== undefined) {
    throw invalidField('/maxCharacters', 'cannot be combined with topK');
  }
  return {
    topK: topK ?? (maxCharacters === undefined ? DEFAULT_TOP_K : MAX_TOP_K),
    bySource: group === 'source',
    neighbours,
    maxCharacters: maxCharacters ?? Number.POSITIVE_INFINITY,
  };
}

/** Limits hits to the characters of the answer, and adds their neighbours, which take one more statement. */
export async function shapeHits(
  tx: TeamTransaction,
  found: readonly Hit[],
  { neighbours, maxCharacters }: AnswerShape,
): Promise<Hit[]> {
  const filled = fillWithHits(found, maxCharacters);
  if (neighbours === 0) return filled.hits;
  const ids = filled.hits.map((hit) => hit.chunk_id);
  const nearby = ids.length === 0 || filled.room === 0 ? [] : await selectNeighbours(tx, ids, neighbours);
  return addNeighbours(filled, nearby, neighbours);
}

type Passage = Pick<Chunk, 'ordinal' | 'text' | 'repeated'>;

/** Between chunks that follow each other: only white space was lost there. */
const JOINT = '\n\n';
/** Between chunks that do not follow each other. */
export const GAP = '\n\n[…]\n\n';

/** Merges passages of one source into one text, in the order of the document. Neighbours are joined without a mark. */
export function mergePassages(passages: readonly Passage[]): string {
  const ordered = passages.toSorted((a, b) => a.ordinal - b.ordinal);
  return ordered
    .map((passage, index) => {
      const before = ordered[index - 1];
      if (before === undefined) return passage.text;
      if (before.ordinal + 1 !== passage.ordinal) return `${GAP}${passage.text}`;
      const { joint, text } = continuation(passage);
      return `${joint}${text}`;
    })
    .join('');
}

/**
 * A chunk as it continues the one before it: its text without the heading row of a table that it repeats, and what is
 * between the two. A table goes on with the next row, or with the rest of a row.
 */
export function continuation({ text, repeated = 0 }: Pick<Chunk, 'text' | 'repeated'>): {
  joint: string;
  text: string;
} {
  const [heading, own] = splitCharacters(text, repeated);
  if (heading === '') return { joint: JOINT, text: own };
  return { joint: heading.endsWith('\n') ? '\n' : ' ', text: own };
}
