import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import { questionBest } from '../../support/feedback.ts';
import { addMemories, addMemory, decided, listMemories } from '../../support/memories.ts';
import { launchBrowser, withoutBrowser } from '../../support/needs/browser.ts';
import { focused, heading, title } from '../../support/pages.ts';
import { addClient, addPerson, archiveTeam } from '../../support/team.ts';
import { answerQuestions, assertLooks, assertWeight, openConsole } from './console-tab.ts';

const HOSTILE = ['W'.repeat(300), 'فريق الدعم الفني', '<img src=x onerror=alert(1)>'] as const;
const service = await openTestApp();

describe('the page of memories', { skip: withoutBrowser }, () => {
  let browser: Browser;
  let base: string;

  before(async () => {
    base = await service.app.listen({ host: '127.0.0.1', port: 0 });
    browser = await launchBrowser();
  });
  after(() => browser?.close());

  const open = (path: string, { token }: { token: string }) => openConsole(browser, `${base}${path}`, token);
  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
  const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
  const says = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text }).waitFor();
  const warns = (page: Page, text: string) => page.getByRole('alert').filter({ hasText: text }).waitFor();
  const titles = (page: Page) => card(page, 'Memories').getByRole('heading').allInnerTexts();
  const total = (page: Page, text: string) => page.getByText(text, { exact: true }).waitFor();
  const stateOf = async (company: SignedIn, id: string) =>
    (await Promise.all(['', '?state=discarded', '?state=archived'].map((q) => listMemories(company, q))))
      .flat()
      .find((memory) => memory.id === id)?.state;
  const buttons = (page: Page) => page.locator('#content').getByRole('button').allInnerTexts();

  test('those with Full access find a memory by state, layer, text and day, and the address has the filters', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    await addMemory(company, 'archived', { title: 'Old rule' });
    await addMemory(company, 'review', { title: 'New rule' });
    await addMemory(company, 'published', { title: 'Rule of a client' }, clientId);
    await addMemory(company, 'published', { title: 'Tram', content: 'It leaves at 08:15.' });
    const { page, faults, refused } = await open('/memories', company);
    await total(page, '3 memories');
    assert.deepEqual(await titles(page), ['Tram', 'Rule of a client', 'New rule']);
    await page.getByLabel('State').selectOption('Archived');
    await press(page, 'Show');
    await total(page, '1 memory');
    assert.deepEqual(await titles(page), ['Old rule']);
    await title(page, 'Archived · Memories · Test Team');
    assert.equal(new URL(page.url()).searchParams.get('state'), 'archived');
    await page.goBack();
    await total(page, '3 memories');
    assert.equal(await page.getByLabel('State').inputValue(), '');
    await page.getByLabel('Title or text contains').fill('08:15');
    await page.getByLabel('Title or text contains').press('Enter');
    await total(page, '1 memory');
    assert.deepEqual(await titles(page), ['Tram']);
    await page.getByRole('link', { name: 'Show all' }).click();
    await total(page, '3 memories');
    assert.equal(await page.getByLabel('Title or text contains').inputValue(), '');
    await page.getByLabel('Layer').selectOption(clientId);
    await press(page, 'Show');
    await total(page, '1 memory');
    assert.deepEqual(await titles(page), ['Rule of a client']);
    await page.reload();
    await total(page, '1 memory');
    assert.equal(await page.getByLabel('Layer').inputValue(), clientId);
    await page.getByLabel('Layer').selectOption('');
    await page.getByLabel('Created until').fill('2001-01-01');
    await press(page, 'Show');
    await page.getByText('No memory matches these filters.').waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'Rule of a client' }).click();
    await heading(page, 'Rule of a client');
    assert.deepEqual([faults, refused], [[], []]);
    await page.context().close();
  });

  test('a memory is edited, an earlier version is restored, and it is archived and published again', async () => {
    const company = await service.company();
    const memory = await addMemory(company, 'published', {
      title: 'Gateway',
      content: 'It is vpn2 now.',
    });
    const { page, faults, refused } = await open(`/memories/${memory.id}`, company);
    await title(page, 'Gateway · Memories · Test Team');
    await press(page, 'Edit');
    assert.equal(await focused(page), 'edit-content');
    await page.getByLabel('Text').fill('It is vpn3 now.');
    const asked = answerQuestions(page, 'stay');
    await press(page, 'Menu');
    await page.getByRole('link', { name: 'Sources', exact: true }).click();
    assert.deepEqual(asked, ['What you have changed is not saved. Leave all the same?']);
    assert.equal(await page.getByLabel('Text').inputValue(), 'It is vpn3 now.');
    await page.getByLabel('Title').fill(' ');
    await press(page, 'Save');
    await warns(page, 'Enter a title.');
    assert.equal(await focused(page), 'edit-title');
    await page.getByLabel('Title').fill('VPN gateway');
    await page.getByLabel('Tags').fill('network');
    await page.getByLabel('Tags').press('Enter');
    await page.getByLabel('Tags').fill('VPN, internal');
    await press(page, 'Save');
    await says(page, 'Saved. Searches find the new text.');
    assert.equal(await focused(page), 'memory-heading');
    await heading(page, 'Version 2');
    const versions = card(page, 'Versions');
    assert.deepEqual(await versions.locator('del').allTextContents(), ['deleted: Gateway', 'deleted: vpn2']);
    assert.deepEqual(await versions.locator('ins').allTextContents(), [
      'inserted: VPN gateway',
      'inserted: vpn3',
    ]);
    assert.deepEqual(await page.locator('.memory-tags .tag').allInnerTexts(), ['network', 'vpn, internal']);
    await press(page, 'Edit');
    await press(page, 'Remove the tag network');
    await press(page, 'Save');
    await page.locator('.memory-tags .tag').getByText('network').waitFor({ state: 'detached' });
    assert.deepEqual(await page.locator('.memory-tags .tag').allInnerTexts(), ['vpn, internal']);
    await press(page, 'Restore version 1');
    await says(page, 'Version 1 is published again.');
    await heading(page, 'Gateway');
    await page.getByText('3 versions', { exact: true }).waitFor();
    await press(page, 'Archive');
    await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click();
    await says(page, 'Archived.');
    assert.equal(await focused(page), 'memory-heading');
    assert.equal(await stateOf(company, memory.id), 'archived');
    await press(page, 'Restore version 2');
    await says(page, 'Version 2 is published again.');
    await heading(page, 'VPN gateway');
    assert.equal(await stateOf(company, memory.id), 'published');
    await card(page, 'What happened').getByText('Archived').waitFor();
    assert.deepEqual([faults, refused], [[], []]);
    await page.context().close();
  });

  test('nothing is said of people until their names are there', async () => {
    const company = await service.company();
    const ann = await addPerson(service, company, { teamRole: 'admin' });
    const memory = await addMemory(company, 'published', { title: 'Gateway' });
    const names = Promise.withResolvers<void>();
    const { page } = await openConsole(browser, base, ann.token);
    await page.route('**/v1/team/members*', async (route) => {
      await names.promise;
      await route.continue();
    });
    await page.goto(`${base}/memories/${memory.id}`);
    await heading(page, 'Gateway');
    await page.getByText('Version 1').first().waitFor();
    const unknown = page.getByText('Someone who is not in this Team');
    assert.equal(await unknown.count(), 0);
    names.resolve();
    await page.getByText('Owner', { exact: true }).first().waitFor();
    assert.equal(await unknown.count(), 0);
    await page.context().close();
  });

  test('it gets an expiry, moves to a client, goes back into review, and is deleted for good', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const memory = await addMemory(company, 'published', { title: 'Gateway' });
    const { page, faults, refused } = await open(`/memories/${memory.id}`, company);
    await press(page, 'Set expiry');
    await page.getByLabel('Expires (your time)').fill('2001-01-01T00:00');
    await press(page, 'Save');
    await warns(page, 'Choose a time that is not in the past.');
    await press(page, 'In 90 days');
    await press(page, 'Save');
    await says(page, 'The expiry is set.');
    const read = async () => (await listMemories(company))[0];
    const days = (Date.parse((await read())?.expiresAt ?? '') - Date.now()) / 86_400_000;
    assert.ok(days > 88 && days < 91, String(days));
    await press(page, 'Set expiry');
    await press(page, 'Never');
    await press(page, 'Save');
    await says(page, 'It never expires now.');
    assert.equal((await read())?.expiresAt, null);
    await press(page, 'Move');
    await press(page, 'Cancel');
    assert.equal(await focused(page), 'Move');
    await press(page, 'Move');
    await page.getByLabel('Move to').selectOption(clientId);
    await page.getByRole('dialog').getByRole('button', { name: 'Move' }).click();
    await says(page, 'It is moved.');
    await card(page, 'Details').getByText('Client A client').waitFor();
    assert.equal((await read())?.clientId, clientId);
    await press(page, 'Put back into review');
    await page.getByRole('dialog').getByRole('button', { name: 'Put back into review' }).click();
    await says(page, 'Back in review.');
    await page.getByRole('link', { name: 'Review it' }).waitFor();
    await decided(company, { action: 'discard', memoryId: memory.id });
    await page.reload();
    await press(page, 'Put back into review');
    await says(page, 'Back in review.');
    assert.equal(await stateOf(company, memory.id), 'review');
    await press(page, 'Delete for good');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete for good' }).click();
    await says(page, 'The memory is deleted for good.');
    assert.equal(await focused(page), 'Deleted');
    assert.equal(await stateOf(company, memory.id), undefined);
    assert.deepEqual([faults, refused], [[], []]);
    await page.reload();
    await says(page, 'There is no such memory, or you do not have access to it.');
    await title(page, 'No such memory · Memories · Test Team');
    await page.getByRole('link', { name: 'Show all memories' }).click();
    await heading(page, 'No memories yet');
    assert.deepEqual([faults, refused.length], [[], 1]);
    await page.context().close();
  });

  test('a change of someone else is never overwritten unseen, and what is typed stays', async () => {
    const company = await service.company();
    const { id } = await addMemory(company, 'published', { title: 'Gateway', content: 'One.' });
    const { page, faults } = await open(`/memories/${id}`, company);
    await press(page, 'Edit');
    await page.getByLabel('Text').fill('Mine.');
    await decided(company, { action: 'update', memoryId: id, title: 'Theirs', content: 'Two.' });
    await press(page, 'Save');
    await warns(page, 'Someone else changed this memory in the meantime');
    await page.getByText('The memory as it is now: Theirs').waitFor();
    assert.equal(await page.getByLabel('Text').inputValue(), 'Mine.');
    await press(page, 'Save');
    await says(page, 'Saved.');
    await heading(page, 'Theirs');
    const [now] = await listMemories(company);
    assert.deepEqual([now?.title, now?.content], ['Theirs', 'Mine.']);
    await decided(company, { action: 'update', memoryId: id, content: 'Three.' });
    await press(page, 'Restore version 1');
    await warns(page, 'Someone else changed this memory in the meantime');
    await page.getByText('Three.').first().waitFor();
    assert.equal((await listMemories(company))[0]?.content, 'Three.');
    await press(page, 'Archive');
    await decided(company, { action: 'unpublish', memoryId: id });
    await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click();
    await warns(page, 'Someone else changed this memory in the meantime');
    assert.equal(await stateOf(company, id), 'review');
    assert.deepEqual(faults, []);
    await page.context().close();
  });

  test('everyone who reads it can say that it is outdated, and a reviewer keeps it', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    // No search finds a title without a word.
    const { id } = await addMemory(
      company,
      'published',
      { title: '???', content: 'The tram leaves.' },
      clientId,
    );
    const reader = await addPerson(service, company, { companyRole: 'admin', companyGrant: 'read' });
    const { page, faults, refused } = await open(`/memories/${id}`, reader);
    await press(page, 'Send');
    await warns(page, 'Choose one of the three.');
    await page.getByLabel('Outdated').check();
    await page.getByLabel('Note for the reviewers').fill('At 08:45.');
    await press(page, 'Send');
    await says(page, 'Thank you. The reviewers see it.');
    assert.equal(await page.getByLabel('Note for the reviewers').inputValue(), '');
    assert.deepEqual([faults, refused], [[], []]);
    await page.context().close();
    const { page: ofOwner } = await open('/memories', company);
    await ofOwner.getByText('1 open verdict').waitFor();
    await ofOwner.getByRole('link', { name: '???' }).click();
    await card(ofOwner, 'Feedback to decide on').getByText('At 08:45.').waitFor();
    await press(ofOwner, 'Keep it as it is');
    await says(ofOwner, 'Kept as it is.');
    await card(ofOwner, 'Feedback to decide on').waitFor({ state: 'detached' });
    assert.deepEqual(await listMemories(company, '?state=review'), []);
    await ofOwner.context().close();
  });

  test('it shows the captures that it was made of, and leads to what it replaced', async () => {
    const company = await service.company();
    const [older, newer] = [
      await addMemory(company, 'published', { title: 'Older' }),
      await addMemory(company, 'review', { title: 'Newer' }),
    ];
    await decided(company, { action: 'publish', memoryId: newer.id, supersedes: older.id });
    const { page, faults, refused } = await open(`/memories/${newer.id}`, company);
    await page.getByText('Made of 1 capture').click();
    await page.getByText('What was done in it.').waitFor();
    await page.getByRole('link', { name: 'an earlier memory' }).click();
    await heading(page, 'Older');
    await page.getByRole('link', { name: 'A newer memory' }).click();
    await heading(page, 'Newer');
    assert.deepEqual([faults, refused], [[], []]);
    await page.context().close();
  });

  test('nobody is shown what they cannot do, and no request is refused', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const [shown] = await addMemories(company, 'published', [{ title: 'Gateway' }]);
    await addMemory(company, 'review', { title: 'Waiting' });
    await addMemory(company, 'published', { title: 'Of a client' }, clientId);
    await questionBest(company, 'gateway');
    const all = ['Edit', 'Set expiry', 'Move', 'Put back into review', 'Archive', 'Delete for good'];
    const people = [
      {
        who: await addPerson(service, company, { teamRole: 'admin' }),
        listed: ['Of a client', 'Waiting', 'Gateway'],
        can: [...all, 'Keep it as it is', 'Send'],
      },
      {
        who: await addPerson(service, company, { companyRole: 'admin', companyGrant: 'read' }),
        listed: ['Of a client', 'Gateway'],
        can: ['Send'],
      },
      { who: await addPerson(service, company, { teamRole: 'member' }), listed: ['Gateway'], can: ['Send'] },
    ];
    for (const { who, listed, can } of people) {
      const { page, faults, refused } = await open('/memories', who);
      await total(page, `${listed.length} ${listed.length === 1 ? 'memory' : 'memories'}`);
      assert.deepEqual(await titles(page), listed);
      await page.getByRole('link', { name: 'Gateway' }).click();
      await page.getByText('1 version', { exact: true }).waitFor();
      if (can.length > 1) await card(page, 'Feedback to decide on').waitFor();
      assert.deepEqual(await buttons(page), can);
      await page.waitForLoadState('networkidle');
      assert.deepEqual([faults, refused], [[], []]);
      await page.context().close();
    }
    await archiveTeam(service, company.teamId);
    for (const { token } of [company, people[2]!.who]) {
      const { page, faults, refused } = await open(`/memories/${shown?.id}`, { token });
      await page.getByText('1 version', { exact: true }).waitFor();
      assert.deepEqual(await buttons(page), []);
      assert.deepEqual([faults, refused], [[], []]);
      await page.context().close();
    }
  });

  test('an empty list says what makes the first memory, and whom to ask', async () => {
    const company = await service.company();
    const member = await addPerson(service, company, { teamRole: 'member' });
    const reader = await addPerson(service, company, { companyRole: 'admin', companyGrant: 'read' });
    for (const [who, way] of [
      [company, 'Make an agent token'],
      [member, 'Make an agent token'],
      [reader, 'Ask an Owner or Admin of the Team'],
    ] as const) {
      const { page, refused } = await open('/memories', who);
      await heading(page, 'No memories yet');
      await page.getByText(way).waitFor();
      assert.deepEqual(refused, []);
      await page.context().close();
    }
  });

  test('the list and a memory look right for everyone, whatever their names are, and weigh little', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    await service.database.query('update identity.client set name = $2 where id = $1', [
      clientId,
      HOSTILE[1],
    ]);
    const items = Array.from({ length: 50 }, (_, n) => ({
      title: `Memory ${n}`,
      content: `The fact number ${n}. `.repeat(20),
    }));
    for (const some of [items.slice(0, 25), items.slice(25)]) await addMemories(company, 'published', some);
    const [hostile] = await addMemories(
      company,
      'published',
      HOSTILE.map((name) => ({
        title: name,
        content: `${name} ${name}`,
        tags: [name.slice(0, 50)],
        metadata: { [name.slice(0, 90)]: name },
      })),
      clientId,
    );
    assert.ok(hostile);
    await decided(company, {
      action: 'update',
      memoryId: hostile.id,
      title: HOSTILE[1],
      content: `unicorn ${HOSTILE[2]}`,
    });
    await questionBest(company, 'unicorn', { note: HOSTILE[0] }, { clientId });
    const list = {
      url: `${base}/memories?team=${company.teamId}`,
      token: company.token,
      shown: (page: Page) => total(page, '50 memories, and more'),
    };
    const record = {
      url: `${base}/memories/${hostile.id}?team=${company.teamId}`,
      token: company.token,
      shown: async (page: Page) => {
        await page.getByText('2 versions', { exact: true }).waitFor();
        await card(page, 'What happened').getByText('Changed').waitFor();
        await card(page, 'Feedback to decide on').waitFor();
      },
    };
    for (const page of [list, record]) {
      await assertLooks(browser, page, HOSTILE);
      await assertWeight(browser, page);
    }
    const { page } = await open(`/memories/${hostile.id}`, company);
    for (const name of ['Set expiry', 'Move', 'Archive', 'Delete for good', 'Edit']) {
      await press(page, name);
      assert.ok(await page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth'), name);
      if (name !== 'Edit') await press(page, 'Cancel');
    }
    await page.context().close();
  });
});
