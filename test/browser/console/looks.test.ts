import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { createAgent } from '../../support/agent-tokens.ts';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import { addCaptures, stageCapture } from '../../support/captures.ts';
import { questionBest } from '../../support/feedback.ts';
import { plantImports } from '../../support/import-records.ts';
import { makeInvitation, makeInvite } from '../../support/invites.ts';
import { addMemories } from '../../support/memories.ts';
import { heading, title } from '../../support/pages.ts';
import { addSource } from '../../support/source-library.ts';
import { addClient, addPerson, addTeam, archiveTeam } from '../../support/team.ts';
import { file } from '../../support/workspace.ts';
import { openBrowser } from '../open-browser.ts';
import { LOOKS, openWithAxe } from './axe.ts';
import { assertLook, assertLooks, assertWeight, isShown, openConsole } from './console-tab.ts';

/** Without a place to break, right-to-left, with markup, and with a mark that reorders what follows. */
const NAMES = ['W'.repeat(300), 'فريق الدعم الفني', '<img src=x onerror=alert(1)>', '\u202Eevil'] as const;
const [LONG, RIGHT_TO_LEFT, MARKUP] = NAMES;

const service = await openTestApp();
const { base, browser, skip } = await openBrowser(service);
const { database } = service;

const rename = (table: 'company' | 'account' | 'team' | 'client', id: string, name: string) =>
  database.query(`update identity.${table} set name = $2 where id = $1`, [id, name]);

/** The name as the title of a record, and wherever else of it a name can be. */
const titled = (name: string) => ({
  title: name,
  tags: [name.slice(0, 50)],
  metadata: { [name.slice(0, 90)]: name },
});

/** A Company with more records than a page of each list shows, and with the names wherever a name can be. */
async function filled() {
  const company = await service.company();
  await rename('company', company.companyId, RIGHT_TO_LEFT);
  await rename('account', company.ownerId, LONG);
  const clientId = await addClient(service, company);
  await addClient(service, company, 'archived');
  const scope = { clientId };
  for (const name of NAMES) {
    await rename('client', await addClient(service, company), name);
    const person = await addPerson(service, company, { teamRole: 'member', companyRole: 'admin' });
    await rename('account', person.userId, name);
    await company.api.createInvite({ email: `${person.userId}@example.com`, role: 'member' });
    await plantImports(service, company, 1, { filename: `${name.slice(0, 290)}.txt` });
    await createAgent(service, person, company, { name });
    const uri = `https://example.com/${name}`;
    await addSource(company, { ...titled(name), text: `An okapi. ${name}`, externalId: name, uri, scope });
  }
  await rename('client', clientId, MARKUP);
  await makeInvite(service, company);
  await makeInvitation(company);
  const titles = Array.from({ length: 50 }, (_, n) => `Record ${n} of the okapi`);
  for (const text of titles) await addSource(company, { title: text, text: `${text}. `.repeat(20) });
  const memories = [...titles, ...NAMES].map((name) => ({ ...titled(name), content: `A unicorn: ${name}` }));
  await addMemories(company, 'review', memories.slice(-NAMES.length));
  for (const from of [0, 27]) await addMemories(company, 'published', memories.slice(from, from + 27));
  await plantImports(service, company, 50);
  for (const name of titles) await createAgent(service, company, company, { name });
  for (let n = 0; n < 50; n += 1) {
    await addTeam(service, company);
    await addClient(service, company);
    await addPerson(service, company, { teamRole: 'member' });
  }
  const paths = [LONG.slice(60), RIGHT_TO_LEFT, MARKUP.replaceAll(/[<>]/g, '&'), ...titles];
  await company.api.pushFiles({ files: paths.map((name) => file(`team/${name}.md`, 'x')) });
  await questionBest(company, 'okapi', { note: MARKUP });
  // Last: making memories claims what is staged.
  await addCaptures(service, company, 50);
  for (const name of NAMES) await stageCapture(company, { sessionId: name, summary: name, scope });
  await rename('team', company.teamId, `${RIGHT_TO_LEFT} ${LONG.slice(0, 200)}`);
  return company;
}

describe('all pages of the console', { skip }, () => {
  let company: SignedIn;
  let paths: string[];

  before(async () => {
    company = await filled();
    const [source] = (await company.api.listSources({ q: LONG.slice(0, 50) })).items;
    const [memory] = (await company.api.listMemories({ state: 'published', limit: 1 })).items;
    const parts = ['teams', 'people', 'invitations', 'grants', 'requests', 'tokens'];
    paths = [
      '/',
      '/jobs',
      '/search?q=okapi&top=50',
      '/sources',
      `/sources/${source?.id}`,
      '/review',
      '/memories',
      `/memories/${memory?.id}`,
      '/captures',
      '/imports',
      '/files',
      `/files?path=${encodeURIComponent(`team/${RIGHT_TO_LEFT}.md`)}`,
      '/people',
      '/people?view=access',
      '/people?view=team',
      '/account',
      '/clients',
      '/clients?state=archived',
      '/tokens',
      '/tokens?part=team',
      '/tokens?part=connect',
      '/audit',
      '/audit?of=company',
      ...parts.map((part) => `/company?part=${part}`),
    ];
  });

  const at = (path: string) => ({
    url: `${base}${path}${path.includes('?') ? '&' : '?'}team=${company.teamId}`,
    token: company.token,
    shown: isShown,
  });

  test('axe finds nothing in any look, nothing extends beyond the screen, and names reorder no other words', async () => {
    for (const path of paths) await assertLooks(browser, at(path), NAMES);
  });

  test('axe finds nothing on the sign-in, where there is no Team, on a form and on a new secret', async () => {
    const button = (page: Page, name: RegExp) => page.getByRole('button', { name }).first();
    for (const [url, token, show] of [
      [base, undefined, (page: Page) => heading(page, 'Sign in')],
      [`${base}/?team=x`, company.token, (page: Page) => page.locator('#no-team').waitFor()],
      [at('/company?part=people').url, company.token, (page: Page) => button(page, /^Change role/).click()],
      [
        at('/tokens').url,
        company.token,
        async (page: Page) => {
          await button(page, /^Rotate/).click();
          await button(page, /^Make a new secret/).click();
          await page.getByRole('region', { name: 'Copy the token now' }).waitFor();
        },
      ],
    ] as const) {
      const page = await openWithAxe(browser, url, token);
      await show(page);
      for (const look of LOOKS) await assertLook(page, look);
    }
  });

  test('a first load is at most 100 kB over the wire and 40 requests', async () => {
    for (const path of paths) await assertWeight(browser, at(path));
  });

  test('in an archived Team no page sends a request that is refused', async () => {
    const { teamId, token } = await service.company();
    await archiveTeam(service, teamId);
    const { page, faults, refused } = await openConsole(browser, base, token);
    for (const path of paths.filter((each) => !/^\/(sources|memories)\/|path=/.test(each))) {
      await page.goto(`${base}${path}${path.includes('?') ? '&' : '?'}team=${teamId}`);
      await isShown(page);
      assert.deepEqual([faults, refused], [[], []], path);
    }
  });

  test('on a narrow screen the navigation is one row, which opens a menu', async () => {
    const { token } = await service.company();
    const page = await openWithAxe(browser, base, token);
    await title(page, 'to do · Home · ');
    const [navigation, menu] = [page.getByRole('navigation'), page.getByRole('button', { name: 'Menu' })];
    assert.deepEqual([await menu.isVisible(), await navigation.getByRole('link').count()], [false, 14]);
    const links = (await navigation.boundingBox())?.height ?? 0;
    await page.setViewportSize({ width: 320, height: 800 });
    assert.equal(await navigation.getByRole('link').count(), 0);
    // As high as the one row of links on a wide screen, or lower.
    assert.ok(((await navigation.boundingBox())?.height ?? Number.POSITIVE_INFINITY) <= links);
    await menu.click();
    assert.equal(await navigation.getByRole('link').count(), 14);
    for (const look of LOOKS) await assertLook(page, look);
  });

  test('the page at / requests nothing after it has loaded', async () => {
    const { token } = await service.company();
    const { page } = await openConsole(browser, base, token);
    await page.clock.install();
    await page.reload();
    await title(page, 'to do · Home · ');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.clock.runFor(180_000);
    assert.deepEqual(asked, []);
  });
});
