import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { SignedIn } from '../support/app.ts';
import { column } from '../support/columns.ts';
import { endProcesses, type ServiceProcess, startCommand } from '../support/needs/process.ts';
import { openOwnTestApp } from '../support/own-service.ts';
import { ROOT } from '../support/root.ts';
import { addSource } from '../support/source-library.ts';
import { type Fate, openPlaces, type Passing } from './between.ts';
import { openHomes, type Person } from './cli.ts';
import { importedNames, listedImports, manyFiles, writeFolder } from './folder.ts';

/** A service at which no worker takes what is sent. */
const service = await openOwnTestApp();
const base = await service.app.listen({ host: '127.0.0.1', port: 0 });
const newPerson = await openHomes();
const openPlace = openPlaces();
after(endProcesses);

const FILES = manyFiles(120);
const NAMES = Object.keys(FILES);

/** Whether a request sends files. */
const isSending = ({ method, path }: Passing) => method === 'POST' && path === '/v1/memory/imports';

/** The names of the files that a request sends. */
const sentNames = ({ body }: Passing) =>
  column((body as { items: { filename: string }[] }).items, 'filename');

/** A person with these files in a folder `docs`, and who they sign in as. */
async function personWith(files: Record<string, string>) {
  const [company, person] = [await service.company(), await newPerson()];
  await writeFolder(join(person.home, 'docs'), files);
  return { company, person };
}

/** Sends the folder `docs`, without waiting for a worker. */
const send = ({ run }: Person, { token }: SignedIn, url = base) =>
  run(['import', 'docs', '--no-wait', '--url', url], { env: { MEMORY_API_TOKEN: token } });

/** Starts the command, so that a test can end it during its work. */
function start({ home }: Person, { token }: SignedIn, url: string, ...args: string[]): ServiceProcess {
  return startCommand(
    process.execPath,
    [join(ROOT, 'cli', 'main.ts'), 'import', 'docs', '--url', url, ...args],
    { cwd: home, env: { HOME: home, MEMORY_API_TOKEN: token } },
  );
}

describe('cli import of many files', () => {
  test('sends many files in several requests, and sends none on a second run', async () => {
    const files = manyFiles(430);
    const { company, person } = await personWith(files);
    const place = await openPlace(base, () => 'passes');
    const ended = await send(person, company, place.url);
    assert.equal(ended.code, 0, ended.stderr);
    assert.match(ended.stdout, /^430 files: 430 sent but not read yet\.$/m);
    assert.deepEqual(
      place.passed.filter(isSending).map((request) => sentNames(request).length),
      [50, 50, 50, 50, 50, 50, 50, 50, 30],
    );
    assert.deepEqual(await importedNames(service, company), Object.keys(files));
    const quiet = await openPlace(base, () => 'passes');
    assert.equal((await send(person, company, quiet.url)).code, 0);
    assert.deepEqual(quiet.passed.filter(isSending), []);
    assert.equal((await importedNames(service, company)).length, 430);
  });

  test('splits large files into requests that the service accepts', async () => {
    const { company, person } = await personWith({
      'a.txt': 'a'.repeat(7 << 20),
      'b.txt': 'b'.repeat(23 << 20),
      'c.txt': 'c',
    });
    const place = await openPlace(base, () => 'passes');
    assert.equal((await send(person, company, place.url)).code, 0);
    assert.deepEqual(place.passed.filter(isSending).map(sentNames), [['a.txt'], ['b.txt'], ['c.txt']]);
  });
});

describe('cli import that was interrupted', () => {
  test('imports every file once when it is run again before its last request has ended', async () => {
    const { company, person } = await personWith(FILES);
    const released = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const late = Promise.withResolvers<void>();
    const place = await openPlace(base, async (request): Promise<Fate> => {
      if (!isSending(request) || place.passed.filter(isSending).length < 2) return 'passes';
      held.resolve();
      await released.promise;
      late.resolve();
      return 'passes';
    });
    const running = start(person, company, place.url);
    await held.promise;
    await running.kill9();
    const second = await openPlace(base, async (request): Promise<Fate> => {
      if (isSending(request)) {
        released.resolve();
        await late.promise;
      }
      return 'passes';
    });
    const again = await send(person, company, second.url);
    assert.equal(again.code, 0, again.stderr);
    // The same request as the delayed one, which the service recognises by its key.
    assert.deepEqual(second.passed.filter(isSending).map(sentNames)[0], NAMES.slice(50, 100));
    assert.deepEqual(await importedNames(service, company), NAMES);
  });

  test('sends all files although nobody reads what it prints', async () => {
    const { company, person } = await personWith(FILES);
    const sending = start(person, company, base, '--no-wait');
    sending.child.stdout?.destroy();
    assert.equal(await sending.exited, 0);
    assert.deepEqual(await importedNames(service, company), NAMES);
  });

  test('exits with 130 on Ctrl-C, and the next run continues from there', async () => {
    const { company, person } = await personWith(FILES);
    const place = await openPlace(base, async (request): Promise<Fate> => {
      if (!isSending(request) || place.passed.filter(isSending).length < 2) return 'passes';
      running.child.kill('SIGINT');
      await running.exited;
      return 'is lost';
    });
    const running = start(person, company, place.url);
    assert.equal(await running.exited, 130);
    assert.deepEqual(running.stderr, []);
    assert.deepEqual(await importedNames(service, company), NAMES.slice(0, 50));
    assert.equal((await send(person, company)).code, 0);
    assert.deepEqual(await importedNames(service, company), NAMES);
  });

  test('continues after connections that broke before a request or before its answer', async () => {
    const { company, person } = await personWith(FILES);
    const fates = ['is lost', 'loses its answer', 'passes', 'loses its answer'] as const;
    let [sendings, lists] = [0, 0];
    const place = await openPlace(base, (request) => {
      if (isSending(request)) return fates[sendings++] ?? 'passes';
      return request.path === '/v1/memory/imports' && lists++ === 1 ? 'is lost' : 'passes';
    });
    const ended = await send(person, company, place.url);
    assert.equal(ended.code, 0, ended.stderr);
    const told = /cannot be reached .*, again in 0\.5 s \(1 of 8\)\n.*, again in 1 s \(2 of 8\)/;
    assert.match(ended.stdout, told);
    assert.deepEqual(await importedNames(service, company), NAMES);
  });
});

describe('cli import without a worker', () => {
  test('says that no worker runs, waits, and leaves the sent files queued on Ctrl-C', async () => {
    const { company, person } = await personWith({ 'a.txt': 'one' });
    const running = start(person, company, base);
    await running.line(/^no worker is running: files wait until one is started/);
    await running.line(/^reading: 0 of 1 file$/);
    running.child.kill('SIGINT');
    assert.equal(await running.exited, 130);
    assert.deepEqual(column(await listedImports(company), 'state'), ['queued']);
  });

  test('imports a file again whose import was cancelled or forgotten, or whose source was purged', async () => {
    const { company, person } = await personWith({ 'a.txt': 'one', 'b.txt': 'two' });
    /** Cancels the imports of a file that are queued, and forgets the others. */
    const remove = async (filename: string, state: string) => {
      for (const item of await listedImports(company))
        if (item.filename === filename && item.state === state) await company.api.removeImport(item.id);
    };
    const states = async () =>
      (await listedImports(company)).map(({ filename, state }) => `${filename} ${state}`).sort();
    await send(person, company);
    await remove('a.txt', 'queued');
    await send(person, company);
    assert.deepEqual(await states(), ['a.txt cancelled', 'a.txt queued', 'b.txt queued']);
    await remove('a.txt', 'queued');
    await send(person, company);
    assert.deepEqual(await states(), ['a.txt cancelled', 'a.txt cancelled', 'a.txt queued', 'b.txt queued']);
    // After being forgotten both files are new again, and their first request has a stored answer.
    for (const filename of ['a.txt', 'b.txt']) {
      await remove(filename, 'queued');
      await remove(filename, 'cancelled');
    }
    assert.deepEqual(await states(), []);
    await send(person, company);
    assert.deepEqual(await states(), ['a.txt queued', 'b.txt queued']);
    const { id } = await addSource(company);
    // As if a worker had read the files, and their source was purged.
    await service.database.query(
      `update memory.import set state = 'completed', source_id = $2 where team_id = $1`,
      [company.teamId, id],
    );
    await company.api.purgeSource(id);
    assert.deepEqual(await states(), []);
    await send(person, company);
    assert.deepEqual(await states(), ['a.txt queued', 'b.txt queued']);
  });
});

describe('cli import against a service that refuses', () => {
  test('waits as long as the service says when it is unavailable or has had too many requests', async () => {
    const { company, person } = await personWith({ 'a.txt': 'one' });
    const refusal = (status: number, seconds: number, code: string): Fate => ({
      status,
      headers: { 'retry-after': String(seconds) },
      body: { code, detail: 'x' },
    });
    let asked = 0;
    const place = await openPlace(base, (request) => {
      // The first request of all: the time in its answer shows that a service is there.
      if (place.passed.length === 1) return refusal(503, 0, 'unavailable');
      return isSending(request) && asked++ === 0 ? refusal(429, 1, 'rate_limited') : 'passes';
    });
    const ended = await send(person, company, place.url);
    assert.equal(ended.code, 0, ended.stderr);
    assert.match(ended.stdout, /cannot answer now \(503\), again in 0 s/);
    assert.match(ended.stdout, /^too many attempts \(rate_limited\), again in 1 s \(1 of 8\)$/m);
    assert.deepEqual(await importedNames(service, company), ['a.txt']);
  });

  test('imports the other files when the service refuses one', async () => {
    const { company, person } = await personWith(FILES);
    const bad = NAMES[70] ?? '';
    const body = { code: 'unsupported_media_type', detail: '/items/20: its type is not known' };
    const place = await openPlace(base, (request) =>
      isSending(request) && sentNames(request).includes(bad) ? { status: 415, body } : 'passes',
    );
    const ended = await send(person, company, place.url);
    assert.deepEqual([ended.code, ended.stderr], [1, 'memory: 1 of 120 files were not imported\n']);
    assert.match(ended.stdout, new RegExp(`^not sent +${bad} +.*unsupported_media_type`, 'm'));
    assert.deepEqual(
      await importedNames(service, company),
      NAMES.filter((name) => name !== bad),
    );
  });

  test('ends at a refusal that concerns every file and reports how many were sent', async () => {
    const { company, person } = await personWith(FILES);
    let asked = 0;
    const body = { code: 'team_archived', detail: 'The Team is archived' };
    const place = await openPlace(base, (request) =>
      isSending(request) && asked++ === 1 ? { status: 409, body } : 'passes',
    );
    const ended = await send(person, company, place.url);
    assert.equal(ended.code, 1);
    assert.match(ended.stderr, /^memory: the service refused: team_archived: The Team is archived\n$/);
    assert.match(ended.stdout, /^120 files: 50 sent but not read yet, 70 not reached\.$/m);
    assert.equal(asked, 2);
  });
});
