import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { commandHelp, overview } from '../../cli/program/help.ts';
import { COMMANDS, findCommand } from '../../cli/program/registry.ts';
import { columns } from '../../cli/terminal/columns.ts';
import { assertRefused, openHomes } from './cli.ts';

const newPerson = await openHomes();

const HELPS = [
  ['the list of commands', (width: number) => overview(Object.entries(COMMANDS), width)],
  ...Object.entries(COMMANDS).map(
    ([name, command]) => [name, (width: number) => commandHelp(name, command, width)] as const,
  ),
] as const;

/** The words of a text. */
const wordsOf = (text: string) => text.split(/\s+/);

describe('help', () => {
  test('fits the width for every command, and no word is broken or cut off', () => {
    for (const [name, help] of HELPS) {
      for (const width of [40, 60, 80, 110]) {
        const lines = help(width).split('\n');
        // Only a word that is longer than the line can be wider.
        const wide = lines.filter((line) => columns(line) > width && wordsOf(line.trim()).length > 1);
        assert.deepEqual(wide, [], `${name} in ${width} columns`);
        assert.deepEqual(wordsOf(help(width)), wordsOf(help(10_000)), `${name} in ${width} columns`);
      }
    }
  });

  test('of a command is printed by help, --help before the command and --help after it', async () => {
    const person = await newPerson();
    const printed = async (...args: string[]) => {
      const { code, stdout, stderr } = await person.run(args);
      assert.deepEqual([code, stderr], [0, ''], args.join(' '));
      return stdout;
    };
    const search = await printed('search', '--help');
    assert.match(search, /^Usage: memory search <query>/m);
    assert.equal(await printed('help', 'search'), search);
    assert.equal(await printed('--help', 'search'), search);
    assert.match(await printed('help', 'hook', 'install'), /^Usage: memory hook install <agent>/m);
    const group = await printed('help', 'hook');
    assert.match(group, /^ {2}hook install +\w/m);
    assert.ok(!group.includes('whoami'));
    assert.match(await printed('help', 'help'), /^Usage: memory help \[<command> …\]/m);
    assert.equal(await printed('help'), await printed('--help'));
    assert.equal(await printed(), await printed('--help'), 'without a word');
    assert.equal(await printed('version'), await printed('--version'));
    assertRefused(await person.run(['help', 'serach']), /no command "serach"; did you mean search\?/);
  });
});

describe('a mistyped word', () => {
  test('that is no command is answered with the similar commands', () => {
    for (const [word, meant] of [
      ['serach', '; did you mean search?'],
      ['SEARCH', '; did you mean search?'],
      ['sour', '; did you mean source, sources or source text?'],
      ['tokens', '; did you mean token?'],
      ['install', '; did you mean hook install or hook uninstall?'],
      ['members', '; did you mean team members?'],
      ['xyzzy', ''],
      ['constructor', ''],
      ['', ''],
    ]) {
      const message = `there is no command ${JSON.stringify(word)}${meant} (see --help)`;
      assert.throws(() => findCommand([word ?? '']), { message });
    }
    const group = 'name a command of team: list, show, members, add, invites, resend, clients, use';
    for (const [words, meant] of [
      [['team'], ''],
      [['team', 'sho'], '; did you mean team show?'],
    ] as const)
      assert.throws(() => findCommand([...words]), { message: `${group}${meant} (see --help)` });
  });

  test('that is no option, or no value of a fixed choice, is answered with the similar ones', async () => {
    const person = await newPerson();
    for (const [line, reason] of [
      ['search x --tema y', /'--tema'; did you mean --team\? \(see --help\)$/m],
      ['search x --limt=3', /'--limt'; did you mean --limit\?/],
      ['search -- x --colour --kind fiel', /not signed in/],
      ['search x --kind file --kind fiel', /did you mean file\?/],
      [
        'archive --kind imprt',
        /^memory: --kind: expected ingest or import; did you mean import\? \(see --help\)$/m,
      ],
      ['memories --state publised', /did you mean published\?/],
      ['hook install codx', /^memory: <agent>: .*did you mean codex\?/m],
      ['completion fis', /expected bash, zsh or fish; did you mean fish\?/],
      ['owner-reset-lnk', /no command "owner-reset-lnk"/],
    ] as const) {
      assertRefused(await person.run(line.split(' ')), reason);
    }
  });
});
