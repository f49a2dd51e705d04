import { MAX_NEIGHBOUR_CHARACTERS } from '../../shared/schemas/answer-shape.ts';
import type { Chunk, Hit } from '../../shared/schemas/memory.ts';
import { countCharacters } from '../../shared/text/characters.ts';

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
