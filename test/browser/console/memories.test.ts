import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import { addMemory, decided, listMemories } from '../../support/memories.ts';
import { focused, heading, title } from '../../support/pages.ts';
import { addClient } from '../../support/team.ts';
import { openBrowser } from '../open-browser.ts';
import { answerQuestions, openConsole } from './console-tab.ts';

const service = await openTestApp();
const { base, browser, skip } = await openBrowser(service);

describe('the page of memories', { skip }, () => {
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
  });
});
