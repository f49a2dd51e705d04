import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp } from '../../support/app.ts';
import { addMemory, decided } from '../../support/memories.ts';
import { heading, title } from '../../support/pages.ts';
import { addClient } from '../../support/team.ts';
import { alarmed, answerQuestions, confirm, follow, press, said, serveConsole } from './console-tab.ts';

const service = await openTestApp();
const { open, skip } = await serveConsole(service);

describe('the page of memories', { skip }, () => {
  test('those with Full access find a memory by state, layer and text, and the address has the filters', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    await addMemory(company, 'archived', { title: 'Old rule' });
    await addMemory(company, 'published', { title: 'Rule of a client' }, clientId);
    await addMemory(company, 'published', { title: 'Tram', content: 'It leaves at 08:15.' });
    const { page, refused } = await open(company, '/memories');
    const shows = async (...titles: string[]) => {
      await page
        .getByText(titles.length === 1 ? '1 memory' : `${titles.length} memories`, { exact: true })
        .waitFor();
      const list = page.getByRole('region', { name: 'Memories', exact: true });
      assert.deepEqual(await list.getByRole('heading').allInnerTexts(), titles);
    };
    await shows('Tram', 'Rule of a client');
    await page.getByLabel('State').selectOption('Archived');
    await press(page, 'Show');
    await shows('Old rule');
    await title(page, 'Archived · Memories · Test Team');
    await page.goBack();
    await shows('Tram', 'Rule of a client');
    await page.getByLabel('Title or text contains').fill('08:15');
    await page.keyboard.press('Enter');
    await shows('Tram');
    await follow(page, 'Show all');
    await shows('Tram', 'Rule of a client');
    await page.getByLabel('Layer').selectOption(clientId);
    await press(page, 'Show');
    await shows('Rule of a client');
    await page.reload();
    await shows('Rule of a client');
    await follow(page, 'Rule of a client');
    await title(page, 'Rule of a client · Memories');
    assert.deepEqual(refused, []);
  });

  test('a memory is edited, an earlier version is restored, and it is archived', async () => {
    const company = await service.company();
    const { id } = await addMemory(company, 'published', { title: 'Gateway', content: 'It is vpn2 now.' });
    const { page, refused } = await open(company, `/memories/${id}`);
    await press(page, 'Edit');
    await page.getByLabel('Text').fill('It is vpn3 now.');
    const asked = answerQuestions(page, 'stay');
    await press(page, 'Menu');
    await follow(page, 'Sources');
    assert.deepEqual(asked, ['What you have changed is not saved. Leave all the same?']);
    assert.equal(await page.getByLabel('Text').inputValue(), 'It is vpn3 now.');
    await page.getByLabel('Tags').fill('VPN, internal');
    await press(page, 'Save');
    await said(page, 'Saved. Searches find the new text.');
    await heading(page, 'Version 2');
    const versions = page.getByRole('region', { name: 'Versions', exact: true });
    assert.deepEqual(await versions.locator('del, ins').allTextContents(), [
      'deleted: vpn2',
      'inserted: vpn3',
    ]);
    assert.deepEqual(await page.locator('.memory-tags .tag').allInnerTexts(), ['vpn, internal']);
    await press(page, 'Restore version 1');
    await said(page, 'Version 1 is published again.');
    const { content } = await company.api.getMemory(id);
    assert.equal(content, 'It is vpn2 now.');
    await press(page, 'Archive');
    await confirm(page, 'Archive');
    await said(page, 'Archived.');
    assert.equal((await company.api.getMemory(id)).state, 'archived');
    assert.deepEqual(refused, []);
  });

  test('it gets an expiry, moves to a client, goes back into review, and is deleted for good', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const { id } = await addMemory(company, 'published', { title: 'Gateway' });
    const { page, refused } = await open(company, `/memories/${id}`);
    const read = () => company.api.getMemory(id);
    await press(page, 'Set expiry');
    await press(page, 'In 90 days');
    await press(page, 'Save');
    await said(page, 'The expiry is set.');
    const days = (Date.parse((await read()).expiresAt ?? '') - Date.now()) / 86_400_000;
    assert.ok(days > 88 && days < 91, String(days));
    await press(page, 'Move');
    await page.getByLabel('Move to').selectOption(clientId);
    await confirm(page, 'Move');
    await said(page, 'It is moved.');
    assert.equal((await read()).clientId, clientId);
    await press(page, 'Put back into review');
    await confirm(page, 'Put back into review');
    await said(page, 'Back in review.');
    assert.equal((await read()).state, 'review');
    await press(page, 'Delete for good');
    await confirm(page, 'Delete for good');
    await said(page, 'The memory is deleted for good.');
    assert.deepEqual([(await company.ask.getMemory(id)).statusCode, refused], [404, []]);
    await page.reload();
    await said(page, 'There is no such memory, or you do not have access to it.');
  });

  test('a change of someone else is never overwritten unseen, and what is typed stays', async () => {
    const company = await service.company();
    const { id } = await addMemory(company, 'published', { title: 'Gateway', content: 'One.' });
    const { page } = await open(company, `/memories/${id}`);
    const read = () => company.api.getMemory(id);
    const warned = () => alarmed(page, 'Someone else changed this memory in the meantime');
    await press(page, 'Edit');
    await page.getByLabel('Text').fill('Mine.');
    await decided(company, { action: 'update', memoryId: id, title: 'Theirs', content: 'Two.' });
    await press(page, 'Save');
    await warned();
    await page.getByText('The memory as it is now: Theirs').waitFor();
    assert.equal((await read()).content, 'Two.');
    assert.equal(await page.getByLabel('Text').inputValue(), 'Mine.');
    await press(page, 'Save');
    await said(page, 'Saved.');
    assert.deepEqual([(await read()).title, (await read()).content], ['Theirs', 'Mine.']);
    await decided(company, { action: 'update', memoryId: id, content: 'Three.' });
    await press(page, 'Restore version 1');
    await warned();
    assert.equal((await read()).content, 'Three.');
    await press(page, 'Archive');
    await decided(company, { action: 'unpublish', memoryId: id });
    await confirm(page, 'Archive');
    await warned();
    assert.equal((await read()).state, 'review');
  });
});
