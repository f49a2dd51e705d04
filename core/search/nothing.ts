import { type Database, readOnce } from '../../db/driver/database.ts';
import {
  findTitledSource,
  knownKeys,
  listWaitingFiles,
  listWaitingImports,
  NAME_PAGE,
  NEWEST,
  type ReadNames,
  readTitles,
  readWaitingFiles,
  readWaitingImports,
  type TitledSource,
} from '../../db/queries/search/nothing.ts';
import type { Config } from '../../shared/config.ts';
import { workspacePath } from '../../shared/formats/workspace-path.ts';
import { hasPermission } from '../../shared/permissions.ts';
import { yieldBetweenSteps } from '../../shared/resources/async.ts';
import type { Nothing, WaitingName } from '../../shared/schemas/search.ts';
import type { TeamScope } from '../../shared/scope.ts';
import { characterKind, foldWord, normalizeText, OTHER } from '../../shared/text/terms/fold.ts';
import { keysOf, typedWords, unknownWords } from '../../shared/text/terms/typed-words.ts';
import { countWords } from '../../shared/text/terms/words.ts';
import { fileTitle, shownIndexState } from '../workspace/indexing.ts';

/** After so many names, the search for a better one ends. It continues while none was found. */
const MAX_NAMES = 100_000;
/** Names between two turns of the event loop, if they have taken long. */
const STEP = 50;

/** A row whose name has something in common with the query. */
interface ScoredName {
  id: string;
  score: number;
}

/**
 * Finds the rows whose names score highest, best first; of equal scores, the newest. Reads the names a page at a time, each
 * in a transaction of its own, so that other requests are answered between two pages.
 * @param score 0 for a name that has nothing in common with the query
 * @param most how many are returned at most
 */
async function findBestNames(
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

/** Finds the source within the scope whose title is nearest to the query; null if no title shares three letters in a row. */
async function findNearestTitle(
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

/** As many as a person reads. */
const MAX_WAITING = 5;

type Found = ScoredName & { shown: WaitingName };

/**
 * Finds the imports and workspace files within the scope that searches do not find yet, or that have failed, and whose name
 * shares a word with the query: up to five, those that share the most words first, and then the newest.
 */
async function findWaitingNames(
  database: Database,
  config: Pick<Config, 'indexFiles'>,
  scope: TeamScope,
  query: string,
): Promise<WaitingName[]> {
  const asked = termsOf(query);
  if (asked.size === 0) return [];
  const score = (name: string) => termsOf(name).intersection(asked).size;
  const found = [
    ...(await findImports(database, scope, score)),
    ...(canReadFiles(scope) ? await findFiles(database, config, scope, score) : []),
  ];
  return found
    .sort((a, b) => b.score - a.score || (a.id < b.id ? 1 : -1))
    .slice(0, MAX_WAITING)
    .map(({ shown }) => shown);
}

/** The terms by which names are compared: folded words, and what else finds them. */
function termsOf(text: string): Set<string> {
  const { words, parts, joined, bigrams, compounds, symbols } = countWords(text);
  const folded = [words, parts, joined].flatMap((terms) => Array.from(terms.keys(), foldWord));
  return new Set([...folded, ...bigrams.keys(), ...compounds.keys(), ...symbols.keys()]);
}

/** An agent token that cannot list files does not learn their names from a search. */
function canReadFiles({ tokenPermissions }: TeamScope): boolean {
  return tokenPermissions === null || hasPermission({ permissions: tokenPermissions }, 'workspace:read');
}

async function findImports(
  database: Database,
  scope: TeamScope,
  score: (name: string) => number,
): Promise<Found[]> {
  const best = await findBestNames(database, scope, readWaitingImports, score, MAX_WAITING);
  if (best.length === 0) return [];
  const rows = await readOnce(database, scope, (tx) => listWaitingImports(tx, idsOf(best)));
  return rows.map(({ id, state, title }) => ({
    ...scoreOf(best, id),
    shown: { importId: id, state, title },
  }));
}

async function findFiles(
  database: Database,
  config: Pick<Config, 'indexFiles'>,
  scope: TeamScope,
  score: (name: string) => number,
): Promise<Found[]> {
  // Nobody has decided yet on some of them.
  const isIndexed = (path: string) =>
    shownIndexState(config, { path, bytes: 1, deleted: false, indexed: null }) === 'pending';
  const scoreFile = (path: string) => (isIndexed(path) ? score(path) : 0);
  const best = await findBestNames(database, scope, readWaitingFiles, scoreFile, MAX_WAITING);
  if (best.length === 0) return [];
  const rows = await readOnce(database, scope, (tx) => listWaitingFiles(tx, idsOf(best)));
  return rows.flatMap(({ id, clientId, name, ...version }) => {
    const state = shownIndexState(config, { ...version, path: name, deleted: false });
    if (state !== 'pending' && state !== 'failed') return [];
    return [
      {
        ...scoreOf(best, id),
        shown: { path: workspacePath(clientId, name), state, title: fileTitle(name) },
      },
    ];
  });
}

const idsOf = (best: readonly ScoredName[]) => best.map(({ id }) => id);
const scoreOf = (best: readonly ScoredName[], id: string): ScoredName => ({
  id,
  score: best.find((name) => name.id === id)?.score ?? 0,
});

/** A search that has found nothing. */
export interface FruitlessSearch {
  /** What was searched. The filters of the search do not restrict what is described. */
  scope: TeamScope;
  query: string;
  /** Whether a vector of the query was compared. */
  hasVector: boolean;
}

/** Describes why a search has found nothing, and what to try, by what its scope can read. */
export async function describeNothing(
  database: Database,
  config: Pick<Config, 'indexFiles'>,
  { scope, query, hasVector }: FruitlessSearch,
): Promise<Nothing> {
  const words = typedWords(scope.teamId, query);
  const known = await readOnce(database, scope, (tx) => knownKeys(tx, keysOf(words)));
  return {
    legs: [
      ...(words.some(({ isCode }) => !isCode) ? (['words'] as const) : []),
      ...(words.some(({ isCode }) => isCode) ? (['codes'] as const) : []),
      ...(hasVector ? (['vectors'] as const) : []),
    ],
    unknownWords: unknownWords(words, known),
    waiting: await findWaitingNames(database, config, scope, query),
    nearest: await findNearestTitle(database, scope, query),
  };
}
