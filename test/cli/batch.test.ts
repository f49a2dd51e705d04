import assert from 'node:assert/strict';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { BatchAnswer } from '../../cli/batch/send.ts';
import type { Source } from '../../shared/schemas/sources.ts';
import type { SignedIn } from '../support/app.ts';
import { column } from '../support/columns.ts';
import { addSource, listSources } from '../support/source-library.ts';
import { addClient } from '../support/team.ts';
import { openPlaces } from './between.ts';
import { assertRefused, runAtTerminal } from './cli.ts';
import { openCli } from './cli-person.ts';

const { service, base, owner } = await openCli();
const newPlace = openPlaces();

async function addSources(company: SignedIn, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1)
    ids.push((await addSource(company, { title: `Note ${n}`, text: `the text of note ${n}` })).id);
  return ids;
}

/** The tags of each source, by its title. */
async function tagsOf(company: SignedIn): Promise<Record<string, string>> {
  return Object.fromEntries(
    (await listSources(company, '?limit=200')).map(({ title, tags }) => [title, tags.join()]),
  );
}

describe('cli tag, move, expire, archive, undo and redo', () => {
  test('change sources by their ids, and undo and redo go several commands back and forth', async () => {
    const { company, text, data } = await owner();
    await addClient(service, company);
    const ids = await addSources(company, 2);
    const [a = '', b = ''] = ids;
    const states = async () => {
      const { items } = await data<{ items: Source[] }>('sources', '--sort', 'title');
      return items.map(({ tags, clientId, expiresAt, state }) => [
        tags.join(),
        clientId !== null,
        expiresAt !== null,
        state,
      ]);
    };
    const hint = 'Take it back: memory undo\n';
    const steps = [await states()];
    assert.equal(await text('tag', a, b, '--add', 'Site'), `Tagged 2 sources: +Site.\n${hint}`);
    steps.push(await states());
    assert.equal(await text('move', a, '--to', 'a client'), `Moved 1 source to A client.\n${hint}`);
    steps.push(await states());
    await text('tag', a, '--remove', 'site', '--add', 'done');
    steps.push(await states());
    await text('expire', a, b, '--expires', '2099-01-01');
    steps.push(await states());
    await text('archive', a, b);
    steps.push(await states());
    assert.deepEqual(steps.at(-2), [
      ['done', true, true, 'active'],
      ['site', false, true, 'active'],
    ]);
    assert.deepEqual(column(steps.at(-1) ?? [], 3), ['archived', 'archived']);
    assert.match(
      await text('undo', '--list'),
      /Change\n[^\n]+archive\n[^\n]+expire [^\n]+\n[^\n]+tag \+done -site\n/,
    );
    for (const state of steps.slice(0, -1).reverse()) {
      assert.match(
        await text('undo'),
        /^Took back the change of [12] sources?: .*\.\nDo it again: memory redo\n$/,
      );
      assert.deepEqual(await states(), state);
    }
    for (const state of steps.slice(1)) {
      assert.match(
        await text('redo'),
        /^Repeated the change of [12] sources?: .*\.\nTake it back: memory undo\n$/,
      );
      assert.deepEqual(await states(), state);
    }
    for (const state of steps.slice(0, -1).reverse()) {
      await text('undo');
      assert.deepEqual(await states(), state);
    }
    assert.equal(await text('undo', '--list'), 'Nothing to undo.\n');
  });

  test('undo leaves a source that was changed since, also by another program, and names it', async () => {
    const { company, person, text } = await owner();
    const [a = '', b = ''] = await addSources(company, 2);
    await text('tag', a, b, '--add', 'one');
    await company.api.changeSource(a, { tags: ['theirs'] });
    const ended = await person.run(['undo']);
    assert.equal(ended.code, 1);
    assert.match(
      ended.stdout,
      new RegExp(
        `change of 1 source: tag \\+one\\.\nNot taken back:\n  Note 0 \\(${a}\\): version_conflict: `,
      ),
    );
    assert.match(ended.stderr, /^memory: 1 of 2 sources were not taken back\n$/);
    assert.deepEqual(await tagsOf(company), { 'Note 0': 'theirs', 'Note 1': '' });
    assertRefused(await person.run(['undo']), /there is nothing to undo/);
    // Not restored to what it was before someone else changed it.
    await text('tag', a, b, '--add', 'two');
    await text('tag', a, b, '--add', 'three');
    await company.api.changeSource(b, { tags: ['theirs'] });
    await text('tag', a, b, '--add', 'four');
    assert.match(await text('undo'), /2 sources: tag \+four/);
    assert.equal((await person.run(['undo'])).code, 1);
    assert.deepEqual(await tagsOf(company), { 'Note 0': 'theirs,two', 'Note 1': 'theirs' });
  });

  test('reads ids from a list that is piped, and lists each that is refused with its title and the reason', async () => {
    const { company, person, text } = await owner();
    const ids = await addSources(company, 3);
    const input = await text('sources');
    const ended = await person.run(['tag', '--add', 'piped'], { input });
    assert.deepEqual([ended.code, ended.stderr], [0, '']);
    assert.match(ended.stdout, /^Tagged 3 sources: \+piped\./);
    const again = await person.run(['tag', '--add', 'piped', ids[0] ?? '', 'nonsense']);
    assert.match(
      again.stdout,
      /^Tagged 0 sources: \+piped\.\n1 source was already so\.\nNot tagged:\n  nonsense: not_found: [^\n]+\n$/,
    );
    assert.match(again.stderr, /1 of 2 sources were not tagged/);
    const tooMany = await person.run([
      'tag',
      ...Array.from({ length: 50 }, (_, n) => ['--add', `tag-${n}`]).flat(),
      ids[0] ?? '',
    ]);
    assert.match(tooMany.stdout + tooMany.stderr, /Note 0 \(|invalid_request/);
    assertRefused(
      await person.run(['tag', '--add', 'x'], { input: 'no ids' }),
      /expected the id of a source/,
    );
    assertRefused(await person.run(['tag', '--add', 'x']), /name the sources by their ids, or with --kind/);
    assertRefused(await person.run(['tag', ids[0] ?? '']), /--add or --remove/);
    const cut = await person.run(['tag', '--add', 'x'], { input: await text('sources', '--limit', '2') });
    assert.match(cut.stderr, /no id in: There may be more: --limit lists more than 2/);
  });

  test('sources that filters describe are counted, and changed with --yes or after a question', async () => {
    const { company, person, text, data } = await owner();
    await addSources(company, 3);
    const tagging = ['tag', '--containing', 'note', '--add', 'x'];
    const advice = '3 sources would be tagged. To change them, add --yes.\n';
    assert.equal(await text(...tagging), advice);
    assert.deepEqual(await data(...tagging, '--yes', '--dry-run'), { count: 3, dryRun: true });
    const ask = (typed: string) =>
      runAtTerminal(person, tagging, [{ question: '3 sources will be tagged. Go on? [y/N]', typed }]);
    assert.match((await ask('\r')).shown, /3 sources would be tagged\./);
    assert.deepEqual(Object.values(await tagsOf(company)), ['', '', '']);
    assert.match((await ask('y\r')).shown, /Tagged 3 sources/);
    const { results, undo } = await data<BatchAnswer>('tag', '--tag', 'x', '--remove', 'x', '--yes');
    assert.deepEqual(column(results, 'changed'), [true, true, true]);
    assert.equal(undo.length, 1);
  });

  test('many are sent in several requests, and undo takes back what was sent before the connection was lost', async () => {
    let sent = 0;
    const place = await newPlace(base, ({ path }) =>
      path.endsWith('/batch') && (sent += 1) === 2 ? 'is lost' : 'passes',
    );
    const { company, person, text } = await owner(place.url);
    await addSources(company, 120);
    const lost = await person.run(['tag', '--kind', 'ingest', '--add', 'x', '--yes']);
    assert.equal(lost.code, 1);
    assert.match(
      lost.stderr,
      /cannot be reached.*; 100 of 120 sources were sent before this: take it back: memory undo\n$/,
    );
    const tagged = async () => Object.values(await tagsOf(company)).filter((tags) => tags === 'x').length;
    assert.equal(await tagged(), 100);
    const folder = join(person.home, '.config/team-memory/undo');
    const [file = ''] = await readdir(folder);
    assert.equal((await stat(join(folder, file))).mode & 0o777, 0o600);
    assert.match(await text('undo'), /100 sources/);
    assert.equal(await tagged(), 0);
  });
});
