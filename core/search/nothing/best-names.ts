import { type Database, readOnce } from '../../../db/driver/database.ts';
import { NAME_PAGE, NEWEST, type ReadNames } from '../../../db/queries/search/nothing.ts';
import { yieldBetweenSteps } from '../../../shared/resources/yield-between-steps.ts';
import type { TeamScope } from '../../../shared/scope.ts';

/** After so many names, the search for a better one ends. It continues while none was found. */
const MAX_NAMES = 100_000;
/** Names between two turns of the event loop, if they have taken long. */
const STEP = 50;

/** A row whose name has something in common with the query. */
export interface ScoredName {
  id: string;
  score: number;
}

/**
 * Finds the rows whose names score highest, best first; of equal scores, the newest. Reads the names a page at a time, each
 * in a transaction of its own, so that other requests are answered between two pages.
 * @param score 0 for a name that has nothing in common with the query
 * @param most how many are returned at most
 */
export async function findBestNames(
  database: Database,
  scope: TeamScope,
  readNames: ReadNames,
  score: (name: string) => number,
  most: number,
): Promise<ScoredName[]> {
  const yieldIfDue = yieldBetweenSteps();
  let best: ScoredName[] = [];
  let after = NEWEST;
  for (let read = 0; read < MAX_NAMES || best.length === 0; read += NAME_PAGE) {
    const { ids, names } = await readOnce(database, scope, (tx) => readNames(tx, after));
    const last = ids.at(-1);
    if (last === undefined) break;
    for (const [index, id] of ids.entries()) {
      const scored = { id, score: score(names[index] ?? '') };
      if (scored.score > (best.length < most ? 0 : best.at(-1)!.score)) {
        best = [...best, scored].sort((a, b) => b.score - a.score).slice(0, most);
      }
      if (index % STEP === 0) await yieldIfDue();
    }
    if (ids.length < NAME_PAGE) break;
    after = last;
  }
  return best;
}
