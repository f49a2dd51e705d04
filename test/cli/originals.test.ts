import assert from 'node:assert/strict';
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { giveOriginal, sha256Of } from '../support/originals.ts';
import { ownerScope } from '../support/scopes.ts';
import { addSource } from '../support/source-library.ts';
import { assertRefused } from './cli.ts';
import { openCli } from './cli-person.ts';

const { service, base, openOther, owner } = await openCli();

/** An Owner, and a source that was imported from a file. */
async function open(filename: string, content = Buffer.from(`An original ${crypto.randomUUID()}`)) {
  const cli = await owner();
  const { id } = await addSource(cli.company, { metadata: { filename } });
  await giveOriginal(service.database, ownerScope(cli.company), id, content);
  return { ...cli, id, content, at: (...names: string[]) => join(cli.person.home, ...names) };
}

/** What is in a folder, without the session. */
const namesIn = async (folder: string) => (await readdir(folder)).filter((name) => name !== '.config').sort();

describe('cli download', () => {
  test('saves the file under its name, and elsewhere with --to', async () => {
    const { person, text, data, id, content, at } = await open(
      '../../etc/a\u001b[31m:b.txt',
      Buffer.alloc(3_000_000, 7),
    );
    const name = 'a [31m b.txt';
    assert.equal(await text('download', id), `Saved ${at(name)}.\n`);
    assert.deepEqual(await readFile(at(name)), content);
    await mkdir(at('sub'));
    await text('download', id, '--to', 'sub');
    const told = await data('download', id, '--to', 'sub/other.txt');
    const expected = { path: at('sub', 'other.txt'), mediaType: 'text/plain', bytes: content.length };
    assert.deepEqual(told, { ...expected, sha256: sha256Of(content) });
    assert.deepEqual(await namesIn(at('sub')), [name, 'other.txt']);
    assertRefused(
      await person.run(['download', id, '--to', 'none/']),
      /cannot be saved in .*none \(ENOENT\)/,
    );
    assert.deepEqual(await namesIn(person.home), [name, 'sub']);
  });

  test('replaces a file only with --force, and a link instead of its target', async () => {
    const { person, text, id, content, at } = await open('a.txt');
    await writeFile(at('mine.txt'), 'mine');
    await symlink(at('mine.txt'), at('a.txt'));
    assertRefused(await person.run(['download', id]), /a\.txt exists: replace it with --force/);
    await text('download', id, '--force');
    assert.deepEqual(await readFile(at('a.txt')), content);
    assert.equal(await readFile(at('mine.txt'), 'utf8'), 'mine');
    assert.deepEqual(await namesIn(person.home), ['a.txt', 'mine.txt']);
  });

  test('saves nothing if the file that arrives is another one, or is cut off', async () => {
    const { person, company, id } = await open('a.txt', Buffer.from('An original'));
    for (const [arrived, reason] of [
      ['An Original', /not the one that the service has/],
      ['An orig', /not the one that the service has/],
      [null, /cannot be reached/],
    ] as const) {
      const other = await openOther(async (request, response) => {
        if (request.url?.endsWith('/original') !== true) {
          const answer = await fetch(base + String(request.url), { headers: company.headers });
          response.writeHead(answer.status, { 'content-type': 'application/json' });
          return void response.end(await answer.text());
        }
        if (arrived !== null) return void response.end(arrived);
        response.writeHead(200, { 'content-length': 100 });
        response.write('An orig', () => response.destroy());
      });
      const env = { MEMORY_API_TOKEN: company.token, MEMORY_API_PUBLIC_URL: other.url };
      assertRefused(await person.run(['download', id], { env }), reason);
      assert.deepEqual(await namesIn(person.home), []);
    }
  });

  test('says so if the source has no original or does not exist', async () => {
    const { person, company } = await open('a.txt');
    const { id } = await addSource(company);
    assertRefused(await person.run(['download', id]), /this source has no original/);
    assertRefused(await person.run(['download', '../sources']), /not_found/);
    assertRefused(await person.run(['open', id]), /this source has no original/);
  });
});

describe('cli open', { skip: process.platform !== 'linux' && 'replaces xdg-open' }, () => {
  /** A desktop whose program writes down what it is to open. */
  async function desktop(home: string) {
    const [folder, log] = [join(home, 'bin'), join(home, 'opened')];
    await mkdir(folder);
    await writeFile(
      join(folder, 'xdg-open'),
      `#!/bin/sh\nprintf %s "$1" > '${log}.new'; mv '${log}.new' '${log}'\n`,
    );
    await chmod(join(folder, 'xdg-open'), 0o755);
    await mkdir(join(home, 'tmp'));
    return { log, env: { DISPLAY: ':0', PATH: `${folder}:/usr/bin:/bin`, TMPDIR: join(home, 'tmp') } };
  }

  test('opens the file from a folder that only its user can read', async () => {
    const { person, id, content } = await open('a b.pdf');
    const { env, log } = await desktop(person.home);
    const ended = await person.run(['open', id, '--json'], { env });
    assert.equal(ended.stderr, '');
    const { path, opened } = JSON.parse(ended.stdout) as { path: string; opened: boolean };
    assert.equal(opened, true);
    assert.deepEqual(await readFile(path), content);
    assert.equal((await stat(dirname(path))).mode & 0o777, 0o700);
    // The command does not wait for the program.
    let shown: string | null = null;
    while (shown === null) shown = await readFile(log, 'utf8').catch(() => null);
    assert.equal(shown, path);
  });

  test('only saves what can run scripts, and everything without a desktop', async () => {
    for (const [filename, display, expected] of [
      [
        'a.html',
        ':0',
        /^Saved and not opened, because files of this type can contain macros or scripts: .*\/a\.html\n$/,
      ],
      ['a.txt.sh', ':0', /^Saved and not opened, .*\/a\.txt\.sh\n$/],
      ['a.pdf', '', /^Saved, because there is no desktop to open it: .*\/a\.pdf\n$/],
    ] as const) {
      const { person, id } = await open(filename);
      const { env } = await desktop(person.home);
      const ended = await person.run(['open', id], { env: { ...env, DISPLAY: display } });
      assert.match(ended.stdout, expected);
      assert.deepEqual(await namesIn(person.home), ['bin', 'tmp']);
    }
  });
});
