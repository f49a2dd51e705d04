import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ListedMemory } from '../../shared/schemas/memories.ts';
import { column, columns } from '../support/columns.ts';
import { keep } from '../support/consolidation.ts';
import { questionBest } from '../support/feedback.ts';
import { addSource } from '../support/source-library.ts';
import { type Fate, openPlaces } from './between.ts';
import { assertRefused, NO_TERMINAL, runAtTerminal } from './cli.ts';
import { type CliOwner, openCli } from './cli-person.ts';
import { editor, keptText } from './consolidation.ts';

const { base, owner } = await openCli();
const between = openPlaces();

/** An editor that replaces the text by this one. */
const FINAL = 'Final\n\nAnother content.\n';
const REPLACE = `text = ${JSON.stringify(FINAL)};`;

/** Puts memories into review, the first one last in the queue. */
async function queue({ company }: CliOwner, ...titles: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const title of titles)
    ids.push((await keep(company, { action: 'review', title, content: `About ${title}.` })).memoryId);
  return ids;
}

/** The texts of the Team's memories in a state. */
const texts = async ({ company }: CliOwner, state: string) =>
  columns(await company.all.listMemories({ state }), 'title', 'content');

/** Presses keys, each when a memory and the keys are shown. */
const press = (...keys: string[]) => keys.map((typed) => ({ question: 's skip  q quit', typed }));

/** Reviews with these keys, which must end well, and returns what was shown. */
async function review(
  { person }: CliOwner,
  answers: Parameters<typeof runAtTerminal>[2],
  env = {},
): Promise<string> {
  const { code, shown } = await runAtTerminal(person, ['review'], answers, 0, env);
  assert.equal(code, 0, shown);
  return shown;
}

describe('cli review', { skip: NO_TERMINAL }, () => {
  test('publishes, discards and skips with a key, newest first', async () => {
    const cli = await owner();
    await queue(cli, 'Skipped', 'Discarded', 'Published');
    const shown = await review(cli, press('p', 'd', 's'));
    assert.match(shown, /About Published\.[^]*published[^]*Discarded[^]*discarded[^]*Skipped[^]*skipped/);
    assert.match(shown, /^1 published, 1 discarded, 1 skipped\.\r$/m);
    assert.deepEqual(await texts(cli, 'published'), [['Published', 'About Published.']]);
    assert.deepEqual(await texts(cli, 'review'), [['Skipped', 'About Skipped.']]);
  });

  test('shows what the memory comes from and what is similar, and stops on q, but on no other key', async () => {
    const cli = await owner();
    await queue(cli, 'One', 'Two');
    const shown = await review(cli, press('x', 'q'));
    assert.match(shown, /From a session: What was done in it\./);
    assert.match(shown, /Similar \(\d+ %, in review\): One: About One\./);
    assert.match(shown, /Press one of the keys[^]*^0 published\.\r$[^]*[ ;]icanon/m);
    assert.equal((await texts(cli, 'review')).length, 2);
  });

  test('prints what was decided when Ctrl-C ends it, and leaves the terminal as it was', async () => {
    const cli = await owner();
    await queue(cli, 'Second', 'First');
    const { code, shown } = await runAtTerminal(cli.person, ['review'], press('d', '\u0003'));
    assert.equal(code, 130, shown);
    assert.match(shown, /^0 published, 1 discarded\.\r$[^]*[ ;]icanon/m);
    assert.equal((await texts(cli, 'review')).length, 1);
  });

  test('names a memory that someone else has decided, keeps the edited text in a file, and goes on', async () => {
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
      }); ${REPLACE}`,
    );
    const shown = await review(cli, press('e', 'p', 'p'), env);
    assert.match(shown, /the service refused: (?:version_)?conflict/);
    assert.match(shown, /^1 published, 1 refused\.\r$/m);
    assert.equal(await keptText(shown), FINAL);
    assert.deepEqual(await texts(cli, 'published'), [['Later', 'About Later.']]);
  });

  test('shows published memories and sources with feedback, to keep or to delete', async () => {
    const cli = await owner();
    const { company } = cli;
    await keep(company, { title: 'Heron', content: 'The heron rule.' });
    await addSource(company, { title: 'Gull', text: 'The gull rule.' });
    await questionBest(company, 'heron', { note: 'It is not.' });
    await questionBest(company, 'gull', { verdict: 'outdated' });
    const keys = ['d', 'k'].map((typed) => ({ question: 'k keep', typed }));
    const shown = await review(cli, keys);
    assert.match(
      shown,
      /The gull rule\.[^]*Feedback: outdated[^]*deleted[^]*Feedback: wrong: It is not\.[^]*kept/,
    );
    assert.match(shown, /^0 published, 1 kept, 1 deleted\.\r$/m);
    assert.deepEqual(await texts(cli, 'review'), []);
  });

  test('makes one decision of a doubled key', async () => {
    const cli = await owner();
    await queue(cli, 'Second', 'First');
    assert.match(await review(cli, press('pp', 'q')), /^1 published\.\r$/m);
    assert.deepEqual(await texts(cli, 'review'), [['Second', 'About Second.']]);
  });

  test('shows a refusal, keeps the edited text and asks again', async () => {
    const refusal = (status: number, code: string) => ({ status, body: { code, detail: 'Not like this' } });
    const fates: Fate[] = [refusal(422, 'secret_detected'), refusal(503, 'unavailable'), 'is lost'];
    const { url } = await between(base, ({ method, path }) =>
      method === 'POST' && path === '/v1/memory/memories' ? (fates.shift() ?? 'passes') : 'passes',
    );
    const cli = await owner(url);
    await queue(cli, 'Draft');
    const shown = await review(cli, press('e', 'p', 'p', 'p', 'p'), await editor(cli.person, REPLACE));
    assert.match(shown, /secret_detected: Not like this\r\nYour text is kept: e opens it again\./);
    assert.match(shown, /cannot answer now \(503\)[^]*cannot be reached/);
    assert.match(shown, /^1 published\.\r$/m);
    assert.deepEqual(await texts(cli, 'published'), [['Final', 'Another content.']]);
  });

  test('shows a text as it is, with characters that a terminal does not show', async () => {
    const cli = await owner();
    const content = 'if so:\n    run\u200b this\u001b[2J';
    await keep(cli.company, { action: 'review', title: 'Safe\u202eevil', content });
    const shown = await review(cli, press('q'));
    assert.ok(shown.includes('Safe\\u{202e}evil'), shown);
    assert.ok(shown.includes('\n    run\\u{200b} this\\u{1b}[2J'), shown);
  });
});

test('cli review lists the queue with --json, and without a terminal says so', async () => {
  const cli = await owner();
  await queue(cli, 'One', 'Two');
  const { items } = await cli.data<{ items: ListedMemory[] }>('review');
  assert.deepEqual(column(items, 'title'), ['Two', 'One']);
  assertRefused(await cli.person.run(['review']), /review needs a terminal: use --json/);
});
