import { type Database, readOnce } from '../../../db/driver/database.ts';
import { findTitledSource, readTitles, type TitledSource } from '../../../db/queries/search/nothing.ts';
import type { TeamScope } from '../../../shared/scope.ts';
import { characterKind, OTHER } from '../../../shared/text/terms/characters.ts';
import { foldMarks, normalizeText } from '../../../shared/text/words.ts';
import { findBestNames } from './best-names.ts';

/** Finds the source within the scope whose title is nearest to the query; null if no title shares three letters in a row. */
export async function findNearestTitle(
  database: Database,
  scope: TeamScope,
  query: string,
): Promise<TitledSource | null> {
  const asked = trigramsOf(query);
  if (asked.length === 0) return null;
  const [best] = await findBestNames(database, scope, readTitles, titleScore(asked), 1);
  return best === undefined ? null : readOnce(database, scope, (tx) => findTitledSource(tx, best.id));
}

/** Returns every three letters in a row within a word. Digits count as letters; case and accents are ignored. */
function trigramsOf(text: string): string[] {
  const folded = foldMarks(normalizeText(text));
  const found: string[] = [];
  let letters = 0;
  for (let i = 0; i < folded.length; i++) {
    letters = characterKind(folded.charCodeAt(i)) === OTHER ? 0 : letters + 1;
    if (letters >= 3) found.push(folded.slice(i - 2, i + 1));
  }
  return found;
}

/** Scores a title from 0 to 1 by the share of the trigrams of both texts that both have (Jaccard 1901). */
function titleScore(trigrams: readonly string[]): (title: string) => number {
  const asked = new Set(trigrams);
  return (title) => {
    const own = trigramsOf(title);
    const shared = new Set(own.filter((trigram) => asked.has(trigram))).size;
    return shared / (asked.size + own.length - shared);
  };
}
