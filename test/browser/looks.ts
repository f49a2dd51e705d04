import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { createAgent } from '../support/agent-tokens.ts';
import type { openTestApp, SignedIn } from '../support/app.ts';
import { stageCapture } from '../support/captures.ts';
import { questionBest } from '../support/feedback.ts';
import { plantImports } from '../support/import-records.ts';
import { makeInvitation } from '../support/invites.ts';
import { addMemories } from '../support/memories.ts';
import { fitsScreen } from '../support/pages.ts';
import { addSource } from '../support/source-library.ts';
import { addClient, addPerson, addTeam } from '../support/team.ts';
import { file } from '../support/workspace.ts';

/** Without a place to break, right-to-left, with markup, and with a mark that reorders what follows. */
export const NAMES = [
  'W'.repeat(300),
  'فريق الدعم الفني',
  '<img src=x onerror=alert(1)>',
  '\u202Eevil',
] as const;
export const [LONG, RIGHT_TO_LEFT, MARKUP] = NAMES;
const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core')), 'utf8');

/** How a page is looked at: axe runs in some looks, and in all nothing extends beyond the screen. */
const LOOKS = [
  { width: 1280, colorScheme: 'light', forcedColors: 'none', axe: true },
  { width: 640, colorScheme: 'dark', forcedColors: 'none', axe: true },
  { width: 320, colorScheme: 'light', forcedColors: 'none', axe: false },
  { width: 320, colorScheme: 'dark', forcedColors: 'active', axe: false },
] as const;

/** A Company with some records in each list, and with the names wherever a name can be. */
export async function filled(service: Awaited<ReturnType<typeof openTestApp>>): Promise<SignedIn> {
  const rename = (table: 'company' | 'account' | 'team' | 'client', id: string, name: string) =>
    service.database.query(`update identity.${table} set name = $2 where id = $1`, [id, name]);
  const company = await service.company();
  await rename('company', company.companyId, RIGHT_TO_LEFT);
  await rename('account', company.ownerId, LONG);
  const clientId = await addClient(service, company);
  const scope = { clientId };
  for (const name of NAMES) {
    const titled = { title: name, tags: [name.slice(0, 50)], metadata: { [name.slice(0, 90)]: name } };
    await rename('client', await addClient(service, company), name);
    const person = await addPerson(service, company, { teamRole: 'member', companyRole: 'admin' });
    await rename('account', person.userId, name);
    await company.api.createInvite({ email: `${person.userId}@example.com`, role: 'member' });
    await plantImports(service, company, 1, { filename: `${name.slice(0, 290)}.txt` });
    await createAgent(service, company, company, { name });
    const uri = `https://example.com/${name}`;
    await addSource(company, { ...titled, text: `An okapi. ${name}`, externalId: name, uri, scope });
    for (const state of ['review', 'published'] as const)
      await addMemories(company, state, [{ ...titled, content: `A unicorn: ${name}` }]);
  }
  await makeInvitation(company);
  await addTeam(service, company);
  for (let n = 0; n < 12; n += 1)
    await addSource(company, { title: `Record ${n}`, text: `The okapi ${n}. `.repeat(20) });
  const paths = [LONG.slice(60), RIGHT_TO_LEFT, MARKUP.replaceAll(/[<>]/g, '&')];
  await company.api.pushFiles({ files: paths.map((name) => file(`team/${name}.md`, 'x')) });
  await questionBest(company, 'okapi', { note: MARKUP });
  // Last: making memories claims what is staged.
  for (const name of NAMES) await stageCapture(company, { sessionId: name, summary: name, scope });
  await rename('team', company.teamId, `${RIGHT_TO_LEFT} ${LONG.slice(0, 200)}`);
  return company;
}

/** Axe finds nothing on the page, and nothing extends beyond the screen. */
export async function assertLooks(page: Page): Promise<void> {
  await page.evaluate(AXE);
  for (const { width, axe, ...media } of LOOKS) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia(media);
    // Lists measure the room for their columns when it has changed, and draw them in the next frame.
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    assert.ok(await fitsScreen(page), `${page.url()} at ${width} px`);
    if (!axe) continue;
    const found = await page.evaluate<string[]>(
      `axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)))`,
    );
    assert.deepEqual(found, [], `${page.url()} at ${width} px`);
  }
}

/** The texts of the page with one of the names that are outside of an element that isolates their direction. */
export const notIsolated = (page: Page) =>
  page.evaluate<string[]>(`(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found = [];
    while (walker.nextNode()) {
      const { data, parentElement } = walker.currentNode;
      const isNamed = ${JSON.stringify(NAMES)}.some((name) => data.includes(name));
      if (isNamed && parentElement.closest('bdi, option, [dir=auto]') === null) found.push(data);
    }
    return found;
  })()`);
