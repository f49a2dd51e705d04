import assert from 'node:assert/strict';
import { access, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { programName } from '../../cli/client/run-command.ts';
import { API_TOKEN } from '../support/app.ts';
import { stageCapture } from '../support/captures.ts';
import { assertRefused, type Person } from './cli.ts';
import { openCli } from './cli-person.ts';

const { base, newPerson, openOther, owner } = await openCli();

/** Writes the file `.env` of the folder in which a person runs commands. */
const writeEnvironmentFile = ({ home }: Person, ...lines: string[]) =>
  writeFile(join(home, '.env'), `${lines.join('\n')}\n`);

describe('a file .env of the working folder', () => {
  test('names no editor and no folder of settings', async () => {
    const { company, person, text } = await owner();
    await stageCapture(company);
    const mark = join(person.home, 'was-run');
    await writeEnvironmentFile(
      person,
      `VISUAL=touch '${mark}';`,
      `EDITOR=touch '${mark}';`,
      `XDG_CONFIG_HOME=${join(person.home, 'theirs')}`,
    );
    assertRefused(await person.run(['consolidate']), /no editor can be opened/);
    await assert.rejects(access(mark), { code: 'ENOENT' });
    // The session is still found below the home folder.
    assert.match(await text('whoami'), /^using the saved session/m);
  });

  test('receives no token of the environment, and its token goes to no address of the environment', async () => {
    const person = await newPerson();
    const other = await openOther((_request, response) => response.end('{}'));
    const env = { MEMORY_API_TOKEN: API_TOKEN };
    const told =
      /MEMORY_API_TOKEN comes from the environment, but the address from \.env: name the address with --url/;
    for (const line of [`MEMORY_API_PUBLIC_URL=${other.url}`, `PORT=${new URL(other.url).port}`]) {
      await writeEnvironmentFile(person, line);
      assertRefused(await person.run(['whoami'], { env }), told);
    }
    for (const [args, more] of [
      [['--url', base], {}],
      [[], { MEMORY_API_PORT: new URL(base).port }],
    ] as const) {
      const ended = await person.run(['whoami', ...args], { env: { ...env, ...more } });
      assert.match(ended.stdout, new RegExp(`^using MEMORY_API_TOKEN for ${base}$`, 'm'));
    }
    await writeEnvironmentFile(person, `MEMORY_API_TOKEN=${API_TOKEN}`);
    const elsewhere = { MEMORY_API_PUBLIC_URL: other.url };
    const refused = await person.run(['whoami'], { env: elsewhere });
    assertRefused(refused, /MEMORY_API_TOKEN comes from \.env, but the address from the environment/);
    assert.deepEqual(other.asked, []);
    await writeEnvironmentFile(person, `MEMORY_API_TOKEN=${API_TOKEN}`, `MEMORY_API_PUBLIC_URL=${base}`);
    const both = await person.run(['whoami'], { env: elsewhere });
    assert.equal(both.code, 0, both.stderr);
  });

  test('receives no password', async () => {
    const person = await newPerson();
    const other = await openOther((_request, response) => response.end('{}'));
    await writeEnvironmentFile(person, `MEMORY_API_PUBLIC_URL=${other.url}`);
    const login = ['login', '--email', 'a@example.com'];
    const refused = await person.run(login, { input: 'a password\n' });
    assertRefused(
      refused,
      /the password comes from you, but the address from \.env: name the address with --url/,
    );
    assert.deepEqual(other.asked, []);
  });
});

describe('a program that the client starts', () => {
  /** A command that saves its environment, and fails. */
  const PRINT = 'env > "$HOME/found"; exit 1';

  test('gets the environment without the settings of the service and of the client', async () => {
    const { company, person } = await owner();
    await stageCapture(company);
    const { token } = company;
    const env = {
      MEMORY_API_TOKEN: token,
      MEMORY_DATABASE_URL: 'postgres://of-this-test',
      DATABASE_URL: 'postgres://of-this-test',
      OF_THE_USER: 'yes',
    };
    await writeEnvironmentFile(person, 'MEMORY_METRICS_TOKEN=of-this-test', 'PORT=1');
    const set = await person.run(['profile', 'set', '--embed-with', PRINT]);
    assert.equal(set.code, 0, set.stderr);
    for (const [args, more] of [
      [['consolidate', '--with', PRINT], {}],
      [['consolidate'], { EDITOR: `${PRINT};` }],
      [['search', 'anything'], {}],
    ] as const) {
      await rm(join(person.home, 'found'), { force: true });
      const ended = await person.run([...args, '--url', base], { env: { ...env, ...more } });
      assertRefused(ended, /failed \(exit code 1\)/);
      const found = await readFile(join(person.home, 'found'), 'utf8');
      assert.match(found, /^OF_THE_USER=yes$/m);
      assert.doesNotMatch(found, /of-this-test|^MEMORY_|^PORT=/m);
      assert.ok(!found.includes(token));
    }
  });
});

describe('a command line with a secret', () => {
  test('is named in messages by its program only', async () => {
    const { person, text } = await owner();
    const secret = 'sk-of-this-test';
    const command = `API_KEY="a ${secret}" '/no such folder/my model' --key ${secret}`;
    assert.match(await text('profile', 'set', '--embed-with', command), /with: my model\b/);
    const failed = await person.run(['search', 'x']);
    assert.match(failed.stderr, /^memory: .*the command failed \(exit code 127\): my model$/m);
    const shown = `${await text('doctor')}${await text('profile', 'list')}`;
    assert.match(shown, /^Vectors +ok +those of queries are made with: my model/m);
    // The shell prints the path of a program that it does not find.
    assert.ok(!`${shown}${failed.stderr}`.includes(secret));
    for (const [line, name] of [
      [`KEY=${secret};prog ${secret}`, 'prog'],
      [`KEY=a\\ ${secret} prog`, 'prog'],
      [`"/usr/bin/a\\"b" ${secret}`, 'a\\b'],
      [`KEY=${secret}`, 'the command'],
    ] as const)
      assert.equal(programName(line), name);
  });
});
