import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { createLogger } from '../../../../shared/logger.ts';
import { callerOf } from '../../../support/client/client.ts';
import { startOwnWorker } from '../../../support/dashboard.ts';
import { newEmail, PASSWORD } from '../../../support/invites.ts';
import { addMemories } from '../../../support/memories.ts';
import { openOwnTestApp } from '../../../support/own-service.ts';
import { heading, sendForm, storage, title } from '../../../support/pages.ts';
import { makeResetLink } from '../../../support/sign-in.ts';
import { openBrowser } from '../../open-browser.ts';

/** What a member without more rights sees. */
const PAGES_OF_A_MEMBER = [
  'Home',
  'Search',
  'Sources',
  'Memories',
  'Captures',
  'Imports',
  'Files',
  'People',
  'Clients',
  'Tokens',
  'Jobs',
];
// The worker would take the jobs of other tests.
const opened = await openOwnTestApp();
const service = { ...opened, logger: createLogger('silent', 'test') };
const { base, browser, skip } = await openBrowser(service);

describe('the first hour of an Owner', { skip }, () => {
  const ends: (() => unknown)[] = [];
  const faults: string[] = [];
  const refused: string[] = [];
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'first-hour-'));
    await mkdir(join(folder, 'desk'));
    await writeFile(
      join(folder, 'desk', 'visitors.md'),
      '# Visitors\n\nGuests get a yellow lanyard.\n\n# Evening\n\nThe hall closes at six.\n',
    );
    await writeFile(join(folder, 'desk', 'parking.txt'), 'Guests park behind the hall.');
    await writeFile(join(folder, 'desk', 'plan.docx'), 'no document');
    await startOwnWorker({ after: (end) => ends.push(end) }, service);
  });
  after(async () => {
    for (const end of ends.reverse()) await end();
    await rm(folder, { recursive: true });
  });

  /** Keeps what goes wrong on a page. */
  function watched(page: Page): Page {
    page.on('pageerror', ({ message }) => faults.push(message));
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
    page.on('response', (answer) => {
      if (answer.status() >= 400) refused.push(`${answer.status()} ${answer.url()}`);
    });
    return page;
  }
  /** A browser of its own, with a wide screen and a clipboard. */
  async function openBrowser(url: string): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: base });
    const page = watched(await context.newPage());
    await page.goto(url);
    return page;
  }
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const copied = (page: Page) => page.evaluate<string>('navigator.clipboard.readText()');
  const sections = (page: Page) => page.getByRole('navigation', { name: 'Sections' }).getByRole('link');
  const goTo = async (page: Page, name: string) => {
    await sections(page).getByText(name, { exact: true }).click();
    await page.getByRole('heading', { name, level: 1 }).waitFor();
  };
  /** A link that the service has made, at the address of this test. */
  function here(url: string): string {
    const { pathname, hash } = new URL(url);
    return `${base}${pathname}${hash}`;
  }

  test('an Owner sets up a Team, its people, its texts and an agent, and a member sees what is theirs', async () => {
    const company = await service.company();
    const link = await makeResetLink(service, company);
    const first = await openBrowser(here(link.url));
    await sendForm(first, { password: PASSWORD });
    await heading(first, 'Your password is set');

    // A new tab asks who it is.
    const page = watched(await first.context().newPage());
    await first.close();
    await page.goto(base);
    await page.getByLabel('Email').fill(company.ownerEmail);
    await page.getByLabel('Password').fill(PASSWORD);
    await button(page, 'Sign in').click();
    await title(page, '3 to do · Home · Test Team');

    await goTo(page, 'Company');
    await button(page, 'Make a Team').click();
    await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('Front desk');
    await button(page, 'Make the Team').click();
    await button(page, 'Open the Team').click();
    await title(page, 'Home · Front desk');
    const team = new URL(page.url()).searchParams.get('team') ?? '';
    const { tab } = await storage(page);
    const owner = callerOf(service.app, {
      authorization: `Bearer ${tab['session-token']}`,
      'memory-team': team,
    });

    await goTo(page, 'Clients');
    await page.getByLabel('Name', { exact: true }).fill('Acme');
    await button(page, 'Create').click();
    await page.getByText('Acme was created.').waitFor();

    await goTo(page, 'People');
    await button(page, 'Invite someone').click();
    await page.getByLabel('Email', { exact: true }).fill(newEmail());
    await button(page, 'Make the link').click();
    await button(page, 'Copy the line: invite').click();
    await page.getByText('Copied', { exact: true }).waitFor();
    const invite = here(await copied(page));

    const member = await openBrowser(invite);
    await sendForm(member, { name: 'Ann', password: PASSWORD });
    await heading(member, 'You have joined the Team');
    await member.getByRole('link', { name: 'Open the console' }).click();
    await heading(member, 'In a terminal');
    assert.deepEqual(await sections(member).allInnerTexts(), PAGES_OF_A_MEMBER);
    await goTo(member, 'Clients');
    await title(member, 'Clients · Front desk');
    await member.waitForLoadState('networkidle');
    assert.equal(await member.getByText('Acme').count(), 0);

    await goTo(page, 'Imports');
    await page.evaluate("void setInterval(() => dispatchEvent(new Event('online')), 100)");
    await page.getByLabel('Choose a folder').setInputFiles(join(folder, 'desk'));
    await page.getByRole('status').filter({ hasText: '3 files: 2 completed, 1 failed.' }).waitFor();
    const failed = page
      .getByRole('region', { name: 'Added files' })
      .getByRole('listitem')
      .filter({ hasText: 'plan.docx' });
    await failed.getByText('corrupt').waitFor();

    await goTo(page, 'Search');
    await page.getByRole('searchbox', { name: 'Search for' }).fill('yellow lanyard');
    await page.keyboard.press('Enter');
    const hit = page.locator('.hit').filter({ has: page.getByRole('heading', { name: 'visitors.md' }) });
    await hit.locator('mark', { hasText: 'lanyard' }).waitFor();
    await hit.getByRole('link', { name: /^Open \(/ }).click();
    await page.locator('[data-chunk][aria-current]', { hasText: 'yellow lanyard' }).waitFor();
    await title(page, 'visitors.md · Sources · Front desk');
    await page.getByText('The hall closes at six.').waitFor();

    await goTo(page, 'Tokens');
    await button(page, 'Create a token').click();
    await page.getByRole('dialog').getByLabel('Name').fill('Desk agent');
    await button(page, 'Create the token').click();
    const issued = page.getByRole('region', { name: 'Copy the token now' });
    const secret = await issued.locator('code').first().innerText();
    await button(page, 'Copy the line: connect Claude Code').click();
    await issued.getByText('Copied', { exact: true }).waitFor();
    const line = await copied(page);
    assert.ok(line.startsWith('claude mcp add ') && line.includes(`Bearer ${secret}`));
    await button(page, 'I have copied it').click();

    await goTo(page, 'People');
    await page.getByRole('link', { name: 'Access to clients' }).click();
    await page.getByRole('combobox', { name: 'Ann, client Acme' }).selectOption('Read');
    await page.getByText('Ann can read Acme.').waitFor();
    await member.reload();
    await heading(member, 'Acme');

    await addMemories(owner, 'review', [{ title: 'Lanyards', content: 'They are yellow.' }]);
    await goTo(page, 'Review');
    await title(page, '1 to review');
    await heading(page, 'Lanyards');
    await page.keyboard.press('p');
    await page.getByRole('status').filter({ hasText: 'Published Lanyards' }).waitFor();
    await goTo(member, 'Memories');
    await heading(member, 'Lanyards');

    await goTo(page, 'Audit');
    await page.getByRole('row').filter({ hasText: 'memory.publish' }).waitFor();
    await page.getByLabel('Kind').selectOption('team.client_create');
    await page.getByText('1 event', { exact: true }).waitFor();
    assert.deepEqual(await page.locator('tbody th code').allInnerTexts(), ['team.client_create']);

    await button(page, 'Sign out').click();
    await page.getByText('You are signed out.').waitFor();
    assert.equal(await page.getByText('Front desk').count(), 0);
    assert.deepEqual([faults, refused], [[], []]);
  });
});
