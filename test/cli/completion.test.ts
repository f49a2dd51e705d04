import assert from 'node:assert/strict';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { COMMANDS } from '../../cli/program/registry.ts';
import { openTestApp } from '../support/app.ts';
import { execFileSync, spawnSync } from '../support/needs/command.ts';
import { addClient, addTeam } from '../support/team.ts';
import { CHECKOUT, openHomes, otherServices, type Person } from './cli.ts';
import { signedInOwner } from './cli-person.ts';

const service = await openTestApp();
const base = await service.app.listen({ host: '127.0.0.1', port: 0 });
const newPerson = await openHomes();
const openOther = otherServices();

/** What a shell is told to complete: the first line, and the words. */
async function completions(person: Person, ...words: string[]) {
  const { code, stdout, stderr } = await person.run(['__complete', ...words]);
  assert.deepEqual([code, stderr], [0, ''], words.join(' '));
  const [kind, ...lines] = stdout.trimEnd().split('\n');
  return { kind, words: lines.map((line) => line.split('\t')[0]) };
}

describe('completion', () => {
  test('completes commands, the words of groups, options, choices and files', async () => {
    const person = await newPerson();
    const wordsOf = async (...words: string[]) => (await completions(person, ...words)).words;
    assert.deepEqual(await wordsOf('se'), ['search']);
    assert.deepEqual(await wordsOf('--'), ['--help', '--version']);
    assert.deepEqual(await wordsOf('team', ''), ['list', 'show', 'members', 'clients', 'use']);
    assert.deepEqual(await wordsOf('help', 'team', 's'), ['show']);
    assert.deepEqual(await wordsOf('search', '--ex'), ['--explain']);
    assert.deepEqual(await wordsOf('search', '--explain', '--ex'), [], 'an option is given once');
    assert.deepEqual(
      await wordsOf('search', '--kind', 'file', '--ki'),
      ['--kind'],
      'this one can be repeated',
    );
    assert.deepEqual(await wordsOf('search', '--', '--ex'), []);
    assert.deepEqual(await wordsOf('hook', 'install', ''), ['claude-code', 'codex']);
    assert.deepEqual(await wordsOf('hook', 'install', 'codex', ''), []);
    assert.deepEqual(await wordsOf('hook', 'prompt', '--agent', 'co'), ['codex']);
    assert.deepEqual(await wordsOf('search', 'x', '--kind', 'i'), ['ingest', 'import']);
    assert.deepEqual(await wordsOf('search', '--kind=m'), ['--kind=memory']);
    assert.deepEqual(await wordsOf('token', 'create', '--permission', 'workspace:'), [
      'workspace:read',
      'workspace:write',
    ]);
    assert.deepEqual(await wordsOf('audit', '--kind', 'memory.pu'), ['memory.purge', 'memory.publish']);
    assert.deepEqual(await wordsOf('ingest', '--title', ''), []);
    for (const [kind, ...words] of [
      ['files', 'ingest', ''],
      ['files', 'download', 'x', '--to', ''],
      ['folders', 'import', ''],
      ['folders', 'sync', ''],
    ] as const)
      assert.deepEqual(await completions(person, ...words), { kind, words: [] });
  });

  test('every option with a value either completes it or has a free text, a number, a time or an id', () => {
    const free = new Set([
      'n',
      'time',
      'id',
      'url',
      'uri',
      'text',
      'title',
      'tag',
      'email',
      'command',
      'database',
    ]);
    for (const word of ['seconds', 'duration', 'seal']) free.add(word);
    const missing = Object.entries(COMMANDS).flatMap(([command, { options }]) =>
      Object.entries(options)
        .filter(
          ([, { type, choices, examples, completes }]) =>
            type === 'string' && !(choices ?? examples ?? completes),
        )
        .filter(([, { value = '' }]) => !free.has(value))
        .map(([name, { value }]) => `${command} --${name} <${value}>`),
    );
    assert.deepEqual(missing, []);
  });

  test('completes the names of Teams, clients, agent tokens and profiles', async () => {
    const { company, person, text } = await signedInOwner(service, base, newPerson);
    const other = await addTeam(service, company);
    await addClient(service, company);
    /** Asks again if names are missing: on a slow machine, the answer of the service can be too late. */
    const assertNames = async (words: readonly string[], expected: readonly string[]) => {
      let found = await completions(person, ...words);
      for (let again = 0; again < 5 && found.words.length < expected.length; again += 1)
        found = await completions(person, ...words);
      assert.deepEqual(found.words.sort(), [...expected].sort(), words.join(' '));
    };
    await assertNames(['search', '--team', ''], ['Another Team', 'Test Team']);
    await assertNames(['team', 'use', 'TES'], ['Test Team']);
    const team = ['--team', company.teamId];
    await assertNames(['search', ...team, '--client', ''], ['all', 'A client']);
    await assertNames(['search', ...team, '--client=A'], ['--client=all', '--client=A client']);
    await assertNames(['move', 'x', ...team, '--to', ''], ['team', 'A client']);
    await assertNames(['search', '--team', other, '--client', ''], ['all']);
    await text('token', 'create', 'nightly', ...team, '--permission', 'memory:read');
    await assertNames(['token', 'revoke', ...team, 'n'], ['nightly']);
    await mkdir(join(person.home, '.config', 'team-memory', 'profiles', 'work'), { recursive: true });
    await assertNames(['search', '--profile', ''], ['default', 'work']);
  });

  test('prints nothing where the service cannot be reached or does not answer, and reads no file .env', async () => {
    const person = await newPerson();
    assert.deepEqual(await completions(person, 'search', '--team', ''), { kind: 'words', words: [] });
    const silent = await openOther(() => {});
    await writeFile(
      join(person.home, '.env'),
      `MEMORY_API_TOKEN=a-token-of-a-folder\nMEMORY_API_PUBLIC_URL=${silent.url}\n`,
    );
    assert.deepEqual(await completions(person, 'search', '--team', ''), { kind: 'words', words: [] });
    assert.deepEqual(silent.asked, []);
    const env = { MEMORY_API_TOKEN: 'a-token-of-this-test' };
    const late = await person.run(['__complete', 'search', '--url', silent.url, '--team', ''], { env });
    assert.deepEqual([late.code, late.stdout, late.stderr], [0, 'words\n', '']);
    assert.deepEqual(silent.asked, ['/v1/auth/session']);
    await silent.close();
  });
});

/** Why a shell cannot be tested, or false. */
const missing = (shell: string) => spawnSync(shell, ['--version']).status !== 0 && `needs ${shell}`;

describe('completion in a shell', () => {
  /** Saves the script for a shell in a home folder. */
  async function scriptFor(shell: string): Promise<{ home: string; file: string }> {
    const { home, run } = await newPerson();
    const { stdout } = await run(['completion', shell]);
    const file = join(home, 'completion');
    await writeFile(file, stdout);
    return { home, file };
  }

  test('bash inserts the word, also after : and =, and with the quotes that a name needs', {
    skip: missing('bash'),
  }, async () => {
    const { home, file } = await scriptFor('bash');
    // A program with this name, which tells what it was asked and knows one name.
    const program = join(home, 'memory');
    await writeFile(
      program,
      `#!/bin/sh\nshift\nfor word; do printf '<%s>' "$word" >>"$HOME/asked"; done\nlast="$word"\n` +
        `case "$last" in --team=*) printf 'words\\n--team=Acme Corp\\tid\\n' ;; A*) printf 'words\\nAcme Corp\\tid\\n' ;; *) exec '${process.execPath}' '${CHECKOUT}' __complete "$@" ;; esac\n`,
    );
    await chmod(program, 0o755);
    /** Completes as bash does: its own division of the line into words. */
    const complete = (line: string, pieces: readonly string[]) => {
      const words = pieces.map((piece) => `'${piece.replaceAll("'", "'\\''")}'`).join(' ');
      const script = `source '${file}'; COMP_LINE="$1"; COMP_POINT=\${#COMP_LINE}; COMP_WORDS=(${words}); COMP_CWORD=${pieces.length - 1}; _memory; printf '%s\\n' "\${COMPREPLY[@]}"`;
      const env = { HOME: home, PATH: `${home}:${process.env['PATH']}` };
      return execFileSync('bash', ['-c', script, 'bash', line], { encoding: 'utf8', env }).trim().split('\n');
    };
    assert.deepEqual(complete('memory se', ['memory', 'se']), ['search']);
    assert.deepEqual(complete('memory team ', ['memory', 'team', '']).slice(0, 2), ['list', 'show']);
    assert.deepEqual(complete('memory ingest fi', ['memory', 'ingest', 'fi']), ['']);
    const colon = 'memory token create --permission memory:re';
    assert.deepEqual(complete(colon, ['memory', 'token', 'create', '--permission', 'memory', ':', 're']), [
      'read',
      'review',
    ]);
    const ends = complete('memory token create --permission memory:', [
      'memory',
      'token',
      'create',
      '--permission',
      'memory',
      ':',
    ]);
    assert.deepEqual(ends, ['read', 'write', 'curate', 'review']);
    assert.deepEqual(complete('memory search --kind=', ['memory', 'search', '--kind', '=']), [
      'ingest',
      'import',
      'memory',
      'file',
    ]);
    assert.deepEqual(complete('memory search --kind=i', ['memory', 'search', '--kind', '=', 'i']), [
      'ingest',
      'import',
    ]);
    assert.deepEqual(complete('memory search --team=Ac', ['memory', 'search', '--team', '=', 'Ac']), [
      'Acme\\ Corp',
    ]);
    assert.deepEqual(complete('memory search --team Ac', ['memory', 'search', '--team', 'Ac']), [
      'Acme\\ Corp',
    ]);
    assert.deepEqual(complete('memory search --team "Ac', ['memory', 'search', '--team', '"Ac']), [
      'Acme Corp',
    ]);
  });

  test('bash runs the program that wrote the script where none is on the path', {
    skip: missing('bash'),
  }, async () => {
    const { file } = await scriptFor('bash');
    const script = `source '${file}'; COMP_WORDS=(memory hook install ''); COMP_CWORD=3; _memory; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const env = { PATH: '/usr/bin:/bin', HOME: '/nonexistent' };
    assert.equal(execFileSync('bash', ['-c', script], { encoding: 'utf8', env }), 'claude-code\ncodex\n');
  });

  for (const shell of ['zsh', 'fish'] as const) {
    test(`${shell} reads the script without an error`, { skip: missing(shell) }, async () => {
      execFileSync(shell, ['-n', (await scriptFor(shell)).file]);
    });
  }
});
