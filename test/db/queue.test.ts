import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import fc from 'fast-check';
import { LONG_JOB_TURN } from '../../db/queue/pg-boss-jobs.ts';
import { newId } from '../../shared/ids.ts';
import { QUEUE_NAMES } from '../../shared/queues.ts';
import { openOwnTestApp } from '../support/own-service.ts';

/** A queue of its own: elsewhere workers take jobs from it. */
const { database, queue } = await openOwnTestApp();
const QUEUE = 'import.process';

async function send(companyId: string, jobs: number, teamId = companyId): Promise<void> {
  const payload = { companyId, teamId, userId: companyId, layerId: teamId, tokenId: null };
  const payloads = Array.from({ length: jobs }, () => ({ ...payload, importId: newId() }));
  await database.transaction((tx) => queue.enqueueInTurn(tx, QUEUE, { companyId, teamId }, payloads));
}

interface Taken {
  id: string;
  group: string;
  groupId: string | null;
  team: string | null;
  retryCount: number;
}

/** Takes the next job, as a worker does, of those with turns within these. */
async function take(turns: { minPriority?: number; maxPriority?: number } = {}): Promise<Taken | null> {
  const [job] = await queue.boss.fetch(QUEUE, { includeMetadata: true, ...turns });
  if (job === undefined) return null;
  const { id, groupId = null, groupTier: team = null, retryCount } = job;
  return { id, group: groupId ?? '', groupId, team, retryCount };
}

/** The Teams of the next jobs, in the order in which they are taken. */
async function nextTeams(jobs: number): Promise<string> {
  let teams = '';
  for (let n = 0; n < jobs; n += 1) teams += (await take())?.team ?? '-';
  return teams;
}

/** The groups of the next jobs, in the order in which they are taken. */
async function nextGroups(jobs: number): Promise<string> {
  let groups = '';
  for (let n = 0; n < jobs; n += 1) groups += (await take())?.group ?? '-';
  return groups;
}

/** Empties the queue: each test begins with none waiting. */
async function empty(): Promise<void> {
  await queue.boss.deleteAllJobs(QUEUE);
}

/** A job that was tried and is to be tried again after so many seconds. */
async function tryAgain({ id }: Taken, seconds: number): Promise<void> {
  await queue.boss.fail(QUEUE, id);
  await database.query(
    'update pgboss.job set start_after = now() + make_interval(secs => $2) where id = $1',
    [id, seconds],
  );
}

describe('turns of groups of jobs', () => {
  test('a single job runs next, however many jobs of another group wait', async () => {
    await empty();
    for (let sent = 0; sent < 10_000; sent += 500) await send('a', 500);
    assert.equal(await nextGroups(5), 'aaaaa');
    await send('b', 1);
    assert.match(await nextGroups(2), /b/);
    await send('c', 1);
    await send('b', 1);
    assert.match(await nextGroups(3), /^(?=.*b)(?=.*c)/);
  });

  test('two groups with many jobs alternate from the time the second group arrives', async () => {
    await empty();
    await send('a', 40);
    assert.equal(await nextGroups(20), 'a'.repeat(20));
    await send('b', 30);
    const taken = await nextGroups(40);
    assert.match(taken, /^(ab|ba){20}$/);
    assert.equal(
      await nextGroups(11),
      `${'b'.repeat(10)}-`,
      'what is left of one is taken without the other',
    );
  });

  test('a released job does not move other jobs of its group forward', async () => {
    await empty();
    await send('a', 40);
    const old = await take();
    assert.ok(old);
    await nextGroups(19);
    await database.transaction((tx) => queue.release(tx, QUEUE, old));
    await send('b', 20);
    // That job, and from then on one and one.
    assert.match(await nextGroups(41), /^(?:a(?:ab|ba){20}|b(?:aa|ab)(?:ab|ba){19})$/);
  });

  test('a released job is dequeued next, and uses no retry', async () => {
    await empty();
    await send('a', 3);
    await send('b', 3);
    const taken = await take();
    assert.ok(taken);
    const budget = async () => {
      const [job] = await queue.boss.findJobs(QUEUE, { id: taken.id });
      assert.ok(job);
      return job.retryLimit - job.retryCount;
    };
    const before = await budget();
    await database.transaction((tx) => queue.release(tx, QUEUE, taken));
    assert.equal(await budget(), before);
    const next = [await take(), await take()].find((job) => job?.id === taken.id);
    assert.ok(next);
    assert.equal(await budget(), before);
    // The attempt that was given back runs no longer, and can neither complete the new one nor give it back.
    for (const act of ['assertRunning', 'complete', 'release'] as const) {
      const late = database.transaction((tx) => queue[act](tx, QUEUE, taken));
      await assert.rejects(late, { name: 'LostJobError' });
    }
    await database.transaction((tx) => queue.assertRunning(tx, QUEUE, next));
    await database.transaction((tx) => queue.complete(tx, QUEUE, next));
  });

  test('each other group passes a waiting group at most three times', async () => {
    const step = fc.oneof(
      {
        weight: 2,
        arbitrary: fc.record({
          send: fc.constantFrom('a', 'b', 'c', 'd'),
          jobs: fc.integer({ min: 1, max: 20 }),
        }),
      },
      { weight: 6, arbitrary: fc.record({ take: fc.constantFrom('done', 'again', 'back') }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 40, maxLength: 60, size: 'max' }), async (steps) => {
        await empty();
        const waiting = new Map<string, number>();
        /** How often each group was taken since the other was, while that had jobs waiting. */
        const passed = new Map<string, Map<string, number>>();
        const givenBack = new Set<string>();
        for (const now of steps) {
          if ('send' in now) {
            await send(now.send, now.jobs);
            waiting.set(now.send, (waiting.get(now.send) ?? 0) + now.jobs);
            continue;
          }
          const job = await take();
          if (job === null) continue;
          const { group } = job;
          waiting.set(group, (waiting.get(group) ?? 0) - 1);
          passed.delete(group);
          for (const [other, jobs] of waiting) {
            // One that was given back has its turn again, and no more than that.
            if (other === group || jobs === 0 || givenBack.has(job.id)) continue;
            const times = passed.get(other) ?? new Map<string, number>();
            times.set(group, (times.get(group) ?? 0) + 1);
            passed.set(other, times);
            // Twice mostly. A third time where the other had just begun one turn ahead, while the next job of the one
            // furthest on, which this one joined, failed and so left its turn.
            assert.ok((times.get(group) ?? 0) <= 3, `${other} waits while ${group} is taken`);
          }
          if (now.take === 'again') await tryAgain(job, 3600);
          if (now.take === 'back') {
            await database.transaction((tx) => queue.release(tx, QUEUE, job));
            waiting.set(group, (waiting.get(group) ?? 0) + 1);
            givenBack.add(job.id);
          }
        }
      }),
      { numRuns: 15, endOnFailure: true },
    );
  });
});

test('a waiting job is kept for years, and a waiting query for minutes', async () => {
  const queues = await database.query<{ name: string; seconds: number }>(
    'select name, retention_seconds as seconds from pgboss.queue where name = any($1)',
    [QUEUE_NAMES],
  );
  assert.equal(queues.length, QUEUE_NAMES.length);
  const [minute, year] = [60, 365 * 86_400];
  for (const { name, seconds } of queues) {
    if (name === 'embed.query') assert.ok(seconds <= 60 * minute, `${name}: ${seconds} s`);
    else assert.ok(seconds >= 5 * year, `${name}: ${seconds} s`);
  }
  await empty();
  await send('a', 1);
  const [job] = await database.query<{ years: number }>(
    `select extract(epoch from keep_until - now())::float8 / $2 as years from pgboss.job where name = $1`,
    [QUEUE, year],
  );
  assert.ok(job && job.years > 5, `${job?.years} years`);
});

describe('turns of Companies, then of their Teams', () => {
  it('gives a Company with many Teams the same turns as one with a single Team', async () => {
    await empty();
    for (const team of ['1', '2', '3']) await send('a', 20, team);
    await send('b', 20, '4');
    assert.match(await nextGroups(40), /^(ab|ba){20}$/);
    assert.equal(await nextGroups(41), `${'a'.repeat(40)}-`, 'no job is lost by sharing turns');
  });

  it('divides the turns of a Company among its Teams', async () => {
    await empty();
    await send('a', 60, '1');
    await send('b', 60, '9');
    await send('a', 10, '2');
    await send('a', 10, '3');
    const teams = await nextTeams(60);
    assert.equal(teams.replaceAll('9', '').length, 30, teams);
    // The Team with the most jobs makes way, so the others are done early.
    const shares = ['2', '3'].map((team) => teams.split(team).length - 1);
    assert.ok(
      shares.every((share) => share >= 8),
      teams,
    );
    assert.match(teams, /1.*2.*1.*3.*1/);
  });
});

describe('long jobs', () => {
  const ofOthers = { minPriority: LONG_JOB_TURN + 1 };
  const long = { maxPriority: LONG_JOB_TURN };
  const demote = (job: Taken) => database.transaction((tx) => queue.releaseAsLong(tx, QUEUE, job));
  const isAnotherWaiting = (company: string) =>
    database.transaction((tx) => queue.isAnotherWaiting(tx, QUEUE, company));
  /** Makes all jobs that wait as old as they must be to count as waiting. */
  const age = () =>
    database.query(
      `update pgboss.job set created_on = created_on - interval '1 minute', start_after = start_after - interval '1 minute'
        where name = $1`,
      [QUEUE],
    );

  it('run after all others, and Companies take turns among them', async () => {
    await empty();
    await send('a', 3);
    await send('b', 2);
    for (let n = 0; n < 5; n += 1) {
      const job = await take(ofOthers);
      assert.ok(job);
      await demote(job);
    }
    await send('c', 1);
    assert.equal((await take())?.group, 'c');
    assert.equal(await take(ofOthers), null);
    let taken = '';
    for (let n = 0; n < 5; n += 1) taken += (await take(long))?.group ?? '-';
    assert.match(taken, /^(ab|ba){2}a$/);
  });

  it('are delayed only by another Company that has no running job', async () => {
    await empty();
    await send('c', 1);
    const others = await take();
    assert.ok(others);
    await demote(others);
    await age();
    assert.equal(await isAnotherWaiting('a'), false, 'its only job is a long one');
    await empty();
    await send('a', 2);
    const running = await take();
    assert.ok(running);
    await age();
    assert.equal(await isAnotherWaiting('a'), false, 'its own jobs');
    await send('b', 2);
    assert.equal(await isAnotherWaiting('a'), false, 'a worker may be about to take it');
    await age();
    assert.equal(await isAnotherWaiting('a'), true);
    const taken = await take();
    const other = taken?.group === 'b' ? taken : await take();
    assert.equal(other?.group, 'b');
    assert.equal(await isAnotherWaiting('a'), false, 'it has one running');
  });
});
