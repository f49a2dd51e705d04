import type { AgentToken, Identity } from '../../../shared/access.ts';
import type { Config } from '../../../shared/config.ts';
import type { CompanyScope } from '../../../shared/scope.ts';
import { prepared, type Queryable, type ScopedTransaction } from '../../driver/database.ts';
import { type ListPart, wireTime } from '../common.ts';
import { queryList } from '../query-list.ts';

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

/** What has an end, as the database returns it in JSON. */
type Resolved<T> = Omit<T, 'expiresAt'> & { expiresAt: string };
/** A caller, as the database returns it. */
type ResolvedIdentity = Omit<Identity, 'session' | 'token'> & {
  session: Resolved<NonNullable<Identity['session']>> | null;
  token: Resolved<AgentToken> | null;
};

function toIdentity({ session, token, ...caller }: ResolvedIdentity): Identity {
  return {
    ...caller,
    session: session && { ...session, expiresAt: new Date(session.expiresAt) },
    token: token && { ...token, expiresAt: new Date(token.expiresAt) },
  };
}

/** Returns the caller whose session has a token with this hash. Needs no scope, because the caller knows the secret. */
export async function resolveSession(
  tx: Queryable,
  tokenHash: Buffer,
  teamId: string | null,
  limits: Pick<Config, 'sessionIdleSeconds' | 'sessionMaxSeconds'>,
): Promise<Identity | 'unknown' | 'expired'> {
  const [row] = await tx.query<{ caller: ResolvedIdentity | { expired: true } | null }>(
    'select identity.resolve_session($1, $2, $3, $4) as caller',
    [tokenHash, teamId, limits.sessionIdleSeconds, limits.sessionMaxSeconds],
  );
  const caller = row?.caller ?? null;
  if (caller === null) return 'unknown';
  return 'expired' in caller ? 'expired' : toIdentity(caller);
}

/** The requests of a session, of an agent token or of the service's own token, and those of its account. */
export type RequestCounts = readonly [session: RequestCount, account: RequestCount];

/** How a caller is found. */
export interface CallerLookup {
  /**
   * SHA-256 of the token of a session, or of the secret of an agent token; null for the service's own token, which must
   * be compared before.
   */
  tokenHash: Buffer | null;
  /** By which an agent token is looked up; null for other tokens. */
  lookupId: string | null;
  /** The Team that the request names. */
  teamId: string | null;
  /** The address of the caller, which is stored with the time of use of an agent token. */
  address: string;
  /** The length of a time window for counting the request. Null: it is not counted. */
  windowMs: number | null;
}

/** The caller of a request. */
export interface FoundCaller {
  identity: Identity;
  /** Null if the request was not counted. */
  counts: RequestCounts | null;
}

/** Why a token that exists does not count: it is past its end, was revoked, or was replaced by a rotation. */
export type TokenEnd = 'expired' | 'revoked' | 'replaced';

const RESOLVE_CALLER = prepared('select identity.resolve_caller($1, $2, $3, $4, $5, $6, $7) as caller');

/**
 * Returns the caller of a request, and counts the request. Needs no scope, because the caller knows the secret. One
 * statement, in its own short transaction, as the connecting role: it calls one function, whose rights do not depend on
 * the role. So it takes one round trip, and a request that is refused after it counts too.
 */
export async function resolveCaller(
  database: Queryable,
  { tokenHash, lookupId, teamId, address, windowMs }: CallerLookup,
  limits: Pick<Config, 'sessionIdleSeconds' | 'sessionMaxSeconds'>,
): Promise<FoundCaller | 'unknown' | TokenEnd> {
  const [row] = await database.query<{
    caller: (ResolvedIdentity & { counts?: RequestCounts }) | { expired: true; reason?: TokenEnd } | null;
  }>(RESOLVE_CALLER, [
    tokenHash,
    lookupId,
    teamId,
    address,
    limits.sessionIdleSeconds,
    limits.sessionMaxSeconds,
    windowMs,
  ]);
  const caller = row?.caller ?? null;
  if (caller === null) return 'unknown';
  if ('expired' in caller) return caller.reason ?? 'expired';
  const { counts = null, ...identity } = caller;
  return { identity: toIdentity(identity), counts };
}

/** How many valid sessions an account can have. */
export const MAX_SESSIONS = 50;

/**
 * Inserts a session of the scope's user. If the user then has more than `MAX_SESSIONS`, ends those that were used
 * longest ago. Only the hash of the token is stored. Lock the account before: logins at the same time would not count
 * each other.
 * @returns the ids of the sessions that were ended
 */
export async function insertSession(
  tx: ScopedTransaction<CompanyScope>,
  session: { id: string; tokenHash: Buffer; userAgent: string | null },
  limits: Pick<Config, 'sessionIdleSeconds' | 'sessionMaxSeconds'>,
): Promise<string[]> {
  await tx.query('update identity.account set signed_in_at = now() where company_id = $1 and id = $2', [
    tx.scope.companyId,
    tx.scope.userId,
  ]);
  const rows = await tx.query<{ id: string }>(
    // Both parts see the table as it was before, so the new session is not in the list, and the list can have one less
    // than the limit. Expired sessions do not count and are not deleted, so that their callers learn that they have
    // expired.
    `with made as (
       insert into identity.session (company_id, id, user_id, token_hash, user_agent) values ($1, $2, $3, $4, $5))
     delete from identity.session s
      where s.company_id = $1 and s.user_id = $3 and s.id in (
        select l.id from identity.session l
         where l.company_id = $1 and l.user_id = $3
           and l.last_seen_at + make_interval(secs => $6) > now()
           and l.created_at + make_interval(secs => $7) > now()
         order by l.last_seen_at desc, l.id desc offset $8)
     returning s.id`,
    [
      tx.scope.companyId,
      session.id,
      tx.scope.userId,
      session.tokenHash,
      session.userAgent,
      limits.sessionIdleSeconds,
      limits.sessionMaxSeconds,
      MAX_SESSIONS - 1,
    ],
  );
  return rows.map(({ id }) => id);
}

/** A session in a list. */
export interface SessionRow {
  id: string;
  createdAt: string;
  lastSeenAt: string;
  expiresAt: string;
  userAgent: string | null;
}

/** Lists the sessions of the scope's user that have not expired, newest first. */
export async function listSessions(
  tx: ScopedTransaction<CompanyScope>,
  part: ListPart,
  limits: Pick<Config, 'sessionIdleSeconds' | 'sessionMaxSeconds'>,
): Promise<SessionRow[]> {
  const rows = await queryList<{
    id: string;
    createdAt: Date;
    lastSeenAt: Date;
    expiresAt: Date;
    userAgent: string | null;
  }>(
    tx,
    part,
    `select s.id, s.created_at as "createdAt", s.last_seen_at as "lastSeenAt", e.at as "expiresAt",
            s.user_agent as "userAgent"
       from identity.session s,
            lateral (select least(s.last_seen_at + make_interval(secs => $3),
                                  s.created_at + make_interval(secs => $4)) as at) e
      where s.company_id = $1 and s.user_id = $2 and e.at > now() and ($after::uuid is null or s.id < $after)
      order by s.id desc limit $limit`,
    {},
    [tx.scope.companyId, tx.scope.userId, limits.sessionIdleSeconds, limits.sessionMaxSeconds],
  );
  return rows.map((row) => ({
    ...row,
    createdAt: wireTime(row.createdAt),
    lastSeenAt: wireTime(row.lastSeenAt),
    expiresAt: wireTime(row.expiresAt),
  }));
}

/** Whether a session of the scope's user exists. Lock the account before, so that it cannot end meanwhile. */
export async function hasSession(tx: ScopedTransaction<CompanyScope>, sessionId: string): Promise<boolean> {
  const rows = await tx.query(
    'select from identity.session where company_id = $1 and user_id = $2 and id = $3',
    [tx.scope.companyId, tx.scope.userId, sessionId],
  );
  return rows.length > 0;
}

/** Ends a session of the scope's user. False: the user has no session with this id. */
export async function deleteSession(
  tx: ScopedTransaction<CompanyScope>,
  sessionId: string,
): Promise<boolean> {
  const rows = await tx.query(
    'delete from identity.session where company_id = $1 and user_id = $2 and id = $3 returning 1',
    [tx.scope.companyId, tx.scope.userId, sessionId],
  );
  return rows.length > 0;
}

/** Ends every session of the scope's user, except `exceptId`. */
export async function deleteSessions(
  tx: ScopedTransaction<CompanyScope>,
  exceptId: string | null = null,
): Promise<void> {
  await tx.query(
    `delete from identity.session
      where company_id = $1 and user_id = $2 and ($3::uuid is null or id <> $3)`,
    [tx.scope.companyId, tx.scope.userId, exceptId],
  );
}
