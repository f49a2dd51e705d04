import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ListedMemory } from '../../shared/schemas/memories.ts';
import { column } from '../support/columns.ts';
import { keep } from '../support/consolidation.ts';
import { questionBest } from '../support/feedback.ts';
import { addSource } from '../support/source-library.ts';
import { assertRefused, NO_TERMINAL, runAtTerminal } from './cli.ts';
import { type CliOwner, openCli } from './cli-person.ts';
import { editor } from './consolidation.ts';

const { base, owner } = await openCli();

const KEYS = 's skip  q quit';

/** Puts memories into review, the first one last in the queue. */
async function queue({ company }: CliOwner, ...titles: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const title of titles) {
    const content = `The content of ${title}.`;
    ids.push((await keep(company, { action: 'review', title, content })).memoryId);
  }
  return ids;
}

/** The memories of the Team in a state. */
async function memories({ company }: CliOwner, state: string): Promise<ListedMemory[]> {
  return (await company.api.listMemories({ state })).items;
}

/** Presses keys, each when a memory and the keys are shown. */
const press = (...keys: string[]) => keys.map((typed) => ({ question: KEYS, typed }));

describe('cli review', () => {
  test('publishes, discards and skips with a key, newest first', { skip: NO_TERMINAL }, async () => {
    const cli = await owner();
    await queue(cli, 'Skipped', 'Discarded', 'Published');
    const { code, shown } = await runAtTerminal(cli.person, ['review'], press('p', 'd', 's'));
    assert.equal(code, 0, shown);
    assert.match(
      shown,
      /The content of Published\.[^]*published[^]*Discarded[^]*discarded[^]*Skipped[^]*skipped/,
    );
    assert.match(shown, /^1 published, 1 discarded, 1 skipped\.\r$/m);
    for (const [state, title] of [
      ['published', 'Published'],
      ['review', 'Skipped'],
    ] as const)
      assert.deepEqual(column(await memories(cli, state), 'title'), [title]);
  });

  test('publishes what was changed in the editor', { skip: NO_TERMINAL }, async () => {
    const cli = await owner();
    await queue(cli, 'Draft');
    const env = await editor(cli.person, `text = 'Final\\n\\nAnother content.\\n';`);
    const { code, shown } = await runAtTerminal(cli.person, ['review'], press('e', 'p'), 0, env);
    assert.equal(code, 0, shown);
    const [memory] = await memories(cli, 'published');
    assert.deepEqual([memory?.title, memory?.content], ['Final', 'Another content.']);
  });

  test('shows what the memory comes from, and what is similar', { skip: NO_TERMINAL }, async () => {
    const cli = await owner();
    await queue(cli, 'One', 'Two');
    const { code, shown } = await runAtTerminal(cli.person, ['review'], press('q'));
    assert.equal(code, 0, shown);
    assert.match(shown, /From a session: What was done in it\./);
    assert.match(shown, /Similar \(\d+ %, in review\): One: The content of One\./);
  });

  test('stops on q and on Ctrl-C, ignores other keys, and leaves the terminal as it was', {
    skip: NO_TERMINAL,
  }, async () => {
    const cli = await owner();
    await queue(cli, 'One', 'Two');
    const quit = await runAtTerminal(cli.person, ['review'], press('x', 'q'));
    assert.equal(quit.code, 0, quit.shown);
    assert.match(quit.shown, /Press one of the keys/);
    assert.match(quit.shown, /^0 published\.\r$/m);
    const interrupted = await runAtTerminal(cli.person, ['review'], press('\u0003'));
    assert.equal(interrupted.code, 130, interrupted.shown);
    for (const { shown } of [quit, interrupted]) assert.match(shown, /[ ;]icanon/);
    assert.equal((await memories(cli, 'review')).length, 2);
  });

  test('names a memory that someone else has decided, and goes on', { skip: NO_TERMINAL }, async () => {
    const cli = await owner();
    const [, memoryId = ''] = await queue(cli, 'Later', 'Taken');
    // The editor decides on the memory that it shows, as another reviewer could at that time.
    const { authorization } = cli.company.headers;
    const env = await editor(
      cli.person,
      `await fetch('${base}/v1/memory/memories', {
        method: 'POST',
        headers: { authorization: '${authorization}', 'content-type': 'application/json' },
        body: JSON.stringify({ action: 'discard', memoryId: '${memoryId}' }),
      });`,
    );
    const { code, shown } = await runAtTerminal(cli.person, ['review'], press('e', 'p', 'p'), 0, env);
    assert.equal(code, 0, shown);
    assert.match(shown, /the service refused: (?:version_)?conflict/);
    assert.match(shown, /^1 published, 1 refused\.\r$/m);
    assert.deepEqual(column(await memories(cli, 'published'), 'title'), ['Later']);
  });

  test('shows published memories and sources with feedback, to keep or to delete', {
    skip: NO_TERMINAL,
  }, async () => {
    const cli = await owner();
    const { company } = cli;
    await keep(company, { title: 'Heron', content: 'The heron rule.' });
    await addSource(company, { title: 'Gull', text: 'The gull rule.' });
    await questionBest(company, 'heron', { note: 'It is not.' });
    await questionBest(company, 'gull', { verdict: 'outdated' });
    const press = (typed: string) => ({ question: 'k keep', typed });
    const { code, shown } = await runAtTerminal(cli.person, ['review'], [press('d'), press('k')]);
    assert.equal(code, 0, shown);
    assert.match(
      shown,
      /The gull rule\.[^]*Feedback: outdated[^]*deleted[^]*Feedback: wrong: It is not\.[^]*kept/,
    );
    assert.match(shown, /^0 published, 1 kept, 1 deleted\.\r$/m);
    assert.deepEqual(await memories(cli, 'review'), []);
  });

  test('lists the queue with --json, and without a terminal says so', async () => {
    const cli = await owner();
    await queue(cli, 'One', 'Two');
    const { items } = await cli.data<{ items: ListedMemory[] }>('review');
    assert.deepEqual(column(items, 'title'), ['Two', 'One']);
    assertRefused(await cli.person.run(['review']), /review needs a terminal: use --json/);
  });
});
