import { type Database, readOnce } from '../../../db/driver/database.ts';
import { findTitledSource, readTitles, type TitledSource } from '../../../db/queries/search/nothing.ts';
import type { TeamScope } from '../../../shared/scope.ts';
import { characterKind, OTHER } from '../../../shared/text/terms/characters.ts';
import { foldWord } from '../../../shared/text/terms/fold.ts';
import { normalizeText } from '../../../shared/text/terms/normalize.ts';
import { findBestNames } from './best-names.ts';

/** Finds the source within the scope whose title is nearest to the query; null if no title shares three letters in a row. */
export async function findNearestTitle(
  database: Database,
  scope: TeamScope,
  query: string,
): Promise<TitledSource | null> {
  const asked = new Set<string>();
  visitTrigrams(query, (trigram) => asked.add(trigram));
  if (asked.size === 0) return null;
  const [best] = await findBestNames(database, scope, readTitles, (title) => likeness(asked, title), 1);
  return best === undefined ? null : readOnce(database, scope, (tx) => findTitledSource(tx, best.id));
}

/**
 * Visits every three letters in a row within a word. Digits count as letters; case and accents are ignored.
 * @returns how many there are
 */
function visitTrigrams(text: string, visit: (trigram: string) => void): number {
  const folded = foldWord(normalizeText(text));
  let count = 0;
  let letters = 0;
  for (let i = 0; i < folded.length; i++) {
    letters = characterKind(folded.charCodeAt(i)) === OTHER ? 0 : letters + 1;
    if (letters < 3) continue;
    count += 1;
    visit(folded.slice(i - 2, i + 1));
  }
  return count;
}

/** How many of the trigrams of two texts both have, from 0 to 1 (Jaccard 1901). One that a title repeats counts as two. */
function likeness(asked: ReadonlySet<string>, title: string): number {
  const shared = new Set<string>();
  const count = visitTrigrams(title, (trigram) => {
    if (asked.has(trigram)) shared.add(trigram);
  });
  return shared.size / (asked.size + count - shared.size);
}
