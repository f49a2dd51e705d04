import { type Database, readOnce } from '../../../db/driver/database.ts';
import {
  listWaitingFiles,
  listWaitingImports,
  readWaitingFiles,
  readWaitingImports,
} from '../../../db/queries/search/nothing.ts';
import type { Config } from '../../../shared/config.ts';
import { workspacePath } from '../../../shared/formats/workspace-path.ts';
import { hasPermission } from '../../../shared/permissions.ts';
import type { WaitingName } from '../../../shared/schemas/explanation.ts';
import type { TeamScope } from '../../../shared/scope.ts';
import { foldWord } from '../../../shared/text/terms/fold.ts';
import { countWords } from '../../../shared/text/words.ts';
import { lastSegment, shownIndexState } from '../../workspace/index-state.ts';
import { findBestNames, type ScoredName } from './best-names.ts';

/** As many as a person reads. */
const MAX_WAITING = 5;

type Found = ScoredName & { shown: WaitingName };

/**
 * Finds the imports and workspace files within the scope that searches do not find yet, or that have failed, and whose name
 * shares a word with the query: up to five, those that share the most words first, and then the newest.
 */
export async function findWaitingNames(
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
        shown: { path: workspacePath(clientId, name), state, title: lastSegment(name) },
      },
    ];
  });
}

const idsOf = (best: readonly ScoredName[]) => best.map(({ id }) => id);
const scoreOf = (best: readonly ScoredName[], id: string): ScoredName => ({
  id,
  score: best.find((name) => name.id === id)?.score ?? 0,
});
