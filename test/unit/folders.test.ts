import assert from 'node:assert/strict';
import { chmod, chown, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { assertCanWrite, assertCertificates, makeFolder, writing } from '../../shared/settings/folders.ts';
import { spawnSync } from '../support/needs/command.ts';
import { endProcesses, temporaryFolder } from '../support/needs/process.ts';

after(endProcesses);

/** A folder that other users can reach. */
async function openFolder(): Promise<string> {
  const folder = await mkdtemp('/tmp/team-memory-folders-');
  after(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o755);
  return folder;
}

const FOLDERS = new URL('../../shared/settings/folders.ts', import.meta.url).href;
const isRoot = process.getuid?.() === 0;
/** The user of the attempts: another one if the tests run as root, who can write everywhere. */
const USER = isRoot ? 65_534 : process.getuid?.();

/** What the attempt of that user to make a folder prints. */
function attempt(folder: string): string {
  const script = `
    import { makeFolder } from ${JSON.stringify(FOLDERS)};
    ${isRoot ? `process.setgroups([]); process.setgid(${USER}); process.setuid(${USER});` : ''}
    await makeFolder('MEMORY_DATA_DIR', ${JSON.stringify(folder)}, ['lock', 'postgres']).catch((error) => console.log(error.message));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
    // That user cannot write what the runner gathers of each process.
    env: { NODE_V8_COVERAGE: '' },
  });
  assert.equal(stderr, '');
  return stdout;
}

describe('the folder of a setting', () => {
  const needsRoot = { skip: !isRoot && 'needs root, to make files of two users' };

  test('that this user cannot write is refused with the variable, the folder, the user and what to do', async () => {
    const folder = await openFolder();
    const locked = join(folder, 'locked');
    await mkdir(locked);
    await chmod(locked, 0o500);
    if (isRoot) await chown(locked, 0, 0);
    const line = new RegExp(
      `^MEMORY_DATA_DIR: user ${USER} cannot write to ${locked}, which belongs to user \\d+: give this user the right \\(chown\\), or set MEMORY_DATA_DIR to another folder\n$`,
    );
    for (const path of [locked, join(locked, 'new'), join(locked, 'new/deeper')])
      assert.match(attempt(path), line);
  });

  test('with a file of another user is refused, with the name of that file', needsRoot, async () => {
    const folder = await openFolder();
    await writeFile(join(folder, 'lock'), '');
    await chmod(join(folder, 'lock'), 0o600);
    await chown(folder, USER ?? 0, USER ?? 0);
    assert.match(
      attempt(folder),
      /^MEMORY_DATA_DIR: user 65534 cannot write to \S+lock, which belongs to user 0: /,
    );
  });

  test(
    'can contain what is not of the service and belongs to another user, as the root of a disk does',
    needsRoot,
    async () => {
      const folder = await openFolder();
      await mkdir(join(folder, 'lost+found'), { mode: 0o700 });
      await chown(folder, USER ?? 0, USER ?? 0);
      assert.equal(attempt(folder), '');
    },
  );

  test('that is a file, a link to nothing, or below one, is refused before anything is created', async () => {
    const folder = await temporaryFolder();
    const [file, link] = [join(folder, 'file'), join(folder, 'link')];
    await writeFile(file, '');
    await symlink(join(folder, 'not mounted'), link);
    const setElse = 'or set MEMORY_DATA_DIR to another folder';
    for (const [path, why] of [
      [file, `it is not a folder. Remove it, ${setElse}`],
      [
        link,
        `it is a link to a folder that does not exist. Create that folder (its disk may not be mounted), ${setElse}`,
      ],
    ] as const) {
      const message = `MEMORY_DATA_DIR: user ${process.getuid?.()} cannot write to ${path}: ${why}`;
      for (const tried of [path, join(path, 'below')]) {
        await assert.rejects(assertCanWrite('MEMORY_DATA_DIR', tried, []), { message });
        await assert.rejects(makeFolder('MEMORY_DATA_DIR', tried, []), { message });
      }
    }
  });

  test('on a full or read-only disk is refused with one line, and other errors are not changed', async () => {
    const fails = (code: string) =>
      writing('MEMORY_DATA_DIR', '/data', () => {
        throw Object.assign(new Error('x'), { code, syscall: 'open' });
      });
    for (const [code, why] of Object.entries({
      ENOSPC: /^MEMORY_DATA_DIR: the disk of \/data is full, .* free some space/,
      EDQUOT: /^MEMORY_DATA_DIR: the disk of \/data is full, .* free some space/,
      EROFS: /^MEMORY_DATA_DIR: .* its file system is read-only. Make it writable, or set /,
      EIO: /^MEMORY_DATA_DIR: user \d+ cannot write to \/data \(EIO\)\. Correct this, or set /,
    }))
      await assert.rejects(fails(code), { message: why });
    const other = new Error('another fault');
    await assert.rejects(
      writing('MEMORY_DATA_DIR', '/data', () => Promise.reject(other)),
      other,
    );
  });

  test('that can be written is created, and checking it creates nothing', async () => {
    const folder = await temporaryFolder();
    const data = join(folder, 'new', 'data');
    assert.equal(await assertCanWrite('MEMORY_DATA_DIR', data, ['lock']), folder);
    await makeFolder('MEMORY_DATA_DIR', data, ['lock']);
    await makeFolder('MEMORY_DATA_DIR', data, ['lock']);
    assert.equal(await assertCanWrite('MEMORY_DATA_DIR', data, ['lock']), data);
  });
});

describe('the certificates of an address of a database', () => {
  test('must be files that this user can read', async () => {
    const folder = await temporaryFolder();
    const file = join(folder, 'ca.pem');
    await writeFile(file, '');
    const check = (query: string) =>
      assertCertificates('MEMORY_DATABASE_URL', `postgres://u:SECRET@one,two/db${query}`);
    for (const fine of ['', '?sslmode=require', `?sslrootcert=${file}`, '?sslrootcert=system'])
      await check(fine);
    for (const name of ['sslrootcert', 'sslcert', 'sslkey']) {
      await assert.rejects(check(`?sslmode=verify-full&${name}=${folder}/none.pem`), {
        message: new RegExp(
          `^MEMORY_DATABASE_URL: user \\d+ cannot read \\S+/none\\.pem, the file of ${name} \\(ENOENT\\): correct the path`,
        ),
      });
    }
  });
});
