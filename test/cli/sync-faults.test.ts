import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { endProcesses, type ServiceProcess } from '../support/needs/process.ts';
import { addClient } from '../support/team.ts';
import { openFolders } from '../unit/sync/sync-folders.ts';
import { FOLDERS, life, live } from '../unit/sync/sync-life.ts';
import { type Fate, openPlaces, type Passing } from './between.ts';
import { assertRefused } from './cli.ts';
import { manyFiles } from './folder.ts';
import { openSyncPeople } from './sync-people.ts';

const { service, base, reached, personWith, sync, start, pathsThere } = await openSyncPeople();
const newFolder = await openFolders();
const openPlace = openPlaces();
after(endProcesses);

test('cli sync continues on the next run after it was killed during a push or a pull', async () => {
  const company = await service.company();
  const files = Object.fromEntries(
    Object.entries(manyFiles(250)).map(([name, text]) => [`team/${name}`, text]),
  );
  // The service still receives the request of the killed process.
  let kills: { path: string; running: () => ServiceProcess } | null = null;
  let met = 0;
  const place = await openPlace(base, async ({ path }: Passing): Promise<Fate> => {
    if (path === kills?.path && (met += 1) === 2) await kills.running().kill9();
    return 'passes';
  });
  for (const [path, person] of [
    ['/v1/workspace/push', await personWith(company, files)],
    ['/v1/workspace/pull', await personWith(company)],
  ] as const) {
    met = 0;
    const running: ServiceProcess = start(person, company, place.url);
    kills = { path, running: () => running };
    assert.equal(await running.exited, 'SIGKILL');
    const again = start(person, company, place.url);
    assert.equal(await again.exited, 0, again.stderr.join('\n'));
    assert.deepEqual(await pathsThere(company), Object.keys(files));
    assert.deepEqual(await person.ours.tree(), files);
  }
});

test('cli sync --watch sends local changes, refuses a second sync and ends at Ctrl-C', async () => {
  const company = await service.company();
  const person = await personWith(company, { 'team/a.txt': 'a' });
  const watching = start(person, company, base, '--watch');
  await watching.line(/^Watching .*\. Press Ctrl-C to stop\.$/);
  assertRefused(await sync(person, company), /another sync of this folder is running \(process \d+/);
  await person.ours.write('team/new/b.txt', 'b');
  await watching.line(/^sent +team\/new\/b\.txt$/);
  assert.deepEqual(await pathsThere(company), ['team/a.txt', 'team/new/b.txt']);
  watching.child.kill('SIGINT');
  assert.equal(await watching.exited, 130);
  assert.deepEqual(watching.stderr, []);
  await assert.rejects(readFile(join(person.ours.folder, '.team-memory', 'lock')), { code: 'ENOENT' });
});

/** A unit test runs many more sequences in memory: these show that the service behaves the same. */
const LIVES = 2;

test('cli sync makes all folders equal in the end, whatever people do in them', async () => {
  await fc.assert(
    fc.asyncProperty(life, async (steps) => {
      const company = await service.company();
      const client = reached(company, company.teamId);
      const binding = { url: base, teamId: company.teamId };
      const folders = await Promise.all(
        Array.from({ length: FOLDERS }, (_, n) => newFolder(`Person ${n}`, binding)),
      );
      const met = async <Answer>(
        before: () => Promise<void>,
        ask: () => Promise<Answer>,
        then: () => Promise<void>,
      ) => {
        await before();
        const answer = await ask();
        await then();
        return answer;
      };
      await live(
        {
          folders,
          clientId: await addClient(service, company),
          service: (before, then) => ({
            get: (...asked) => met(before, () => client.get(...asked), then),
            post: (...asked) => met(before, () => client.post(...asked), then),
            patch: (...asked) => client.patch(...asked),
            download: (...asked) => client.download(...asked),
            delete: (...asked) => client.delete(...asked),
          }),
        },
        steps,
      );
    }),
    { numRuns: LIVES, unbiased: true },
  );
});

test('cli sync --watch ends when its agent token has expired', async () => {
  const company = await service.company();
  const person = await personWith(company, { 'team/a.txt': 'a' });
  let fate: Fate = 'passes';
  const place = await openPlace(base, () => fate);
  const watching = start(person, company, place.url, '--watch');
  await watching.line(/^Watching /);
  fate = { status: 401, body: { code: 'agent_token_expired', detail: 'create a new one' } };
  await person.ours.write('team/b.txt', 'b');
  const goesOn = watching.line(/agent_token_expired/).then(
    () => 'goes on',
    () => 'ended',
  );
  assert.equal(await Promise.race([watching.exited, goesOn]), 1);
  assert.match(watching.stderr.join('\n'), /^memory: .*agent_token_expired/);
});
