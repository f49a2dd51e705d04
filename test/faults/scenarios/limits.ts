import { seededRandom } from '../../support/generated-text.ts';
import { quantile, type Reply, send, tally } from '../load/client.ts';
import { joinAsMember } from '../load/member.ts';
import { searchRequest } from '../load/mixed-load.ts';
import { startSystem } from '../load/system.ts';
import type { Findings, Scenario } from '../scenario.ts';

const PER_MINUTE = 200;
const FLOOD = 1200;
const SEARCHES = 40;
const SIGN_INS = 40;

const limited = (replies: readonly Reply[]) => replies.filter(({ status }) => status === 429);

/** Every 429 must say when to come back. */
function expectHeaders(findings: Findings, replies: readonly Reply[]): void {
  const bare = limited(replies).filter(
    ({ headers }) =>
      !/^\d+$/.test(headers.get('retry-after') ?? '') ||
      !['limit', 'remaining', 'reset'].every((part) => headers.has(`ratelimit-${part}`)),
  );
  findings.expect(bare.length === 0, `${bare.length} responses with 429 have no Retry-After or RateLimit-*`);
}

/** Sends these requests, some at once. */
async function sendAll(count: number, atOnce: number, one: () => Promise<Reply>): Promise<Reply[]> {
  const replies: Reply[] = [];
  let left = count;
  const loop = async () => {
    while (left > 0) {
      left -= 1;
      replies.push(await one());
    }
  };
  await Promise.all(Array.from({ length: atOnce }, loop));
  return replies;
}

export const limits: Scenario = {
  name: 'limits',
  summary:
    'floods one session and the sign-in; 429 with Retry-After and RateLimit-*, other accounts unaffected',
  limitSeconds: 90,
  run: async (context, findings) => {
    const env = { MEMORY_RATE_LIMITS: 'on', MEMORY_RATE_LIMIT_PER_MINUTE: String(PER_MINUTE) };
    const system = await startSystem(context, { env });
    const { url } = system;
    const token = await joinAsMember(url, 'member@example.com');
    const random = seededRandom(context.seed);
    const search = { ...searchRequest(random), token };
    const [flood, searches] = await Promise.all([
      sendAll(FLOOD, 8, () => send(url, { method: 'GET', path: '/v1/team' })),
      sendAll(SEARCHES, 1, () => send(url, search)),
    ]);
    const signIns = await sendAll(SIGN_INS, 4, () =>
      send(url, {
        method: 'POST',
        path: '/v1/auth/login',
        body: { email: 'member@example.com', password: 'not-the-right-password' },
        token: null,
      }),
    );
    const p95 = quantile(
      searches.map(({ ms }) => ms),
      0.95,
    );
    findings.figure(`flood of ${FLOOD}: ${tally(flood)}`);
    findings.figure(`another account's ${SEARCHES} searches: ${tally(searches)}, p95 ${p95.toFixed(0)} ms`);
    findings.figure(`${SIGN_INS} wrong passwords: ${tally(signIns)}`);
    const succeeded = flood.filter(({ status }) => status === 200).length;
    // The flood can last into a second minute.
    findings.expect(succeeded <= 2 * PER_MINUTE, `${succeeded} of ${FLOOD} requests passed the limit`);
    findings.expect(
      succeeded + limited(flood).length === FLOOD,
      `the flood got other responses than 200 and 429: ${tally(flood)}`,
    );
    findings.expect(
      searches.every(({ status }) => status === 200),
      `another account was affected: ${tally(searches)}`,
    );
    findings.expect(limited(signIns).length > 0, 'wrong passwords were never limited');
    findings.expect(
      signIns.every(({ status }) => status === 401 || status === 429),
      `wrong passwords got other responses than 401 and 429: ${tally(signIns)}`,
    );
    expectHeaders(findings, [...flood, ...signIns]);
    await system.stop(findings);
  },
};
