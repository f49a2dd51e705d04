import type { IndexState } from '../../../shared/schemas/workspace.ts';
import type { TeamTransaction } from '../../driver/database.ts';
import { clientColumn, inScope, isActive, scopeValues } from '../common.ts';

/** Returns which of the keys occur in the chunks within the scope. */
export async function knownKeys(tx: TeamTransaction, keys: readonly number[]): Promise<Set<number>> {
  if (keys.length === 0) return new Set();
  const [row] = await tx.query<{ known: number[] }>('select memory.known_keys($1::int[]) as known', [keys]);
  return new Set(row?.known);
}

/** Names with the ids of their rows, newest first. A name is on one line. */
export interface NamePage {
  ids: string[];
  names: string[];
}

/** Reads the next names after the row with this id. */
export type ReadNames = (tx: TeamTransaction, after: string) => Promise<NamePage>;

/** The place before the first page. */
export const NEWEST = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
/** Names of one page. */
export const NAME_PAGE = 2000;
const ID_LENGTH = 36;

/**
 * Makes the function that reads the names of some rows within the scope, a page at a time. A page is two texts, because
 * reading them takes less time than reading a thousand rows.
 * @param parts SQL that selects id and name of rows with an id below `$3`; of each part, the newest `$4` are read
 */
function namesOf(parts: readonly string[]): ReadNames {
  const rows = parts.map((part) => `(${part} order by id desc limit $4)`).join(' union all ');
  const statement = `select string_agg(p.id::text, '' order by p.id desc) as ids,
            string_agg(translate(p.name, E'\\r\\n', '  '), E'\\n' order by p.id desc) as names
       from (select r.id, r.name from (${rows}) r order by r.id desc limit $4) p`;
  return async (tx, after) => {
    const [row] = await tx.query<{ ids: string | null; names: string | null }>(statement, [
      ...scopeValues(tx.scope),
      after,
      NAME_PAGE,
    ]);
    if (row?.ids == null || row.names === null) return { ids: [], names: [] };
    const { ids } = row;
    const count = ids.length / ID_LENGTH;
    return {
      ids: Array.from({ length: count }, (_, n) => ids.slice(n * ID_LENGTH, (n + 1) * ID_LENGTH)),
      names: row.names.split('\n'),
    };
  };
}

/** Reads the titles of the active sources. */
export const readTitles = namesOf([
  `select s.id, s.title as name from memory.source s where ${inScope('s')} and s.id < $3 and ${isActive('s')}`,
]);

/** One part for each state, because the index is ordered within a state. */
const WAITING_IMPORTS = ['queued', 'running', 'failed'] as const;

/** Reads the filenames and titles of the imports that are not in the memory: they wait, run or have failed. */
export const readWaitingImports = namesOf(
  WAITING_IMPORTS.map(
    (state) => `select i.id, concat_ws(' ', i.filename, i.title) as name from memory.import i
      where ${inScope('i')} and i.id < $3 and i.state = '${state}'`,
  ),
);

/** One part for each index. */
const UNINDEXED = ['v.indexed is null', "v.indexed = 'pending'", "v.indexed = 'failed'"];

/** Reads the paths, within their layers, of the files that searches do not find: they wait or have failed. */
export const readWaitingFiles = namesOf(
  UNINDEXED.map(
    (state) => `select v.id, v.path as name from memory.workspace_version v
      where ${inScope('v')} and v.id < $3 and ${state} and v.until_revision is null and v.sha256 is not null`,
  ),
);

/** A source with its title. */
export interface TitledSource {
  sourceId: string;
  title: string;
}

/** Finds an active source within the scope, or null. */
export async function findTitledSource(tx: TeamTransaction, id: string): Promise<TitledSource | null> {
  const [row] = await tx.query<TitledSource>(
    `select s.id as "sourceId", s.title from memory.source s
      where ${inScope('s')} and s.id = $3 and ${isActive('s')}`,
    [...scopeValues(tx.scope), id],
  );
  return row ?? null;
}

/** An import that is not in the memory. */
export interface WaitingImport {
  id: string;
  state: (typeof WAITING_IMPORTS)[number];
  title: string;
}

/** Returns those of these imports that still wait, run or have failed, in no particular order. */
export function listWaitingImports(tx: TeamTransaction, ids: readonly string[]): Promise<WaitingImport[]> {
  return tx.query(
    `select i.id, i.state, i.title from memory.import i
      where ${inScope('i')} and i.id = any ($3::uuid[]) and i.state = any ($4::text[])`,
    [...scopeValues(tx.scope), ids, WAITING_IMPORTS],
  );
}

/** The current version of a file that searches do not find. */
export interface WaitingFile {
  id: string;
  clientId: string | null;
  name: string;
  bytes: number;
  indexed: IndexState | null;
}

/** Returns those of these versions that are current, in no particular order. */
export function listWaitingFiles(tx: TeamTransaction, ids: readonly string[]): Promise<WaitingFile[]> {
  return tx.query(
    `select v.id, ${clientColumn('v')} as "clientId", v.path as name, v.bytes, v.indexed from memory.workspace_version v
      where ${inScope('v')} and v.id = any ($3::uuid[]) and v.until_revision is null and v.sha256 is not null`,
    [...scopeValues(tx.scope), ids],
  );
}
