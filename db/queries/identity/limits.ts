import type { Queryable } from '../../driver/database.ts';

/** How long a failed password counts. */
export const FAILED_PASSWORD_SECONDS = 15 * 60;
/** How many passwords can fail in that time. */
export const MAX_FAILED_PASSWORDS = 10;

/** The requests of one key in its current time window. */
export interface RequestCount {
  /** Includes the request that was just counted. */
  requests: number;
  endsInMs: number;
}

/**
 * Counts a request against limits, for all API processes together. One statement in its own short transaction, as the
 * connecting role: a refused request counts too, and other requests wait only for this statement. `resolveCaller` counts
 * the requests of signed-in callers in the same way.
 * @param keys hashes of the callers that are counted, all different
 * @param windowMs the length of a time window, which starts with its first request
 * @returns the count of each key, in the order of `keys`
 */
export async function countRequest(
  database: Queryable,
  keys: readonly Buffer[],
  windowMs: number,
): Promise<RequestCount[]> {
  return database.query<RequestCount>(
    `select requests, ends_in_ms as "endsInMs"
       from identity.count_requests(array(select decode(hex, 'hex') from unnest($1::text[]) hex), $2)`,
    [keys.map((key) => key.toString('hex')), windowMs],
  );
}

/** The failures of the row `f` that still count, oldest first. */
const RECENT = `array(select t from unnest(f.at) as t
  where t > clock_timestamp() - make_interval(secs => ${FAILED_PASSWORD_SECONDS}) order by t)`;

/**
 * Returns in how many seconds another password can be tried. 0: now.
 * @param key a hash of the email and the address
 */
export async function secondsUntilPassword(database: Queryable, key: Buffer): Promise<number> {
  const [row] = await database.query<{ seconds: number }>(
    `select ceil(extract(epoch from r.at[cardinality(r.at) - ${MAX_FAILED_PASSWORDS - 1}]
              + make_interval(secs => ${FAILED_PASSWORD_SECONDS}) - clock_timestamp()))::int as seconds
       from identity.failed_password f, lateral (select ${RECENT} as at) r
      where f.key = $1 and cardinality(r.at) >= ${MAX_FAILED_PASSWORDS}`,
    [key],
  );
  return Math.max(row?.seconds ?? 0, 0);
}

/**
 * Counts a failed password, atomically: attempts at the same time are counted up to the limit.
 * @returns false if the limit was reached before this one, which then does not count
 */
export async function recordFailedPassword(database: Queryable, key: Buffer): Promise<boolean> {
  const [row] = await database.query<{ refused: boolean }>(
    `insert into identity.failed_password as f (key, at) values ($1, array[clock_timestamp()])
     on conflict (key) do update set (at, refused) = (
       select case when r.full then r.at else r.at || clock_timestamp() end, r.full
         from (select n.at, cardinality(n.at) >= ${MAX_FAILED_PASSWORDS} as full
                 from (select ${RECENT} as at) n) r)
     returning refused`,
    [key],
  );
  return row?.refused === false;
}
