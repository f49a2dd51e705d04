import type pg from 'pg';
import { type KnownPrimaries, noteTimeline } from './known-servers.ts';
import { REPLACED, TIMELINE, WrongServerError } from './server-state.ts';

/*
 * A pooler chooses a server for each transaction, so it is not enough to check the server of a new connection. The
 * server itself must refuse the transaction: a single statement and its commit are in the packet of its `begin`.
 */

/** The connections to a pooler. */
const pooled = new WeakMap<pg.Client, KnownPrimaries>();

/** From now on, `sendBegin` checks the server of each transaction of a connection. */
export function checkEachBegin(client: pg.Client, primaries: KnownPrimaries): void {
  pooled.set(client, primaries);
}

/** The error of a server that fails the check contains this text, and after it the timeline. */
const MARK = 'replaced server of timeline ';
/** The SQLSTATE of a text that is no number. */
const NO_NUMBER = '22P02';

/** Returns the timeline of a server. It fails on one that is older, because it then converts a text into a number. */
const check = (newest: string) =>
  `select timeline, case when timeline < '${newest}' then ('${MARK}' || timeline)::int end
     from (select ${TIMELINE} as timeline) as server`;

/**
 * Sends what begins a transaction, or a script that is one. Behind a pooler, the server is checked in the same packet.
 * Not before a timeline was seen: a server can hide its log.
 * @param text begins with `begin`
 * @throws WrongServerError if the server was replaced. It refuses the rest of the transaction
 */
export async function sendBegin(client: pg.Client, text: string): Promise<pg.QueryResult | pg.QueryResult[]> {
  const primaries = pooled.get(client);
  if (primaries === undefined || primaries.newest === '') return client.query(text);
  const rest = text.trimStart().slice('begin'.length);
  try {
    const answers: unknown = await client.query(`begin; ${check(primaries.newest)}${rest}`);
    const [begun, checked, ...others] = answers as [pg.QueryResult, pg.QueryResult, ...pg.QueryResult[]];
    const { timeline } = checked.rows[0] as { timeline: string | null };
    if (timeline !== null) noteTimeline(primaries, timeline);
    return [begun, ...others];
  } catch (error) {
    const { code, message } = error as { code?: unknown; message: string };
    if (code === NO_NUMBER && message.includes(MARK)) throw new WrongServerError(REPLACED, { cause: error });
    throw error;
  }
}
