import { foldName } from '../../shared/formats/names.ts';
import type { Database, Queryable } from '../driver/database.ts';
import { lockStartupStep } from './lock.ts';

/** The longest name of a Team or a client, in characters. */
const MAX_NAME = 300;

/** A Team or a client whose name is not folded yet. Its name must be unique in its Company or Team. */
interface Unfolded {
  id: string;
  /** The Company of a Team, the Team of a client. */
  owner: string;
  name: string;
  /** False: an archived client, whose name others can have. */
  isUnique: boolean;
}

/**
 * Stores the folded names of Teams and clients from before names were unique. Of equal names, the oldest stays, and the
 * others get a number: "North (2)". Runs as the owner of the tables.
 */
export async function foldStoredNames(database: Database): Promise<void> {
  await database.transaction(async (tx) => {
    await lockStartupStep(database, tx, 'bootstrap');
    await foldAll(tx, {
      table: 'identity.team',
      owner: 'company_id',
      isUnique: 'deleted_at is null',
    });
    await foldAll(tx, { table: 'identity.client', owner: 'team_id', isUnique: `state = 'active'` });
  });
}

async function foldAll(tx: Queryable, { table, owner, isUnique }: Record<string, string>): Promise<void> {
  const unfolded = await tx.query<Unfolded>(
    `select id, ${owner} as owner, name, ${isUnique} as "isUnique" from ${table}
      where folded_name is null order by created_at, id`,
  );
  if (unfolded.length === 0) return;
  const owners = [...new Set(unfolded.map((row) => row.owner))];
  const known = await tx.query<{ owner: string; folded: string }>(
    `select ${owner} as owner, folded_name as folded from ${table}
      where ${owner} = any ($1::uuid[]) and ${isUnique} and folded_name is not null`,
    [owners],
  );
  const taken = new Set(known.map((row) => `${row.owner} ${row.folded}`));
  // First, so that a number never gives a name that another one has already.
  const first = new Map<string, string>();
  for (const row of unfolded) {
    const key = `${row.owner} ${foldName(row.name)}`;
    if (row.isUnique && !taken.has(key) && !first.has(key)) first.set(key, row.id);
  }
  for (const key of first.keys()) taken.add(key);
  const keeps = new Set(first.values());
  const freeName = numberNames(taken);
  const named = unfolded.map((row) => ({
    id: row.id,
    name: row.isUnique && !keeps.has(row.id) ? freeName(row) : row.name,
  }));
  await tx.query(
    `update ${table} t set name = n.name, folded_name = n.folded
       from unnest($1::uuid[], $2::text[], $3::text[]) as n (id, name, folded) where t.id = n.id`,
    [named.map(({ id }) => id), named.map(({ name }) => name), named.map(({ name }) => foldName(name))],
  );
}

/** Gives names, with numbers where they are taken. Takes each name that it gives. */
function numberNames(taken: Set<string>): (row: Unfolded) => string {
  /** Lower numbers are taken, so thousands of equal names need not try them again. */
  const next = new Map<string, number>();
  return ({ owner, name }) => {
    for (let number = next.get(`${owner} ${name}`) ?? 1; ; number++) {
      const suffix = number === 1 ? '' : ` (${number})`;
      const candidate = `${Array.from(name)
        .slice(0, MAX_NAME - suffix.length)
        .join('')}${suffix}`;
      const key = `${owner} ${foldName(candidate)}`;
      if (taken.has(key)) continue;
      taken.add(key);
      next.set(`${owner} ${name}`, number + 1);
      return candidate;
    }
  };
}
