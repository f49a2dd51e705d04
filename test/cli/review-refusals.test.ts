import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { columns } from '../support/columns.ts';
import { keep } from '../support/consolidation.ts';
import { type Fate, openPlaces } from './between.ts';
import { NO_TERMINAL, type Person, runAtTerminal } from './cli.ts';
import { type CliOwner, openCli } from './cli-person.ts';
import { editor, keptText } from './consolidation.ts';

const { base, owner } = await openCli();
const between = openPlaces();

/** Presses keys, each when a memory and the keys are shown. */
const press = (...keys: string[]) => keys.map((typed) => ({ question: 's skip  q quit', typed }));

/** A person whose decisions meet these fates, in this order. Later ones pass. */
async function reviewer(...fates: Fate[]): Promise<CliOwner> {
  const left = [...fates];
  const { url } = await between(base, ({ method, path }) =>
    method === 'POST' && path === '/v1/memory/memories' ? (left.shift() ?? 'passes') : 'passes',
  );
  return owner(url);
}

const refusal = (status: number, code: string) => ({ status, body: { code, detail: 'Not like this' } });

/** Puts memories into review, the first one last in the queue. */
async function queue({ company }: CliOwner, ...titles: string[]): Promise<void> {
  for (const title of titles) await keep(company, { action: 'review', title, content: `About ${title}.` });
}

/** The texts of the Team's memories in a state. */
const texts = async ({ company }: CliOwner, state: string) =>
  columns(await company.all.listMemories({ state }), 'title', 'content');

/** An editor that replaces the text. */
const replacing = (person: Person, text: string) => editor(person, `text = ${JSON.stringify(text)};`);

describe('cli review', { skip: NO_TERMINAL }, () => {
  test('makes one decision of a doubled key', async () => {
    const cli = await reviewer();
    await queue(cli, 'Second', 'First');
    const { code, shown } = await runAtTerminal(cli.person, ['review'], press('pp', 'q'));
    assert.equal(code, 0, shown);
    assert.match(shown, /^1 published\.\r$/m);
    assert.deepEqual(await texts(cli, 'review'), [['Second', 'About Second.']]);
  });

  test('discards what is typed while a decision is sent', async () => {
    const next = Promise.withResolvers<string>();
    const { url } = await between(base, async ({ method }): Promise<Fate> => {
      if (method !== 'POST') return 'passes';
      next.resolve('p');
      // The key passes through another program on its way to the terminal.
      await pause(1000);
      return 'passes';
    });
    const cli = await owner(url);
    await queue(cli, 'Second', 'First');
    const [first, second] = press('p', 'q');
    assert.ok(first && second);
    const answers = [{ ...first, next: next.promise }, second];
    const { code, shown } = await runAtTerminal(cli.person, ['review'], answers);
    assert.equal(code, 0, shown);
    assert.match(shown, /^1 published\.\r$/m);
    assert.deepEqual(await texts(cli, 'review'), [['Second', 'About Second.']]);
  });

  test('shows a refusal, keeps the edited text and asks again', async () => {
    const cli = await reviewer(refusal(422, 'secret_detected'), refusal(503, 'unavailable'), 'is lost');
    await queue(cli, 'Draft');
    const env = await replacing(cli.person, 'Final\n\nAnother content.\n');
    const keys = press('e', 'p', 'p', 'p', 'p');
    const { code, shown } = await runAtTerminal(cli.person, ['review'], keys, 0, env);
    assert.equal(code, 0, shown);
    assert.match(shown, /secret_detected: Not like this\r\nYour text is kept: e opens it again\./);
    assert.match(shown, /cannot answer now \(503\)[^]*cannot be reached/);
    assert.match(shown, /^1 published\.\r$/m);
    assert.deepEqual(await texts(cli, 'published'), [['Final', 'Another content.']]);
  });

  test('keeps the edited text in a file when someone else has decided', async () => {
    const cli = await reviewer(refusal(409, 'version_conflict'));
    await queue(cli, 'Draft');
    const env = await replacing(cli.person, 'Final\n\nAnother content.\n');
    const { code, shown } = await runAtTerminal(cli.person, ['review'], press('e', 'p'), 0, env);
    assert.equal(code, 0, shown);
    assert.match(shown, /^0 published, 1 refused\.\r$/m);
    assert.equal(await keptText(shown), 'Final\n\nAnother content.\n');
  });

  test('prints what was decided when Ctrl-C ends it', async () => {
    const cli = await reviewer();
    await queue(cli, 'Second', 'First');
    const { code, shown } = await runAtTerminal(cli.person, ['review'], press('d', '\u0003'));
    assert.equal(code, 130, shown);
    assert.match(shown, /^0 published, 1 discarded\.\r$/m);
  });

  test('goes on when the editor fails', async () => {
    const cli = await reviewer();
    await queue(cli, 'Draft');
    const env = { EDITOR: 'false' };
    const { code, shown } = await runAtTerminal(cli.person, ['review'], press('e', 'p'), 0, env);
    assert.equal(code, 0, shown);
    assert.match(shown, /the editor failed[^]*^1 published\.\r$/m);
  });

  test('shows a text as it is, with characters that a terminal does not show', async () => {
    const cli = await reviewer();
    await keep(cli.company, {
      action: 'review',
      title: 'Safe\u202eevil',
      content: 'if so:\n    run\u200b this\u001b[2J',
    });
    const { shown } = await runAtTerminal(cli.person, ['review'], press('q'));
    assert.ok(shown.includes('Safe\\u{202e}evil'), shown);
    assert.ok(shown.includes('\n    run\\u{200b} this\\u{1b}[2J'), shown);
  });
});
