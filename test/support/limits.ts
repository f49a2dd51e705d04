import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { normalizeIP } from '@fastify/rate-limit';
import type { Database } from '../../db/driver/database.ts';
import type { outcome } from './sign-in.ts';

/** An IPv6 network of 64 bits that no other test asks from, without the `::` and the rest. */
export function freshNetwork(): string {
  const hex = randomBytes(4).toString('hex');
  return `2001:db8:${hex.slice(0, 4)}:${hex.slice(4)}`;
}

/** An address that no other test asks from. */
export function freshAddress(): string {
  return `${freshNetwork()}::1`;
}

/** An IPv4 address that no other test asks from. */
export function freshIPv4(): string {
  return ['10', ...randomBytes(3)].join('.');
}

/** The key under which the requests of a session, of an account or of an address are counted. */
export function requestKey(who: { session: string } | { account: string } | { address: string }): Buffer {
  if ('account' in who) return sha256(`account ${who.account}`);
  return sha256('session' in who ? `session ${who.session}` : `address ${normalizeIP(who.address)}`);
}

/** Who tries a password, and where from. */
export interface Origin {
  email: string;
  address: string;
}

/** The key under which failed passwords are counted. */
export function failureKey({ email, address }: Origin): Buffer {
  return sha256(`${email} ${normalizeIP(address)}`);
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest();
}

/**
 * Lets so many seconds of the minute pass in which requests are counted; with all 60 it ends. A negative number makes it
 * longer.
 */
export async function passSeconds(database: Database, key: Buffer, seconds: number): Promise<void> {
  const passed = await database.query(
    `update identity.request_count set ends_at = ends_at - make_interval(secs => $2) where key = $1
     returning 1`,
    [key, seconds],
  );
  assert.equal(passed.length, 1, 'was counted');
}

/** Makes the first `count` failed passwords older by so many seconds. */
export async function ageFailures(
  database: Database,
  origin: Origin,
  count: number,
  seconds: number,
): Promise<void> {
  const aged = await database.query(
    `update identity.failed_password set at = array(
       select t - case when place <= $2 then make_interval(secs => $3) else interval '0' end
         from unnest(at) with ordinality as f (t, place) order by place)
      where key = $1 returning 1`,
    [failureKey(origin), count, seconds],
  );
  assert.equal(aged.length, 1, 'failures were counted');
}

type Answer = Parameters<typeof outcome>[0] & { headers: Record<string, unknown> };

/** The limit that an answer tells of: how many, how many are left, and seconds until there are more. */
export function toldLimit({ headers }: Answer): { limit: number; remaining: number; reset: number } {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) => {
    assert.match(String(headers[`ratelimit-${name}`]), /^\d+$/, `ratelimit-${name}`);
    return Number(headers[`ratelimit-${name}`]);
  });
  return { limit: limit!, remaining: remaining!, reset: reset! };
}

/** Asserts that an answer is the refusal of one who asked too often, and tells when to come again. */
export function assertLimited(answer: Answer, limit: number, longestSeconds: number): void {
  assert.equal(answer.statusCode, 429, answer.body);
  assert.match(String(answer.headers['content-type']), /^application\/problem\+json/);
  const { code, status, title } = answer.json<Record<string, unknown>>();
  assert.deepEqual(
    [code, status, title],
    ['rate_limited', 429, 'Too many requests; wait before the next one'],
  );
  const told = toldLimit(answer);
  assert.deepEqual([told.limit, told.remaining], [limit, 0]);
  assert.ok(told.reset > 0 && told.reset <= longestSeconds, `comes again in ${told.reset} s`);
  assert.equal(answer.headers['retry-after'], answer.headers['ratelimit-reset']);
}
