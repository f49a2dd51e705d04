import assert from 'node:assert/strict';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { connect } from '../../cli/client/service-client.ts';
import { readRemote } from '../../cli/sync/remote.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { endProcesses, type ServiceProcess, startCommand } from '../support/needs/process.ts';
import { ROOT } from '../support/root.ts';
import { addClient, addPerson, addTeam, archiveTeam } from '../support/team.ts';
import { openFolders, openTestFolder } from '../unit/sync/sync-folders.ts';
import { FOLDERS, life, live } from '../unit/sync/sync-life.ts';
import { type Fate, openPlaces, type Passing } from './between.ts';
import { assertRefused, keepSession, NO_TERMINAL, openHomes, type Person, runAtTerminal } from './cli.ts';
import { sessionOf } from './cli-person.ts';
import { manyFiles, writeFolder } from './folder.ts';

type Caller = Pick<SignedIn, 'token'>;

const service = await openTestApp();
const base = await service.app.listen({ host: '127.0.0.1', port: 0 });
const newPerson = await openHomes();
const newFolder = await openFolders();
const openPlace = openPlaces();
after(endProcesses);

/** The service as someone reaches it, without the command line around it. */
const reached = ({ token }: Caller, teamId: string) =>
  connect(base, { token, source: 'MEMORY_API_TOKEN' }, teamId);

/** A person with these files in a folder `ours`. */
async function personWith({ teamId }: Pick<SignedIn, 'teamId'>, files = {}) {
  const person = await newPerson();
  const folder = join(person.home, 'ours');
  await mkdir(folder);
  await writeFolder(folder, files);
  return { ...person, ours: openTestFolder(folder, 'Someone', { url: base, teamId }) };
}

/** Runs the command on the folder `ours`. */
const sync = ({ run }: Person, { token }: Caller, ...args: string[]) =>
  run(['sync', 'ours', '--url', base, ...args], { env: { MEMORY_API_TOKEN: token } });

/** Starts it, to be ended by the test. */
const start = ({ home }: Person, { token }: Caller, url: string, ...args: string[]) =>
  startCommand(process.execPath, [join(ROOT, 'cli', 'main.ts'), 'sync', 'ours', '--url', url, ...args], {
    cwd: home,
    env: { HOME: home, MEMORY_API_TOKEN: token },
  });

/** The live paths that the service has, in order. */
async function pathsThere(company: SignedIn): Promise<string[]> {
  const nothing = { revision: null, scopes: [], files: new Map() };
  const { files } = await readRemote(reached(company, company.teamId), nothing, true, () => {});
  return [...files.keys()].sort();
}

describe('cli sync', () => {
  test('keeps two folders in sync byte for byte and keeps both contents of a conflict', async () => {
    const company = await service.company();
    const client = reached(company, company.teamId);
    const clientId = await addClient(service, company);
    const picture = Buffer.from([0, 255, 254, 13, 10]);
    const ada = await newFolder('Ada', { url: base, teamId: company.teamId });
    await writeFolder(ada.folder, {
      'team/plan.md': 'the plan',
      'team/notes/a.txt': 'a',
      [`clients/${clientId}/picture.bin`]: picture,
    });
    await ada.sync(client);
    const grace = await personWith(company, {
      'team/é 会议.txt': 'hers',
      '.hidden': 'x',
      'beside.txt': 'x',
    });
    const first = await sync(grace, company);
    assert.deepEqual([first.code, first.stderr], [0, '']);
    for (const line of [
      'looking: 1 of 1 file here',
      'fetching: 3 of 3 files',
      'sending: 1 of 1 file',
      'sent           team/é 会议.txt',
      'sent 1, fetched 3, removed 0 here and 0 there; 4 files in sync. Left out: 1 hidden, 1 outside',
    ])
      assert.ok(first.stdout.includes(line), first.stdout);
    assert.deepEqual(await readFile(join(grace.ours.folder, 'clients', clientId, 'picture.bin')), picture);
    await ada.sync(client);

    await ada.write('team/plan.md', 'the plan of Ada');
    await rename(join(ada.folder, 'team', 'notes', 'a.txt'), join(ada.folder, 'team', 'A.txt'));
    await ada.sync(client);
    await grace.ours.write('team/plan.md', 'the plan of Grace');
    await grace.ours.write('team/more.txt', 'more');
    await grace.ours.remove('team/é 会议.txt');
    const conflict = await sync(grace, company);
    assert.equal(conflict.code, 0, conflict.stderr);
    const aside =
      /^conflict {7}team\/plan\.md \(yours: team\/plan \(conflict .+ \d{4}-\d\d-\d\d \d{6}\)\.md\)$/m;
    assert.match(conflict.stdout, aside);
    const told = 'sent 2, fetched 1, removed 1 here and 1 there, 1 conflict kept aside; 5 files in sync.';
    assert.ok(conflict.stdout.includes(`\n${told}`), conflict.stdout);
    await ada.sync(client);
    const { '.hidden': _hidden, 'beside.txt': _beside, ...hers } = await grace.ours.tree();
    assert.deepEqual(await ada.tree(), hers);
    assert.deepEqual(await pathsThere(company), Object.keys(hers).sort());
    const texts = ['a', 'more', 'the plan of Ada', 'the plan of Grace'];
    assert.deepEqual(Object.values(hers).sort().slice(1), texts);
  });

  test('--dry-run prints what would be done and does nothing', async () => {
    const company = await service.company();
    const person = await personWith(company, { 'team/a.txt': 'a', 'team/con.txt': 'x' });
    const ended = await sync(person, company, '--dry-run');
    assert.match(ended.stdout, /^would send {10}team\/a\.txt$/m);
    const reserved = /^not sent +team\/con\.txt +its path must not have a segment that Windows reserves$/m;
    assert.match(ended.stdout, reserved);
    assert.match(ended.stdout, /^would send 1, fetch 0, remove 0 here and 0 there; 0 files in sync\.$/m);
    assert.deepEqual([ended.code, ended.stderr], [1, 'memory: sync incomplete: 1 item failed\n']);
    assert.deepEqual(await pathsThere(company), []);
    const state = join(person.ours.folder, '.team-memory', 'state.json');
    await assert.rejects(readFile(state), { code: 'ENOENT' });
    assertRefused(
      await sync(person, company, '--dry-run', '--watch'),
      /--watch and --dry-run cannot be combined/,
    );
  });

  test('prints its changes as one JSON document with --json, and the progress on standard error', async () => {
    const company = await service.company();
    const person = await personWith(company, { 'team/a': 'a', 'b.txt': 'outside' });
    const ended = await sync(person, company, '--json');
    const { changes, notDone, inSync, outside } = JSON.parse(ended.stdout) as Record<string, unknown>;
    assert.deepEqual([changes, notDone], [[{ what: 'sent', path: 'team/a' }], []]);
    assert.deepEqual([ended.code, inSync, outside], [0, 1, 1], ended.stderr);
  });

  test('says what to do in a folder without files of a layer, and fails if it has other files', async () => {
    const company = await service.company();
    const beside = await personWith(company, { 'beside.txt': 'x', 'notes/a.md': 'a', 'notes/b.md': 'b' });
    for (const more of [[], ['--dry-run']]) {
      const ended = await sync(beside, company, ...more);
      assert.equal(ended.code, 1, ended.stderr);
      assert.match(
        ended.stderr,
        /^memory: nothing was synced: .* has neither team\/ nor clients\/: create .*team and /,
      );
      assert.match(ended.stdout, /^Not synced: beside\.txt, notes\/\. Files of the Team belong in team\//m);
    }
    const empty = await sync(await personWith(company, { '.hidden': 'x' }), company);
    assert.deepEqual([empty.code, empty.stderr], [0, '']);
    assert.match(
      empty.stdout,
      /^Nothing to sync yet: put files of the Team in team\/, and files of a client in /m,
    );
  });

  test('remembers the Team of a folder and refuses another one', async () => {
    const company = await service.company();
    const person = await personWith(company, { 'team/a': 'a' });
    const teamId = await addTeam(service, company);
    assertRefused(await sync(person, company), /several Teams: choose one with --team/);
    await person.ours.sync(reached(company, company.teamId));
    assert.equal((await sync(person, company)).code, 0);
    const other = await sync(person, company, '--team', teamId);
    assertRefused(other, /is synced with the Team .* use another folder/);
    const env = { MEMORY_API_TOKEN: company.token };
    const none = await person.run(['sync', 'nowhere', '--url', base], { env });
    assertRefused(none, /nowhere cannot be read \(ENOENT\): create the folder first/);
  });

  test('fetches changes but keeps local ones when the layer is read-only or the Team is archived', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const owner = await newFolder('Owner', { url: base, teamId: company.teamId });
    await owner.write(`clients/${clientId}/a.txt`, 'a');
    await owner.write('team/a.txt', 'a');
    await owner.sync(reached(company, company.teamId));
    const caller = await addPerson(service, company, { teamRole: 'member', clients: { [clientId]: 'read' } });
    const files = { [`clients/${clientId}/mine.txt`]: 'mine', 'team/mine.txt': 'mine' };
    const reader = await personWith(company, files);
    const ended = await sync(reader, caller);
    assert.equal(ended.code, 1);
    assert.match(
      ended.stdout,
      /^not sent +clients\/\S+\/ +you can only read clients\/\S+\/: 1 change is not sent$/m,
    );
    assert.match(ended.stdout, /^sent 1, fetched 2,/m);
    await archiveTeam(service, company.teamId);
    await owner.write('team/late.txt', 'late');
    const { changes, notDone } = await owner.sync(reached(company, company.teamId));
    assert.deepEqual(changes, [{ what: 'fetched', path: 'team/mine.txt' }]);
    const why = 'the Team is archived: 1 change is not sent';
    assert.deepEqual(notDone, [{ state: 'not sent', name: 'team/', why }]);
  });
});

describe('cli sync before more than half of the files are deleted', () => {
  /** A person whose local files were all deleted. */
  const emptied = async (company: SignedIn) => {
    const person = await personWith(company, { 'team/a': 'a', 'team/b': 'b', 'team/c': 'c' });
    await person.ours.sync(reached(company, company.teamId));
    await rm(join(person.ours.folder, 'team'), { recursive: true });
    await person.ours.write('team/d', 'd');
    return person;
  };

  test('cli sync does nothing without a terminal, except with --allow-deletions', async () => {
    const company = await service.company();
    const person = await emptied(company);
    const ended = await sync(person, company);
    assert.deepEqual([ended.code, ended.stderr.split('\n').length], [1, 2]);
    assert.match(
      ended.stderr,
      /of 3 files, this deletes 3 in the service, which were deleted here: nothing .*--allow-deletions/,
    );
    assert.deepEqual(await pathsThere(company), ['team/a', 'team/b', 'team/c']);
    assert.equal((await sync(person, company, '--allow-deletions')).code, 0);
    assert.deepEqual(await pathsThere(company), ['team/d']);
  });

  test('cli sync keeps the local files when they were deleted in the service', async () => {
    const company = await service.company();
    const person = await personWith(company, { 'team/a': 'same', 'team/b': 'same', 'team/c': 'same' });
    const client = reached(company, company.teamId);
    await person.ours.sync(client);
    const other = await newFolder('Other', { url: base, teamId: company.teamId });
    await other.sync(client);
    await rm(join(other.folder, 'team'), { recursive: true });
    // One of them was only moved.
    await other.write('team/d', 'same');
    await other.sync(client);
    const ended = await sync(person, company);
    const told =
      /of 3 files, this deletes 2 here, which were deleted in the service: nothing .*--allow-deletions/;
    assert.match(ended.stderr, told);
    assert.deepEqual(Object.keys(await person.ours.tree()), ['team/a', 'team/b', 'team/c']);
    assert.equal((await sync(person, company, '--allow-deletions')).code, 0);
    assert.deepEqual(await person.ours.tree(), { 'team/d': 'same' });
  });

  test('cli sync asks at a terminal before it deletes more than half of the files', {
    skip: NO_TERMINAL,
  }, async () => {
    const company = await service.company();
    const person = await emptied(company);
    await keepSession(person, sessionOf(base, company.token));
    const question = 'Of 3 files, this deletes 3 in the service, which were deleted here. Continue? [y/N] ';
    const no = await runAtTerminal(person, ['sync', 'ours'], [{ question, typed: '\r' }], 80);
    assert.deepEqual([no.code, await pathsThere(company)], [1, ['team/a', 'team/b', 'team/c']], no.shown);
    const yes = await runAtTerminal(person, ['sync', 'ours'], [{ question, typed: 'y\r' }], 80);
    assert.deepEqual([yes.code, await pathsThere(company)], [0, ['team/d']], yes.shown);
  });
});

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

test('cli sync --watch ends when its agent token has expired', async () => {
  const company = await service.company();
  const person = await personWith(company, { 'team/a.txt': 'a' });
  let fate: Fate = 'passes';
  const { url } = await openPlace(base, () => fate);
  const watching = start(person, company, url, '--watch');
  await watching.line(/^Watching /);
  fate = { status: 401, body: { code: 'agent_token_expired', detail: 'create a new one' } };
  await person.ours.write('team/b.txt', 'b');
  // If it went on, it would print this as the reason why it waits.
  const goesOn = watching.line(/agent_token_expired/).catch(() => 'ended');
  assert.equal(await Promise.race([watching.exited, goesOn]), 1);
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
