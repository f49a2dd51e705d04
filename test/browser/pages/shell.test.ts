import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { openTestApp } from '../../support/app.ts';
import { givePassword, PASSWORD } from '../../support/invites.ts';
import { buildTestedApp } from '../../support/schema-compilers.ts';
import { addPerson, addTeam } from '../../support/team.ts';
import { prefixProxy } from '../prefix-proxy.ts';
import { openPages, profileOf } from './support.ts';

const service = await openTestApp();
const { base, browser, skip, open, openIn } = await openPages(service);

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 }).waitFor();

const palette = (page: Page) => page.getByRole('combobox', { name: 'Search, or go to a page' });

async function signIn(page: Page, email: string, password = PASSWORD) {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

async function signOut(page: Page) {
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
}

/** All that the document holds. */
const contents = (page: Page) => page.evaluate<string>('document.title + document.documentElement.outerHTML');

describe('the session of the console', { skip }, () => {
  /** Someone with a password, and a profile in which nobody is signed in. */
  async function newcomer() {
    const company = await service.company();
    await givePassword(service, company.ownerId, PASSWORD);
    await company.api.ingestSource({ title: 'The secret of the harbour', text: 'It sleeps.' });
    return { ...company, context: await profileOf(browser, base, null) };
  }

  test('is a cookie that no script reads, and all tabs share it', async () => {
    const { context, ownerEmail } = await newcomer();
    const { page } = await openIn(context, '/sources');
    await signIn(page, ownerEmail, 'a wrong password of it');
    await page.getByText('The email or the password is wrong').waitFor();
    await signIn(page, ownerEmail);
    await heading(page, 'Sources');
    const [cookie] = await context.cookies();
    assert.match(cookie!.name, /^memory-[a-z]{8}$/);
    assert.deepEqual([cookie!.httpOnly, cookie!.sameSite, cookie!.path], [true, 'Strict', '/']);
    assert.equal(await page.evaluate('document.cookie + JSON.stringify({ ...localStorage })'), '{}');
    const other = await openIn(context, '/sources');
    await other.page.getByRole('link', { name: 'The secret of the harbour' }).waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'The secret of the harbour' }).waitFor();
  });

  test('asks for the Company if the email and the password sign in to several', async () => {
    const { context, companyId, ownerId, ownerEmail } = await newcomer();
    const other = await service.company();
    const named = [
      [companyId, 'Herons'],
      [other.companyId, 'Egrets'],
    ] as const;
    for (const [id, name] of named)
      await service.database.query('update identity.company set name = $2 where id = $1', [id, name]);
    await service.database.query('update identity.account set email = $2 where id = $1', [
      other.ownerId,
      ownerEmail,
    ]);
    await givePassword(service, other.ownerId, PASSWORD);
    const { page } = await openIn(context, '/sources');
    const choice = page.getByLabel('Company');
    await signIn(page, ownerEmail, 'a wrong password of it');
    // The service sends no mail.
    await page.getByText('If you forgot it, ask an Owner of your Company for a link').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Forgot your password?' }).count(), 0);
    assert.equal(await choice.count(), 0, 'a wrong password tells of no Company');
    await signIn(page, ownerEmail);
    await page.getByText('You have an account in several Companies. Choose one.').waitFor();
    assert.deepEqual((await choice.locator('option').allTextContents()).sort(), [
      'Choose a Company',
      'Egrets',
      'Herons',
    ]);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Choose a Company.', { exact: true }).waitFor();
    await page.getByLabel('Email').fill(`${ownerEmail}x`);
    assert.equal(await choice.count(), 0, 'the Companies are those of the email');
    await signIn(page, ownerEmail);
    await choice.selectOption('Herons');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('link', { name: 'The secret of the harbour' }).waitFor();
    await page.getByRole('button', { name: /^Account of/ }).click();
    await page.getByText('Herons', { exact: true }).waitFor();
    const [{ user_id } = {}] = await service.database.query<{ user_id: string }>(
      'select user_id from identity.session where user_id = any ($1::uuid[]) order by created_at desc limit 1',
      [[ownerId, other.ownerId]],
    );
    assert.equal(user_id, ownerId);
  });

  test('ends in all tabs, which keep nothing of what they showed', async () => {
    const { context, ownerEmail } = await newcomer();
    const { page } = await openIn(context, '/sources');
    await signIn(page, ownerEmail);
    const other = await openIn(context, '/sources');
    await other.page.getByText('The secret of the harbour').waitFor();
    await signOut(page);
    for (const tab of [page, other.page]) {
      await tab.getByRole('heading', { name: 'Sign in' }).waitFor();
      assert.doesNotMatch(await contents(tab), /harbour|Test Team/);
    }
    assert.deepEqual(await context.cookies(), []);
    await page.goBack();
    assert.doesNotMatch(await contents(page), /harbour|Test Team/);
  });

  test('that cannot be ended is said to go on, and is ended before anything else is shown', async () => {
    const { context, ownerEmail } = await newcomer();
    const { page } = await openIn(context, '/sources');
    await signIn(page, ownerEmail);
    await page.getByText('The secret of the harbour').waitFor();
    await page.route('**/v1/**', (route) => route.abort());
    await signOut(page);
    await page.getByText('your session is not ended yet').waitFor();
    assert.doesNotMatch(await contents(page), /harbour|Test Team/);
    assert.equal((await context.cookies()).length, 1);
    await page.unroute('**/v1/**');
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/v1/')) asked.push(new URL(request.url()).pathname);
    });
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    assert.equal(asked[0], '/v1/auth/logout');
    assert.deepEqual(await context.cookies(), []);
    assert.equal(await page.getByText('not ended yet').count(), 0);
  });

  test('that has ended on the service leads to the form, and back to the page', async () => {
    const { context, ownerEmail, api } = await newcomer();
    const { page } = await openIn(context, '/sources');
    await signIn(page, ownerEmail);
    await page.getByText('The secret of the harbour').waitFor();
    await api.logout({ everywhere: true });
    await page.getByLabel('Title or address').fill('harb');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await signIn(page, ownerEmail);
    await heading(page, 'Sources');
    assert.equal(new URL(page.url()).searchParams.get('q'), 'harb');
  });

  test('that ends while something is typed keeps it for the same person, in a note and in a dialog', async () => {
    const { context, ownerEmail, api, teamId } = await newcomer();
    const { page } = await openIn(context, '/sources?new=1');
    await signIn(page, ownerEmail);
    const text = page.getByLabel('Text, in Markdown');
    await text.fill('A long thought');
    await api.logout({ everywhere: true });
    await page.getByRole('button', { name: 'Save' }).click();
    const again = page.getByRole('dialog', { name: 'Sign in again' });
    await again.waitFor();
    assert.match(await page.title(), /^Sign in/);
    await page.keyboard.press('Escape');
    assert.ok(await again.isVisible());
    await signIn(page, ownerEmail);
    await again.waitFor({ state: 'detached' });
    assert.equal(await text.inputValue(), 'A long thought');
    assert.match(await page.title(), /^New note/);
    await page.getByRole('button', { name: 'Save' }).click();
    await heading(page, 'A long thought');
    assert.equal(await again.count(), 0);

    await page.goto(`${base}/clients?team=${teamId}`);
    await page.getByRole('button', { name: 'New client' }).first().click();
    const name = page.getByRole('dialog', { name: 'New client' }).getByLabel('Name');
    await name.fill('Lighthouse');
    await context.clearCookies();
    await name.press('Enter');
    await again.waitFor();
    await page.keyboard.press('Escape');
    await signIn(page, ownerEmail);
    await again.waitFor({ state: 'detached' });
    assert.equal(await name.inputValue(), 'Lighthouse');
    await name.press('Enter');
    await page.getByRole('row').filter({ hasText: 'Lighthouse' }).waitFor();
  });

  test('that ended is emptied if someone else signs in', async () => {
    const { context, ownerEmail, api } = await newcomer();
    const other = await newcomer();
    const { page } = await openIn(context, '/sources?new=1');
    await signIn(page, ownerEmail);
    await page.getByLabel('Text, in Markdown').fill('A long thought');
    await api.logout({ everywhere: true });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog', { name: 'Sign in again' }).waitFor();
    await signIn(page, other.ownerEmail);
    await page.getByText('There is no such Team').waitFor();
    assert.doesNotMatch(await contents(page), /long thought|harbour/);
  });

  test('that has been left is not shown again by an answer that was on its way', async () => {
    const { context, ownerEmail } = await newcomer();
    const { page } = await openIn(context, '/sources');
    await signIn(page, ownerEmail);
    await page.getByText('The secret of the harbour').waitFor();
    const late = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    await page.route('**/v1/auth/session', async (route) => {
      const response = await route.fetch();
      held.resolve();
      await late.promise;
      await route.fulfill({ response }).catch(() => undefined);
    });
    await page.route('**/v1/auth/logout', async (route) => {
      await setTimeout(1500);
      await route.continue();
    });
    await page.evaluate(`new BroadcastChannel('team-memory:/').postMessage('changed')`);
    await held.promise;
    await signOut(page);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    late.resolve();
    await setTimeout(500);
    assert.doesNotMatch(await contents(page), /harbour|Test Team/);
  });

  test('that cannot be read yet is asked for again', async () => {
    const company = await service.company();
    const context = await profileOf(browser, base, company.token);
    await context.route('**/v1/auth/session', (route) => route.abort());
    const { page } = await openIn(context, '/sources');
    await page.getByText('The page tries again by itself').waitFor();
    await context.unroute('**/v1/auth/session');
    await heading(page, 'Sources');
  });
});

describe('the shell of the console', { skip }, () => {
  test('leads to every page that a person can open, by links and by keys, and no request is refused', async () => {
    const company = await service.company();
    const member = await addPerson(service, company, { teamRole: 'member' });
    for (const [who, hidden] of [
      [company, []],
      [{ ...member, teamId: company.teamId }, ['Review', 'Activity', 'Audit', 'Settings', 'Company']],
    ] as const) {
      const { page, refused } = await open(who, '/');
      const links = page.getByRole('navigation', { name: 'Console' }).getByRole('link');
      await links.first().waitFor();
      const names = (await links.allInnerTexts()).map((name) => name.split('\n')[0]!);
      assert.deepEqual(
        hidden.filter((name) => names.includes(name)),
        [],
      );
      for (const name of names) {
        await links.filter({ hasText: name }).first().click();
        await heading(page, name);
        await page.waitForLoadState('networkidle');
      }
      await page.keyboard.press('g');
      await page.keyboard.press('o');
      await heading(page, 'Sources');
      assert.deepEqual(refused, []);
    }
  });

  test('keeps the Team in the address, and says when there is no such Team or page', async () => {
    const company = await service.company();
    await addTeam(service, company);
    const { page } = await open(company, '/sources');
    await page.getByRole('navigation').getByRole('link', { name: 'Home' }).click();
    assert.equal(new URL(page.url()).searchParams.get('team'), company.teamId);
    await page.getByRole('button', { name: /^Team:/ }).click();
    await page.getByRole('menuitemradio').last().click();
    await page.waitForURL((url) => url.searchParams.get('team') !== company.teamId);
    await page.goto(`${base}/sources?team=01981f6e-5b7a-7c3e-9d42-6f0a1b2c3d4e`);
    await page.getByText('There is no such Team').waitFor();
    await page.goto(`${base}/nowhere?team=${company.teamId}`);
    await heading(page, 'Page not found');
  });

  test('opens the palette by keys, which finds titles without an audit event, pages and Teams', async () => {
    const company = await service.company();
    await company.api.ingestSource({ title: 'Harbour handbook', text: 'The crane is closed.' });
    const { page } = await open(company, '/');
    await heading(page, 'Home');
    const before = (await company.all.listTeamAudit()).length;
    await page.keyboard.press('Control+k');
    await palette(page).fill('harb');
    await page.getByRole('option', { name: /^Harbour handbook/ }).click();
    await heading(page, 'Harbour handbook');
    assert.equal((await company.all.listTeamAudit()).length, before);
    await page.keyboard.press('/');
    await page.keyboard.type('sourc');
    await page.getByRole('option', { name: /^Sources/ }).click();
    await heading(page, 'Sources');
    await page.keyboard.press('/');
    await palette(page).waitFor();
    await page.keyboard.press('Escape');
    await palette(page).waitFor({ state: 'detached' });
  });

  test('says what is wrong with the service, and no longer when it is over', async () => {
    const company = await service.company();
    const { page } = await open(company, '/livez');
    let state = { worker: true, version: '1.0.0', down: false };
    await page.route('**/v1/memory/status', async (route) => {
      if (state.down) return route.abort();
      const answer = await route.fetch();
      const status = (await answer.json()) as { health: object };
      await route.fulfill({ json: { ...status, health: { ...status.health, worker: state.worker } } });
    });
    await page.route('**/v1/health', async (route) => {
      if (state.down) return route.abort();
      const health = (await (await route.fetch()).json()) as object;
      await route.fulfill({ json: { ...health, version: state.version } });
    });
    await page.clock.install();
    const firstHealth = page.waitForResponse('**/v1/health');
    await page.goto(`${base}/?team=${company.teamId}`);
    await heading(page, 'Home');
    const line = (text: string) => page.getByRole('status').filter({ hasText: text });
    assert.equal(await line('worker').count(), 0);
    // The first version that the page reads is its own, so it is read before there is another.
    await page.clock.runFor(6000);
    await (await firstHealth).finished();
    /** Lets time pass until the page has read the state: while an answer is on its way, it sends no other request. */
    const later = async (next: Partial<typeof state>, text: string, isShown = true) => {
      state = { ...state, ...next };
      for (let n = 0; n < 50 && (await line(text).count()) !== Number(isShown); n += 1) {
        await page.clock.runFor(61_000);
        await setTimeout(100);
      }
      await line(text).waitFor({ state: isShown ? 'visible' : 'detached' });
    };
    await later({ worker: false }, 'No worker is running');
    await later({ worker: true, version: '1.0.1' }, 'The service was updated');
    await later({ down: true }, 'cannot be reached');
    await later({ down: false }, 'cannot be reached', false);
  });

  test('says that a page cannot be loaded without the service, and loads it when it is there again', async () => {
    const { page, faults } = await open(await service.company(), '/');
    await heading(page, 'Home');
    await page.context().setOffline(true);
    await page.getByRole('navigation').getByRole('link', { name: 'Activity' }).click();
    await heading(page, 'This page could not be loaded');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('The service cannot be reached. Check your connection.').first().waitFor();
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Try again' }).click();
    await heading(page, 'Activity');
    // React logs why a page was not shown.
    for (const fault of faults.splice(0)) assert.match(fault, /^Unreachable/);
  });

  test('shows a list as it was when the reader comes back: rows, filters, place and what is chosen', async () => {
    const company = await service.company();
    for (let n = 100; n < 260; n += 1)
      await company.api.ingestSource({ title: `Tide ${n}`, chunks: [{ text: `Day ${n}.` }] });
    await company.api.ingestSource({ title: 'Ferry', chunks: [{ text: 'It leaves.' }] });
    const { page } = await open(company, '/sources');
    await page.getByLabel('Title or address').fill('tide');
    await page.waitForURL(/q=tide/);
    const row = (n: number) => page.getByRole('link', { name: `Tide ${n}`, exact: true });
    await page.getByLabel('Choose Tide 258', { exact: true }).click();
    await row(259).hover();
    for (let n = 0; n < 60 && (await row(150).count()) === 0; n += 1) {
      await page.mouse.wheel(0, 1500);
      await page.waitForTimeout(50);
    }
    await row(150).scrollIntoViewIfNeeded();
    const placeOf = async () => Math.round((await row(150).boundingBox())!.y);
    const before = await placeOf();
    await row(150).click();
    await heading(page, 'Tide 150');
    await page.goBack();
    await heading(page, 'Sources');
    await row(150).waitFor();
    assert.ok(Math.abs((await placeOf()) - before) <= 2, `${before}, then ${await placeOf()}`);
    assert.equal(await page.getByLabel('Title or address').inputValue(), 'tide');
    await page.getByText('1 source chosen').waitFor();
  });

  test('keeps the sessions of two services on two ports of one host apart', async (t) => {
    const other = await buildTestedApp(service);
    t.after(() => other.close());
    const address = await other.listen({ host: '127.0.0.1', port: 0 });
    const [here, there] = [await service.company(), await service.company()];
    for (const company of [here, there]) await givePassword(service, company.ownerId, PASSWORD);
    const context = await profileOf(browser, base, null);
    const tabs: Page[] = [];
    for (const [url, company] of [
      [base, here],
      [address, there],
    ] as const) {
      const page = await context.newPage();
      tabs.push(page);
      await page.goto(`${url}/account`);
      await signIn(page, company.ownerEmail);
      await page.getByText(company.ownerEmail).first().waitFor();
    }
    await tabs[0]!.reload();
    await tabs[0]!.getByText(here.ownerEmail).first().waitFor();
    await signOut(tabs[0]!);
    await tabs[0]!.getByRole('heading', { name: 'Sign in' }).waitFor();
    await tabs[1]!.reload();
    await tabs[1]!.getByText(there.ownerEmail).first().waitFor();
  });

  test('works below the prefix of a proxy', async (t) => {
    const company = await service.company();
    const proxy = await prefixProxy(base, '/tools/memory');
    t.after(() => proxy.close());
    const context = await profileOf(browser, proxy.base, null);
    // The cookie is named after the address of the service.
    const [cookie] = await (await profileOf(browser, base, company.token)).cookies();
    await context.addCookies([{ name: cookie!.name, value: company.token, url: proxy.base }]);
    const page = await context.newPage();
    await page.goto(`${proxy.base}/tools/memory/sources?team=${company.teamId}`);
    await heading(page, 'Sources');
    await page.getByRole('navigation').getByRole('link', { name: 'Home' }).click();
    await heading(page, 'Home');
    assert.equal(new URL(page.url()).pathname, `/tools/memory/`);
    await page.reload();
    await heading(page, 'Home');
  });
});
