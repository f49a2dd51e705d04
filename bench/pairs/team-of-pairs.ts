import { SEARCHED } from '../../db/queries/search/terms.ts';
import type { SignedIn, TestApp } from '../../test/support/app.ts';
import { countTermsNow } from '../../test/support/term-counts.ts';
import { HELD_LANGUAGES, PAIR_LANGUAGES, type Pair, type PairLanguage } from './languages.ts';

type Service = Pick<TestApp, 'app' | 'database'>;

/** A Team with the texts of all pairs, and any number of other passages. */
export interface TeamOfPairs {
  service: Service;
  team: SignedIn;
  pairs: readonly Pair[];
}

/** A source for each text would take several times as long. */
const PASSAGES_PER_SOURCE = 20;

/** Ingests texts, those next to each other in different sources. Titles have no word of a query. */
async function ingest(team: SignedIn, texts: readonly string[]): Promise<void> {
  const sources = Math.ceil(texts.length / PASSAGES_PER_SOURCE);
  for (let nth = 0; nth < sources; nth += 1) {
    const chunks = texts.filter((_, index) => index % sources === nth).map((text) => ({ text }));
    await team.api.ingestSource({ title: `Notes ${nth}`, chunks });
  }
}

/** What the worker and autovacuum do after many inserts. */
async function countWords({ database }: Service, team: SignedIn): Promise<void> {
  await countTermsNow(database, team);
  await database.query(`analyze ${SEARCHED.map((table) => `memory.${table}`).join(', ')}`);
}

/** Makes a Team of only the texts of the pairs. */
export async function storePairs(
  service: Service,
  team: SignedIn,
  pairs: readonly Pair[],
): Promise<TeamOfPairs> {
  await ingest(
    team,
    pairs.map(({ text }) => text),
  );
  await countWords(service, team);
  return { service, team, pairs };
}

/** Adds passages that answer no query. */
export async function addPassages({ service, team }: TeamOfPairs, texts: readonly string[]): Promise<void> {
  await ingest(team, texts);
  await countWords(service, team);
}

/** Where the text of a pair was found, and what came first. */
export interface Answer {
  pair: Pair;
  /** From 1; null where it is not among the first three. */
  place: number | null;
  /** The text of the first hit, or null where nothing was found. */
  first: string | null;
}

/** An answer is found if it is among so many hits. */
const PLACES = 3;

/** Asks the query of each pair, by keyword, as an HTTP request. */
export async function askPairs({ team, pairs }: TeamOfPairs): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const pair of pairs) {
    const body = { query: pair.query, scope: {}, topK: PLACES, embeddingMode: 'keyword' };
    const { hits } = await team.api.searchMemory(body);
    const place = hits.findIndex((hit) => hit.text === pair.text) + 1;
    answers.push({ pair, place: place === 0 ? null : place, first: hits[0]?.text ?? null });
  }
  return answers;
}

/** Percent of the queries whose text was found, and found first. */
export interface Found {
  found: number;
  first: number;
}

function shareOf(answers: readonly Answer[]): Found {
  const percent = (counts: (answer: Answer) => boolean) =>
    (100 * answers.filter(counts).length) / answers.length;
  return { found: percent(({ place }) => place !== null), first: percent(({ place }) => place === 1) };
}

/** The share of each language. */
export function sharesOf(answers: readonly Answer[]): Map<PairLanguage, Found> {
  return new Map(
    PAIR_LANGUAGES.map((language) => [
      language,
      shareOf(answers.filter(({ pair }) => pair.language === language)),
    ]),
  );
}

/** The mean over the languages that are held to a target. */
export function meanOf(shares: ReadonlyMap<PairLanguage, Found>): Found {
  const mean = (share: keyof Found) =>
    HELD_LANGUAGES.reduce((sum, language) => sum + (shares.get(language)?.[share] ?? 0), 0) /
    HELD_LANGUAGES.length;
  return { found: mean('found'), first: mean('first') };
}
