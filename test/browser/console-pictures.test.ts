import { mkdir } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import type { SignedIn, TestApp } from '../support/app.ts';
import { addMemories } from '../support/memories.ts';
import { launchBrowser, withoutBrowser } from '../support/needs/browser.ts';
import { openOwnTestApp } from '../support/own-service.ts';
import { storeText } from '../support/search-page.ts';
import { addClient, addPerson } from '../support/team.ts';
import { openConsole } from './console/console-tab.ts';

const folder = fileURLToPath(new URL('./screenshots/', import.meta.url));
/** Made only on request, because a screenshot differs slightly between machines. */
const wanted = (process.env['MEMORY_TEST_SCREENSHOTS'] ?? '') !== '';
const skip = wanted ? withoutBrowser : 'MEMORY_TEST_SCREENSHOTS is not set';

const CLIENTS = ['Acme', 'Globex', 'Initech'];
const MEMBERS = ['Ann Baker', 'Ben Cole', 'Dana Novak', 'Yusuf Demir'];
const CERTIFICATE =
  'The VPN gateway is vpn1.example.com on port 443. Carl renews its certificate each spring, two weeks before it expires.';

/** Fills a Team with what a support desk would have in it. */
async function setScene(service: TestApp, company: SignedIn): Promise<void> {
  const { database } = service;
  const rename = (table: string, id: string, name: string) =>
    database.query(`update identity.${table} set name = $2 where id = $1`, [id, name]);
  await rename('company', company.companyId, 'Northwind Traders');
  await rename('team', company.teamId, 'Customer support');
  await rename('account', company.ownerId, 'Maria Lang');
  const clients: string[] = [];
  for (const name of CLIENTS) {
    const id = await addClient(service, company);
    await rename('client', id, name);
    clients.push(id);
  }
  const grants = [['write', 'read'], ['read'], [], ['write', 'write', 'read']] as const;
  for (const [n, name] of MEMBERS.entries()) {
    const access = Object.fromEntries((grants[n] ?? []).map((given, at) => [clients[at], given]));
    const { userId } = await addPerson(service, company, { teamRole: 'member', clients: access });
    await rename('account', userId, name);
    const email = `${name.toLowerCase().replace(' ', '.')}@example.com`;
    await database.query('update identity.account set email = $2 where id = $1', [userId, email]);
  }
  await storeText(company, {
    title: 'Remote access handbook',
    uri: 'https://wiki.example.com/remote-access',
    tags: ['vpn', 'on call'],
    chunks: [
      {
        text: 'Remote access needs a laptop of the company and a second factor. Private devices are refused.',
      },
      {
        text: 'A VPN token is reset by the service desk. The caller names the ticket and the serial number.',
      },
      {
        text: 'The old one works for ten more minutes. After the third in a month, the team lead is told.',
      },
      { text: 'If the gateway does not answer, see the page about its certificate.' },
    ],
  });
  await storeText(company, {
    title: 'Acme: agreed service times',
    scope: { clientId: clients[0] },
    tags: ['contract'],
    text: 'Acme resets a VPN token itself between 22:00 and 06:00. Error PGW-4012 is then answered by its own desk.',
  });
  await storeText(company, {
    title: 'Shift handover of 12 May',
    tags: ['on call'],
    text: 'Two people asked how to reset a VPN token. Both had a phone that was replaced.',
  });
  await addMemories(company, 'published', [
    { title: 'Certificate of the VPN gateway', content: CERTIFICATE, tags: ['vpn'] },
    { title: 'Acme calls its desk first', content: 'At night, Acme answers PGW-4012 itself.' },
  ]);
  await addMemories(company, 'review', [
    { title: 'Printers on floor 2', content: 'The printers on floor 2 need the driver of 2024.' },
    {
      title: 'Replaced phones need a reset',
      content: 'A person with a new phone needs a reset of the token.',
    },
    {
      title: 'The VPN gateway has moved',
      content: CERTIFICATE.replace('vpn1', 'vpn2').replace('Carl renews', 'The service desk renews'),
      tags: ['vpn'],
    },
  ]);
}

/** The pages, with what makes them show their data. */
const PICTURES: readonly {
  name: string;
  path: string;
  height: number;
  prepare: (page: Page) => Promise<unknown>;
}[] = [
  {
    name: 'home',
    path: '/',
    height: 860,
    prepare: (page) => page.locator('.steps li:nth-child(2)[data-done]').waitFor(),
  },
  {
    name: 'search',
    path: '/search?q=VPN+token+reset',
    height: 900,
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Show more of it (Remote access handbook)' }).click();
      await page.getByText('Private devices are refused').waitFor();
      await page.evaluate('document.activeElement.blur(); scrollTo(0, 0)');
    },
  },
  {
    name: 'review',
    path: '/review',
    height: 730,
    prepare: (page) => page.locator('.review-similar[open] .changes').first().waitFor(),
  },
  {
    name: 'access',
    path: '/people?view=access',
    height: 790,
    prepare: (page) => page.getByRole('combobox', { name: 'Ann Baker, client Acme' }).waitFor(),
  },
];

describe('the pictures of the console', { skip }, () => {
  test('pictures are made for the README and the guide, of pages with data in light mode', async (t) => {
    const service = await openOwnTestApp();
    const base = await service.app.listen({ host: '127.0.0.1', port: 0 });
    const company = await service.company();
    await setScene(service, company);
    const browser = await launchBrowser();
    t.after(() => browser.close());
    await mkdir(folder, { recursive: true });
    for (const { name, path, height, prepare } of PICTURES) {
      const { page } = await openConsole(browser, `${base}${path}`, company.token);
      await page.setViewportSize({ width: 1280, height });
      await prepare(page);
      await page.waitForLoadState('networkidle');
      await page.screenshot({ path: `${folder}console-${name}.png` });
      await page.context().close();
    }
  });
});
