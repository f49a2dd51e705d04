import assert from 'node:assert/strict';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { COMMANDS } from '../../cli/program/registry.ts';
import { execFileSync, spawnSync } from '../support/needs/command.ts';
import { addClient, addTeam } from '../support/team.ts';
import { CHECKOUT, type Person } from './cli.ts';
import { openCli } from './cli-person.ts';

const { service, newPerson, openOther, owner } = await openCli();

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
    for (const [words, expected] of [
      ['se', ['search']],
      ['--', ['--help', '--version']],
      ['team ', ['list', 'show', 'members', 'add', 'invites', 'resend', 'clients', 'use']],
      ['help team s', ['show']],
      ['search --ex', ['--explain']],
      // An option is given once, unless it can be repeated.
      ['search --explain --ex', []],
      ['search --kind file --ki', ['--kind']],
      ['search -- --ex', []],
      ['hook install ', ['claude-code', 'codex']],
      ['hook install codex ', []],
      ['hook prompt --agent co', ['codex']],
      ['search x --kind i', ['ingest', 'import']],
      ['search --kind=m', ['--kind=memory']],
      ['token create --permission workspace:', ['workspace:read', 'workspace:write']],
      ['audit --kind memory.pu', ['memory.purge', 'memory.publish']],
      ['ingest --title ', []],
    ] as const) {
      const { words: found } = await completions(person, ...words.split(' '));
      assert.deepEqual(found, expected, words);
    }
    for (const [kind, ...words] of [
      ['files', 'ingest', ''],
      ['files', 'download', 'x', '--to', ''],
      ['folders', 'import', ''],
      ['folders', 'sync', ''],
    ] as const)
      assert.deepEqual(await completions(person, ...words), { kind, words: [] });
  });

  test('every option with a value either completes it or has a free text, a number, a time or an id', () => {
    const free = 'n name time id url uri text title tag email command database seconds duration seal'.split(
      ' ',
    );
    for (const [command, { options }] of Object.entries(COMMANDS)) {
      for (const [name, { type, choices, examples, completes, value = '' }] of Object.entries(options)) {
        const isCompleted = (choices ?? examples ?? completes) !== undefined;
        assert.ok(
          type !== 'string' || isCompleted || free.includes(value),
          `${command} --${name} <${value}>`,
        );
      }
    }
  });

  test('completes the names of Teams, clients, agent tokens and profiles', async () => {
    const { company, person, text } = await owner();
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
    const create = ['memory', 'token', 'create', '--permission', 'memory', ':'];
    const search = ['memory', 'search'];
    for (const [line, pieces, expected] of [
      ['memory se', ['memory', 'se'], ['search']],
      ['memory hook install ', ['memory', 'hook', 'install', ''], ['claude-code', 'codex']],
      ['memory ingest fi', ['memory', 'ingest', 'fi'], ['']],
      ['memory token create --permission memory:re', [...create, 're'], ['read', 'review']],
      ['memory token create --permission memory:', create, ['read', 'write', 'curate', 'review']],
      ['memory search --kind=', [...search, '--kind', '='], ['ingest', 'import', 'memory', 'file']],
      ['memory search --kind=i', [...search, '--kind', '=', 'i'], ['ingest', 'import']],
      ['memory search --team=Ac', [...search, '--team', '=', 'Ac'], ['Acme\\ Corp']],
      ['memory search --team Ac', [...search, '--team', 'Ac'], ['Acme\\ Corp']],
      ['memory search --team "Ac', [...search, '--team', '"Ac'], ['Acme Corp']],
    ] as const) {
      assert.deepEqual(complete(line, pieces), expected, line);
    }
  });

  for (const shell of ['zsh', 'fish'] as const) {
    test(`${shell} reads the script without an error`, { skip: missing(shell) }, async () => {
      execFileSync(shell, ['-n', (await scriptFor(shell)).file]);
    });
  }
});
