import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { createLogger } from '../../../shared/logger.ts';
import { openTestApp } from '../../support/app.ts';
import { FAULT } from '../../support/import-records.ts';
import { newEmail, PASSWORD } from '../../support/invites.ts';
import { addMemories } from '../../support/memories.ts';
import { imported } from '../../support/originals.ts';
import { failRun, importFiles } from '../../support/own-worker.ts';
import { writePdf } from '../../support/pdf-writer.ts';
import { makeResetLink } from '../../support/sign-in.ts';
import { openPages, profileOf } from './support.ts';

/*
 * What people do most, with the mouse and with the keyboard alone. What is pressed is counted, and what is typed is not.
 */

const service = { ...(await openTestApp()), logger: createLogger('silent', 'test') };
const { base, browser, open, openIn, skip } = await openPages(service);

/** The mouse, or the keyboard. */
interface Hand {
  name: string;
  /** Presses a button, a link or a box. */
  press(page: Page, what: Locator): Promise<void>;
  /** Chooses one of the values that stand side by side. */
  choose(page: Page, group: string, value: string): Promise<void>;
  /** Types into a field. */
  type(page: Page, field: Locator, text: string): Promise<void>;
  /** Chooses twenty sources of a list, from the first to the last of these. */
  chooseTwenty(page: Page, first: Locator, last: Locator): Promise<void>;
}

/** How many elements one Tab after the other may pass before the page counts as out of reach. */
const MOST_TABS = 120;

const radios = (page: Page, group: string) => page.getByRole('radiogroup', { name: group, exact: true });
const hasFocus = async (page: Page, what: Locator) =>
  (await what.and(page.locator(':focus-within')).count()) > 0;

/** Moves the focus to an element, by Tab alone. */
async function tabTo(page: Page, what: Locator): Promise<void> {
  await what.waitFor();
  for (let n = 0; !(await hasFocus(page, what)); n += 1) {
    assert.ok(n < MOST_TABS, `Tab does not reach ${what.toString()}`);
    await page.keyboard.press('Tab');
  }
}

const MOUSE: Hand = {
  name: 'the mouse',
  press: (_, what) => what.click(),
  choose: (page, group, value) => radios(page, group).getByText(value, { exact: true }).click(),
  type: (_, field, text) => field.fill(text),
  async chooseTwenty(_, first, last) {
    await first.click();
    await last.click({ modifiers: ['Shift'] });
  },
};

const KEYBOARD: Hand = {
  name: 'the keyboard alone',
  async press(page, what) {
    await tabTo(page, what);
    await page.keyboard.press('Enter');
  },
  async choose(page, group, value) {
    await tabTo(page, radios(page, group));
    const wanted = radios(page, group).getByRole('radio', { name: value, exact: true });
    for (let n = 0; n < 5 && !(await wanted.isChecked()); n += 1) await page.keyboard.press('ArrowRight');
    assert.ok(await wanted.isChecked());
  },
  async type(page, field, text) {
    await tabTo(page, field);
    await page.keyboard.insertText(text);
  },
  async chooseTwenty(page, first, last) {
    await tabTo(page, first);
    await page.keyboard.press('Space');
    await tabTo(page, last);
    await page.keyboard.press('Shift+Space');
  },
};

/** Counts what a hand presses. */
function counted(hand: Hand) {
  let presses = 0;
  const counting = {
    ...hand,
    press(page: Page, what: Locator) {
      presses += 1;
      return hand.press(page, what);
    },
    choose(page: Page, group: string, value: string) {
      presses += 1;
      return hand.choose(page, group, value);
    },
    chooseTwenty(page: Page, first: Locator, last: Locator) {
      presses += 2;
      return hand.chooseTwenty(page, first, last);
    },
  };
  return { hand: counting, presses: () => presses };
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 }).waitFor();
const said = (page: Page, text: string) => page.getByText(text).first().waitFor();

/** A task, the presses that it takes, and how it is done from the page where it begins. */
const TASKS: readonly (readonly [task: string, presses: number, run: (hand: Hand) => Promise<void>])[] = [
  [
    'a link to set a password leads into the console',
    1,
    async (hand) => {
      const { token } = await makeResetLink(service, await service.company());
      const { page } = await openIn(await profileOf(browser, base, null), `/reset#token=${token}`);
      await hand.type(page, page.getByLabel('New password', { exact: true }), PASSWORD);
      await hand.press(page, button(page, 'Set the password'));
      await heading(page, 'Home');
    },
  ],
  [
    'a Team is made and entered',
    2,
    async (hand) => {
      const { page } = await open(await service.company(), '/company');
      await hand.press(page, button(page, 'New Team'));
      await hand.type(page, page.getByLabel('Name'), 'Support');
      await hand.press(page, page.getByRole('dialog').getByRole('button', { name: /^(Make|Create)/ }));
      await heading(page, 'Home');
      await button(page, 'Team: Support').waitFor();
    },
  ],
  [
    'a person gets access to two clients',
    4,
    async (hand) => {
      const company = await service.company();
      for (const name of ['Acme', 'Globex']) await company.api.createClient({ name });
      const { page } = await open(company, '/people');
      await hand.press(page, button(page, 'Invite people'));
      await hand.type(page, page.getByLabel('Email addresses'), newEmail());
      await hand.choose(page, 'Acme', 'Read');
      await hand.choose(page, 'Globex', 'Write');
      await hand.press(page, button(page, 'Make the link'));
      await said(page, '/join#token=');
      assert.equal((await company.all.listInvites()).length, 1);
    },
  ],
  [
    'ten people are invited',
    3,
    async (hand) => {
      const company = await service.company();
      const { page } = await open(company, '/people');
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await hand.press(page, button(page, 'Invite people'));
      const emails = Array.from({ length: 10 }, newEmail);
      await hand.type(page, page.getByLabel('Email addresses'), emails.join(', '));
      await hand.press(page, button(page, 'Make 10 links'));
      await hand.press(page, button(page, 'Copy all'));
      await button(page, 'Copied').waitFor();
      assert.equal((await company.all.listInvites()).length, 10);
    },
  ],
  [
    'thirty files are imported',
    1,
    async (hand) => {
      const company = await service.company();
      const { page } = await open(company, '/imports');
      const chosen = page.waitForEvent('filechooser');
      await hand.press(page, button(page, 'Choose files').first());
      const files = Array.from({ length: 30 }, (_, n) => ({
        name: `${n}.txt`,
        mimeType: 'text/plain',
        buffer: Buffer.from(`The tide of day ${n}.`),
      }));
      await (await chosen).setFiles(files);
      await page.getByRole('region', { name: 'Progress' }).getByText('30').first().waitFor();
      await page.getByRole('row').filter({ hasText: 'Waiting' }).nth(5).waitFor();
    },
  ],
  [
    'something is searched from any page',
    0,
    async () => {
      const company = await service.company();
      await company.api.ingestSource({ title: 'Harbour handbook', text: 'The crane is closed in May.' });
      const { page } = await open(company, '/tokens');
      await heading(page, 'Tokens');
      await page.keyboard.press('/');
      await page.keyboard.type('crane');
      await page.keyboard.press('Enter');
      await page.getByRole('main').getByText('is closed in May').first().waitFor();
    },
  ],
  [
    'the cited page of a PDF is opened',
    1,
    async (hand) => {
      const company = await service.company();
      const line = (bytes: string) => ({ x: 60, y: 700, size: 14, bytes });
      const pages = [[line('The crane lifts the mast.')], [line('The walrus sleeps at the pier.')]];
      const file = { filename: 'Plan.pdf', mediaType: 'application/pdf', content: writePdf({ pages }) };
      await imported(service, company, file);
      const { page } = await open(company, '/search?q=walrus');
      await hand.press(page, page.getByRole('link', { name: 'Open', exact: true }));
      await said(page, 'Page 2 of 2');
    },
  ],
  [
    'twenty sources are tagged',
    3,
    async (hand) => {
      const company = await service.company();
      for (let n = 10; n < 32; n += 1)
        await company.api.ingestSource({ title: `Tram ${n}`, text: `Line ${n}.` });
      const { page } = await open(company, '/sources');
      await hand.chooseTwenty(page, page.getByLabel('Choose Tram 31'), page.getByLabel('Choose Tram 12'));
      await hand.press(page, button(page, 'Tag'));
      await page.keyboard.type('travel');
      await page.keyboard.press('Enter');
      await said(page, '20 sources tagged “travel”.');
    },
  ],
  [
    'five near-equal items are decided',
    1,
    async (hand) => {
      const company = await service.company();
      const content =
        'The mail server listens on port 587 and accepts only TLS connections from the office network.';
      const items = Array.from({ length: 5 }, (_, n) => ({ title: `Mail ${n}`, content }));
      await addMemories(company, 'review', items);
      const { page } = await open(company, '/review');
      await said(page, '4 other items say nearly the same');
      await hand.press(
        page,
        page
          .getByRole('main')
          .getByRole('button', { name: /^Publish/ })
          .first(),
      );
      await said(page, '4 others discarded');
    },
  ],
  [
    'a token is put into an agent',
    4,
    async (hand) => {
      const { page } = await open(await service.company(), '/tokens');
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await hand.press(page, button(page, 'New token').first());
      await hand.type(page, page.getByLabel('Name'), 'Laptop');
      await hand.press(page, button(page, 'Create the token'));
      await hand.press(page, button(page, 'Copy: connect Claude Code'));
      assert.match(await page.evaluate<string>('navigator.clipboard.readText()'), /Bearer \w+/);
      await hand.press(page, button(page, 'Done'));
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    },
  ],
  [
    'all imports that failed are read again',
    1,
    async (hand) => {
      const company = await service.company();
      const files = ['a.txt', 'b.txt'].map((filename) => ({ filename, text: '' }));
      for (const { id } of await importFiles(company, files)) await failRun(service, company, id, FAULT);
      const { page } = await open(company, '/imports');
      await hand.press(page, button(page, 'Retry all'));
      await said(page, '2 files read again.');
    },
  ],
];

for (const hand of [MOUSE, KEYBOARD])
  describe(`with ${hand.name}`, { skip }, () => {
    for (const [task, most, run] of TASKS)
      it(`${task}: ${most} pressed`, async () => {
        const counting = counted(hand);
        await run(counting.hand);
        assert.equal(counting.presses(), most);
      });
  });
