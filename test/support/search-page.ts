import type { Locator, Page } from 'playwright-core';
import type { SignedIn, TestApp } from './app.ts';
import { type Body } from './client/client.ts';
import { addClient, type Caller } from './team.ts';

/** Stores a text that is new, and returns its source. */
export async function storeText(caller: Caller, body: Body<'ingestSource'>): Promise<{ id: string }> {
  return (await caller.api.ingestSource(body)).source;
}

/** A Company whose Team has a handbook of six passages in its layer, and a text of a client. */
export async function companyToSearch(
  service: TestApp,
): Promise<SignedIn & { client: string; handbook: string }> {
  const owner = await service.company();
  const client = await addClient(service, owner);
  const passages = [
    'How we treat guests.',
    'Guests get a yellow lanyard.',
    'Their host signs HR-2210.',
    'Nobody walks alone.',
    'The hall closes at six.',
    'The tour takes an hour.',
  ];
  const { id: handbook } = await storeText(owner, {
    title: 'Visitors',
    uri: 'https://wiki.example.com/visitors',
    tags: ['front desk'],
    chunks: passages.map((text) => ({ text })),
  });
  await storeText(owner, {
    title: 'At the client',
    scope: { clientId: client },
    text: 'A passport at gate 4.',
  });
  return { ...owner, client, handbook };
}

/** Waits until the page tells this, such as how many passages it has found. */
export const found = (page: Page, text: string): Promise<void> =>
  page
    .getByRole('status')
    .filter({ hasText: new RegExp(`^${text}`) })
    .waitFor();

/** The field of the query. */
export const queryField = (page: Page): Locator => page.getByRole('searchbox', { name: 'Search for' });

/** Searches as a user does. */
export async function searchFor(page: Page, query: string): Promise<void> {
  await queryField(page).fill(query);
  await page.keyboard.press('Enter');
}

/** The titles of the hits, in order. */
export const hitTitles = (page: Page): Promise<string[]> => page.locator('.hit h2').allInnerTexts();
