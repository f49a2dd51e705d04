import { type Database, transactionWithFirstRead } from '../../db/driver/database.ts';
import { searchChunks } from '../../db/queries/search/search.ts';
import { SEARCHED } from '../../db/queries/search/terms.ts';
import { DEFAULT_TOP_K, type Hit } from '../../shared/schemas/search.ts';
import type { TeamScope } from '../../shared/scope.ts';
import { queryTerms } from '../../shared/text/terms/terms.ts';
import { TEST_MODEL_NAME } from '../../test/support/needs/database.ts';
import { LANGUAGES, readRetrievalSet } from '../../test/support/retrieval-set.ts';
import { drawQueries } from '../short/queries.ts';
import { type FilledTeam, fillTeam } from '../support/filled-teams.ts';
import { openNaturalText } from '../support/natural-text.ts';
import { type Asked, drawSearches } from '../support/searches.ts';

/** Different searches of one kind. */
export const SEARCHES = 4;
/** With so few, half of the passages are in hundreds of sources. */
const MOST_A_SOURCE = 5;

/** Searches of one kind in one Team. */
export interface Case {
  name: string;
  search(database: Database, nth: number): Promise<Hit[]>;
}

/** What half of the sources of a Team have, and one of them. */
const HALF = { kinds: ['import'], tags: ['half'] } as const;
const NARROW = { tags: ['narrow'] };

/** Returns when the older half of a Team's passages was stored. */
async function markSources(database: Database, { company: { teamId }, size }: FilledTeam): Promise<Date> {
  await database.query(
    `update memory.source s set kind = $2, tags = case m.nth when 2 then array['half', 'narrow'] else array['half'] end
       from (select id, row_number() over (order by id) as nth from memory.source where team_id = $1) m
      where s.team_id = $1 and s.id = m.id and m.nth % 2 = 0`,
    [teamId, HALF.kinds[0]],
  );
  const [row] = await database.query<{ at: Date }>(
    'select created_at as at from memory.chunk where team_id = $1 order by created_at offset $2 limit 1',
    [teamId, size / 2],
  );
  return row!.at;
}

async function casesOf(database: Database, team: FilledTeam, folder: string): Promise<Case[]> {
  const { size, scopes } = team;
  const createdAfter = await markSources(database, team);
  const sets = await Promise.all(LANGUAGES.map((language) => readRetrievalSet(folder, language)));
  const { short } = drawQueries(await openNaturalText(folder, size), size, sets, 2 * SEARCHES);
  const words = (query: string): Asked => ({ query, embedding: null });
  const common = short.get('common word')!;
  const questions = drawSearches(team, SEARCHES).map(({ query, vector }) => ({ query, embedding: vector }));
  const filtered = (filter: Partial<Asked>) => questions.map((question) => ({ ...question, ...filter }));
  const kinds: [string, TeamScope, Asked[]][] = [
    // What is asked most: by words and by meaning, in all that the caller can read.
    ['question', scopes.whole, questions],
    // Chunks of other layers are found by the same keys, and must be discarded.
    ['one client', scopes.clients[0]!, questions],
    // The index of times finds the passages.
    ['half pass a filter by time', scopes.whole, filtered({ createdAfter })],
    // The sources are found first, and then the passages of each.
    ['half pass a filter by kind and tag', scopes.whole, filtered(HALF)],
    // The few passages that pass are looked up one by one.
    ['one source passes a filter', scopes.whole, filtered(NARROW)],
    // Hundreds of guesses are looked up.
    ['misspelt word', scopes.whole, short.get('word with an error')!.slice(0, SEARCHES).map(words)],
    // The longest lists of passages with a key.
    [
      'two common words',
      scopes.whole,
      Array.from({ length: SEARCHES }, (_, nth) => words(`${common[2 * nth]} ${common[2 * nth + 1]}`)),
    ],
  ];
  return kinds.map(([kind, scope, all]) => {
    const searches = all.map(({ query, ...asked }) => ({ ...asked, terms: queryTerms(scope.teamId, query) }));
    return {
      name: `${size}, ${kind}`,
      search: (from, nth) =>
        transactionWithFirstRead(from, scope, (tx) =>
          searchChunks(tx, { ...searches[nth]!, model: TEST_MODEL_NAME, topK: DEFAULT_TOP_K }),
        ),
    };
  });
}

/**
 * Fills Teams and returns the cases of each. No table gets statistics. Another Team of the first size has a source that is
 * due and not archived yet: only then passages are hidden.
 */
export async function fillCases(
  database: Database,
  sizes: readonly number[],
  folder: string,
): Promise<Case[]> {
  for (const table of SEARCHED)
    await database.query(`alter table memory.${table} set (autovacuum_enabled = false)`);
  const cases: Case[] = [];
  for (const size of sizes) {
    cases.push(...(await casesOf(database, await fillTeam(database, size, folder, MOST_A_SOURCE), folder)));
  }
  const due = await fillTeam(database, sizes[0]!, folder, MOST_A_SOURCE);
  const others = await casesOf(database, due, folder);
  await database.query(
    `update memory.source set expires_at = now() - interval '1 minute'
      where team_id = $1 and id = (select id from memory.source where team_id = $1 order by id desc limit 1)`,
    [due.company.teamId],
  );
  // A search with a filter does not ask what is hidden.
  const unfiltered = others.filter(({ name }) => !name.includes('filter'));
  return [...cases, ...unfiltered.map((one) => ({ ...one, name: `${one.name}, a source is due` }))];
}
