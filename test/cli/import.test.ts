import assert from 'node:assert/strict';
import { rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createLogger } from '../../shared/logger.ts';
import { type RunningWorker, startWorker } from '../../worker/worker.ts';
import type { SignedIn } from '../support/app.ts';
import { column, columns } from '../support/columns.ts';
import { execFileSync } from '../support/needs/command.ts';
import { openOwnTestApp } from '../support/own-service.ts';
import { archived, listSources } from '../support/source-library.ts';
import { addClient } from '../support/team.ts';
import { assertRefused, closedAddress, openHomes, otherServices, type Person } from './cli.ts';
import { importedNames, listedImports, writeFolder } from './folder.ts';

const service = await openOwnTestApp({}, {}, { supervise: true });
const { database } = service;
const base = await service.app.listen({ host: '127.0.0.1', port: 0 });
const newPerson = await openHomes();
const openOther = otherServices();

let worker: RunningWorker;
before(async () => {
  worker = await startWorker({ ...service, logger: createLogger('silent', 'test') });
});
after(() => worker.stop());

type Caller = Pick<SignedIn, 'token'>;

/** Imports the folder `docs` in someone's home. */
function importDocs({ run }: Person, { token }: Caller, ...args: string[]) {
  return run(['import', 'docs', '--url', base, ...args], { env: { MEMORY_API_TOKEN: token } });
}

async function personWith(files: Record<string, string | Buffer>): Promise<Person> {
  const person = await newPerson();
  await writeFolder(join(person.home, 'docs'), files);
  return person;
}

describe('cli import', () => {
  test('imports the files of a folder at any depth under their paths and reports how many', async () => {
    const company = await service.company();
    const person = await personWith({
      'handbook.md': '# Handbook\n\nthe aardvark',
      'notes/2026/plan.TXT': 'the binturong',
      'notes/empty/.keep': '',
    });
    const ended = await importDocs(person, company);
    assert.deepEqual([ended.code, ended.stderr], [0, ''], ended.stdout);
    assert.match(ended.stdout, /^reading: 2 of 2 files$/m);
    assert.match(ended.stdout, /\n2 files: 2 imported\. Left out: 1 hidden\.\n$/);
    assert.deepEqual(await importedNames(service, company), ['handbook.md', 'notes/2026/plan.TXT']);
    assert.deepEqual(column(await listedImports(company), 'state'), ['completed', 'completed']);
  });

  test('exits with 1 and a table of the failed and skipped files with the reasons', async () => {
    const company = await service.company();
    const pictures = Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [`${name}.xyz`, '']));
    const person = await personWith({ 'good.txt': 'good', 'locked.txt': Buffer.from([0xff, 0xfe, 0x00]) });
    await writeFolder(join(person.home, 'docs'), { ...pictures, Notes: 'all:', 'blank.md': '  \n' });
    await writeFile(join(person.home, 'docs', 'huge.log'), '');
    await truncate(join(person.home, 'docs', 'huge.log'), 25 * 1024 * 1024);
    const ended = await importDocs(person, company);
    assert.equal(ended.code, 1);
    assert.equal(ended.stderr, 'memory: 3 of 9 files were not imported\n');
    const [, ...table] = ended.stdout.slice(ended.stdout.indexOf('what ')).trim().split('\n');
    assert.match(String(table[0]), /^skipped +Notes +files without an extension cannot be imported$/);
    assert.match(String(table[1]), /^skipped +a\.xyz and 3 more +\.xyz files cannot be imported$/);
    assert.match(String(table[2]), /^not sent +huge\.log +it is too large for one request \(25\.0 MiB/);
    assert.match(String(table[3]), /^failed +blank\.md +no_text: The file holds no text\.$/);
    assert.match(String(table[4]), /^failed +locked\.txt +\w+: The file .*\.$/);
    assert.deepEqual(table.slice(5), ['', '9 files: 1 imported, 2 failed, 1 not sent, 5 skipped.']);
  });

  test('sends nothing on a second run except changed files, and reports failures again', async () => {
    const company = await service.company();
    const person = await personWith({ 'a.txt': 'one', 'b.txt': 'two', 'empty.txt': '' });
    await importDocs(person, company);
    const first = await importedNames(service, company);
    const again = await importDocs(person, company);
    assert.deepEqual(await importedNames(service, company), first);
    assert.match(again.stdout, /^failed +empty\.txt +no_text/m);
    assert.match(again.stdout, /^3 files: 2 already imported, 1 failed\.$/m);
    assert.match(again.stderr, /^memory: 1 of 3 files were not imported \(--retry-failed retries/);
    await writeFile(join(person.home, 'docs', 'b.txt'), 'three');
    const changed = await importDocs(person, company);
    assert.match(changed.stdout, /^3 files: 1 imported, 1 already imported, 1 failed\.$/m);
    assert.deepEqual(await importedNames(service, company), ['a.txt', 'b.txt', 'b.txt', 'empty.txt']);
  });

  test('imports a file again, once, after its source was archived', async () => {
    const company = await service.company();
    const [aardwolf, kudu] = ['the aardwolf', 'the kudu'];
    const person = await personWith({ 'a.txt': aardwolf, 'copy.txt': aardwolf, 'b.txt': kudu });
    await importDocs(person, company);
    for (const name of ['a.txt', 'copy.txt']) {
      const sources = await listSources(company, '?state=active');
      assert.equal(sources.length, 3, 'also the copy has a source');
      await archived(company, sources.find(({ title }) => title === name)!.id);
      const again = await importDocs(person, company);
      assert.match(again.stdout, /^3 files: 1 imported, 2 already imported\.$/m);
    }
    assert.match((await importDocs(person, company)).stdout, /^3 files: 3 already imported\.$/m);
  });

  test('--retry-failed retries a stored file without sending it, and sends it when it is gone', async () => {
    const company = await service.company();
    const person = await personWith({ 'a.txt': '', 'b.txt': ' ' });
    await importDocs(person, company);
    const retried = await importDocs(person, company, '--retry-failed');
    assert.deepEqual([retried.code, retried.stderr], [1, 'memory: 2 of 2 files were not imported\n']);
    assert.deepEqual(column(await listedImports(company), 'attempts'), [2, 2]);
    await database.query(
      `update memory.import set payload_pruned_at = now() where team_id = $1 and filename = 'a.txt'`,
      [company.teamId],
    );
    await importDocs(person, company, '--retry-failed');
    assert.deepEqual(await importedNames(service, company), ['a.txt', 'a.txt', 'b.txt']);
  });

  test('--tag, --occurred and --expires give tags, a date and an expiry to the sources of the files that are sent', async () => {
    const company = await service.company();
    const person = await personWith({ 'a.txt': 'one' });
    for (const tags of [[' '], ['ß'.repeat(26)], Array.from({ length: 21 }, (_, n) => `${n}`)]) {
      const refused = await importDocs(person, company, ...tags.map((tag) => `--tag=${tag}`));
      assertRefused(refused, /^memory: --tag accepts up to 20 tags of 1 to 50 characters\n$/);
    }
    await importDocs(person, company, '--tag', 'Hand Books', '--tag', 'x', '--tag', 'X');
    await writeFolder(join(person.home, 'docs'), { 'b.txt': 'two' });
    await importDocs(person, company, '--tag=later', '--occurred=2024-02-29', '--expires=2098-07-01');
    assert.deepEqual(columns(await listSources(company), 'title', 'tags', 'occurredAt', 'expiresAt'), [
      ['b.txt', ['later'], '2024-02-29', '2098-07-01T23:59:59.999Z'],
      ['a.txt', ['hand books', 'x'], null, null],
    ]);
  });

  test('--dry-run prints what would be sent and sends nothing', async () => {
    const company = await service.company();
    const person = await personWith({ 'a.txt': 'one', 'b/c.md': 'two' });
    const ended = await importDocs(person, company, '--dry-run');
    assert.equal(ended.code, 0, ended.stderr);
    assert.match(ended.stdout, /^would send a\.txt\nwould send b\/c\.md$/m);
    assert.match(ended.stdout, /^2 files: 2 to be sent\.$/m);
    assert.deepEqual(await importedNames(service, company), []);
  });

  test('imports a single file and refuses a path that does not exist', async () => {
    const company = await service.company();
    const person = await personWith({ 'notes/a.txt': 'one' });
    const run = (...args: string[]) =>
      person.run(['import', '--url', base, ...args], { env: { MEMORY_API_TOKEN: company.token } });
    assert.equal((await run('docs/notes/a.txt')).code, 0);
    assert.deepEqual(await importedNames(service, company), ['a.txt']);
    assertRefused(await run('docs/nothing'), /docs\/nothing cannot be read \(ENOENT\)/);
    assertRefused(await run(), /name a folder \(see --help\)/);
    assertRefused(await run('docs', 'more'), /name one folder, not 2/);
    const away = await run('docs', '--url', await closedAddress(openOther));
    assertRefused(away, /cannot be reached \(ECONNREFUSED\): is it running\?/);
  });

  test('leaves out hidden files, node_modules, links and pipes, and reports names that are not UTF-8', async () => {
    const company = await service.company();
    const person = await personWith({
      'a.txt': 'one',
      '.git/config.txt': 'x',
      '.env': 'SECRET=1',
      'site/node_modules/left/README.md': 'x',
    });
    const docs = join(person.home, 'docs');
    await writeFolder(person.home, { 'outside/secret.txt': 'x' });
    await symlink(join(person.home, 'outside'), join(docs, 'linked'));
    await symlink(docs, join(docs, 'site', 'round'));
    execFileSync('mkfifo', [join(docs, 'pipe.txt')]);
    await writeFile(Buffer.from(`${docs}/caf\u00e9.txt`, 'latin1'), 'x');
    const ended = await importDocs(person, company);
    assert.equal(ended.code, 1);
    assert.match(ended.stdout, /^not sent +caf\uFFFD\.txt +its name is not UTF-8$/m);
    const leftOut = 'Left out: 2 hidden, 1 node_modules, 2 linked, 1 special';
    assert.match(ended.stdout, new RegExp(`^2 files: 1 imported, 1 not sent\\. ${leftOut}\\.$`, 'm'));
    assert.deepEqual(await importedNames(service, company), ['a.txt']);
  });

  test('accepts names of any script in composed form and removes control characters from output', async () => {
    const company = await service.company();
    const names = ['\u05e9\u05dc\u05d5\u05dd.txt', 'e\u0301te\u0301.txt', '会议 😀.md', 'a\u001b[2Jb\n.txt'];
    const person = await personWith(Object.fromEntries(names.map((name) => [name, '  '])));
    const ended = await importDocs(person, company);
    const composed = names.map((name) => name.normalize('NFC'));
    assert.deepEqual(new Set(await importedNames(service, company)), new Set(composed));
    assert.ok(!ended.stdout.includes('\u001b'));
    assert.match(ended.stdout, /^failed +a\[2Jb \.txt +no_text/m);
    assert.match(ended.stdout, /^failed +\u00e9t\u00e9\.txt +no_text/m);
    // The same name in another Unicode form is the same file.
    const docs = join(person.home, 'docs');
    await rm(join(docs, 'e\u0301te\u0301.txt'));
    await writeFile(join(docs, '\u00e9t\u00e9.txt'), '  ');
    await importDocs(person, company);
    assert.equal((await importedNames(service, company)).length, names.length);
  });
});

test('cli import --client imports into a client, separately from the Team layer', async () => {
  const company = await service.company();
  const clientId = await addClient(service, company);
  const person = await personWith({ 'a.txt': 'one' });
  for (const told of ['imported', 'already imported']) {
    for (const args of [['--client', clientId.toUpperCase()], []]) {
      const ended = await importDocs(person, company, ...args);
      assert.match(ended.stdout, new RegExp(`^1 file: 1 ${told}\\.$`, 'm'), ended.stderr);
    }
  }
  assert.deepEqual(column(await listedImports(company), 'clientId'), [null, clientId]);
  assertRefused(await importDocs(person, company, '--client', 'none'), /scope_forbidden/);
});
