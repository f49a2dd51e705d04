import { mkdir } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { recordWorker } from '../../db/queries/status.ts';
import { newId } from '../../shared/ids.ts';
import { QUEUES } from '../../shared/queues.ts';
import type { SignedIn, TestApp } from '../support/app.ts';
import { stageCapture } from '../support/captures.ts';
import { beginRun, failRun, importFiles, openDashboard } from '../support/dashboard.ts';
import { addMemories } from '../support/memories.ts';
import { launchBrowser, withoutBrowser } from '../support/needs/browser.ts';
import { openOwnTestApp } from '../support/own-service.ts';
import { addPerson, along, CLAIM } from '../support/team.ts';
import { openConsole } from './console/console-tab.ts';

const folder = fileURLToPath(new URL('./screenshots/', import.meta.url));
/** Made only on request, because a screenshot differs slightly between machines. */
const wanted = (process.env['MEMORY_TEST_SCREENSHOTS'] ?? '') !== '';
const skip = wanted ? withoutBrowser : 'MEMORY_TEST_SCREENSHOTS is not set';

const rename = ({ database }: TestApp, table: string, id: string, name: string) =>
  database.query(`update identity.${table} set name = $2 where id = $1`, [id, name]);

async function renameAll(service: TestApp, company: SignedIn, names: readonly [string, string, string]) {
  await rename(service, 'company', company.companyId, names[0]);
  await rename(service, 'team', company.teamId, names[1]);
  await rename(service, 'account', company.ownerId, names[2]);
}

describe('the pictures of the dashboard', { skip }, () => {
  /** Files that failed, as a Team has them. The newest come last. */
  const failed = [
    ['Board minutes 2019 (scan).txt', 'no_text', 'The file holds no text.', 1],
    [
      'export-crm-2024-03-vollständig-alle-mandanten-und-notizen-ungekürzt.txt',
      'too_slow',
      'Reading the file took longer than 120 seconds: divide it, or save it in a simpler form.',
      3,
    ],
    [
      'تقرير الربع الثالث.md',
      'invalid_encoding',
      'The file is not in UTF-8 and does not say what it is in: save it as UTF-8.',
      2,
    ],
    [
      'customer-list.txt',
      'not_text',
      'The file holds binary data, not text: import it under its own type.',
      1,
    ],
  ] as const;
  const queued = ['Onboarding guide.md', 'Q3 pricing.md', 'Support playbook.md', 'Interview notes 14.txt'];

  /** A busy hour: a heap of files comes in, is worked off, and some come after. */
  async function fillHour({ database }: TestApp): Promise<void> {
    for (const [queue, weight] of Object.entries({
      'import.process': 1,
      'keywords.count': 0.1,
      'audit.seal': 0.05,
    }))
      for (let minute = 0; minute < 60; minute += 1) {
        const heap = Math.max(0, 180 - Math.abs(minute - 22) * (minute < 22 ? 14 : 5.2));
        const later = minute > 50 ? 9 : 0;
        const depth = Math.round((heap + later + 6 * Math.abs(Math.sin(minute * 1.7))) * weight);
        const done = Math.round((depth === 0 ? 0 : 9 + 5 * Math.sin(minute / 4) + (minute % 3)) * weight);
        const failures = queue === 'import.process' && minute % 17 === 9 ? 3 : 0;
        await database.query(
          `insert into pgboss.queue_stats (name, ready_count, active_count, completed_delta, failed_delta,
                                            delta_seconds, delta_on, captured_on)
           values ($1, $2, $3, $4, $5, 60, now() - make_interval(mins => $6, secs => 10),
                   -- There is no place yet for the day before this one.
                   greatest(now() - make_interval(mins => $6), date_trunc('day', now(), 'UTC')))`,
          [queue, depth, Math.min(2, depth), done, failures, 59 - minute],
        );
      }
  }

  /** Imports of every state, two of which run. */
  async function addImports(service: TestApp, company: SignedIn): Promise<void> {
    const { database } = service;
    await database.query(
      `insert into memory.import (team_id, layer_id, id, state, filename, title, media_type, bytes, attempts, created_by)
       select $1, $1, id, 'completed', 'file.md', 'file', 'text/markdown', 20000, 1, $2 from unnest($3::uuid[]) as id`,
      [company.teamId, company.ownerId, Array.from({ length: 1348 }, newId)],
    );
    for (const [index, [filename, code, message, attempts]] of failed.entries()) {
      const [made] = await importFiles(company, [{ filename, text: 'x'.repeat(9000 * (index + 1) ** 3) }]);
      await failRun(service, company, made!.id, { code, message });
      await database.query(
        `update memory.import set attempts = $3, updated_at = now() - make_interval(mins => $4),
                payload_pruned_at = case when $5 then now() - interval '2 days' end
          where team_id = $1 and id = $2`,
        [company.teamId, made!.id, attempts, index === 0 ? 45_000 : 400 - index * 131, index === 0],
      );
    }
    const waiting = [...queued, 'Due diligence, data room index.md', 'Engagement letters 2011–2024.txt'];
    const made = await importFiles(
      company,
      waiting.map((filename) => ({ filename, text: filename })),
    );
    await beginRun(service, company, made.at(-2)!.id, { stage: 'storing', percent: 38 });
    await beginRun(service, company, made.at(-1)!.id, { stage: 'reading', percent: 72 });
  }

  /** Makes embeddings for chunks that have none, as a program does. */
  async function embedSome(company: SignedIn, limit: number): Promise<void> {
    const { batch } = await company.api.claimEmbeddings({ limit });
    if (batch === null) return;
    const embeddings = batch.chunks.map(({ chunkId }, index) => ({ chunkId, embedding: along(index) }));
    await company.ask.completeEmbeddings({ batchId: batch.id, embeddings, ...CLAIM });
  }

  test('they are made in light mode for a wide screen, and in dark mode for a phone', async (t) => {
    const service = await openOwnTestApp();
    const { database } = service;
    const base = await service.app.listen({ host: '127.0.0.1', port: 0 });
    const company = await service.company();
    await renameAll(service, company, ['Harbour Legal', 'Client services', 'Noor Haddad']);
    await addImports(service, company);
    const text = Array.from({ length: 90_000 }, (_, index) => `word${(index * 7919) % 977}`).join(' ');
    await company.ask.ingestSource({ title: 'A long text', text });
    const items = Array.from({ length: 9 }, () => ({}));
    await addMemories(company, 'published', items);
    await addMemories(company, 'review', items.slice(5));
    for (let n = 0; n < 7; n += 1) await stageCapture(company, { sessionId: `session ${n}` });
    await fillHour(service);
    await embedSome(company, 250);
    const browser = await launchBrowser();
    t.after(() => browser.close());
    await mkdir(folder, { recursive: true });
    for (const { name, colorScheme, width, height, workers, health } of [
      {
        ...({ name: 'dashboard-light', colorScheme: 'light', width: 1200, height: 1310 } as const),
        workers: [231_400_000, 188_700_000],
        health: '2 workers are running.',
      },
      {
        ...({ name: 'dashboard-dark-phone', colorScheme: 'dark', width: 390, height: 1300 } as const),
        workers: [],
        health: 'No worker is running: imports wait.',
      },
    ]) {
      const { page } = await openDashboard(browser, base, company.token, { colorScheme });
      await page.setViewportSize({ width, height });
      await page.locator('#failed-rows tr').nth(3).waitFor();
      // This gives a rate and a remaining time.
      const measured = page.locator('#backlog-left', { hasText: 'about' });
      while (!t.signal.aborted && !(await measured.isVisible())) {
        await embedSome(company, 3);
        await page.waitForResponse('**/v1/memory/status');
      }
      await database.query('delete from memory.worker');
      for (const rssBytes of workers)
        await recordWorker(database, { id: newId(), queues: Object.keys(QUEUES), rssBytes, embedder: null });
      if (workers.length === 0)
        await database.query(
          `update memory.import set state = 'queued', progress_stage = null, progress_percent = null
            where team_id = $1 and state = 'running'`,
          [company.teamId],
        );
      await page.getByText(health, { exact: true }).waitFor();
      const path = `${folder}${name}.png`;
      await page.screenshot({ path, clip: { x: 0, y: 0, width, height }, fullPage: true });
      await page.context().close();
    }
  });
});

describe('the pictures of the console', { skip }, () => {
  const certificate =
    'The VPN gateway is vpn1.example.com on port 443. Carl renews its certificate each spring, two weeks before it expires.';

  /** Fills a Team with what a support desk would have in it. */
  async function setScene(service: TestApp, company: SignedIn): Promise<void> {
    await renameAll(service, company, ['Northwind Traders', 'Customer support', 'Maria Lang']);
    const clients: string[] = [];
    for (const name of ['Acme', 'Globex', 'Initech'])
      clients.push((await company.api.createClient({ name })).id);
    for (const [name, grants] of [
      ['Ann Baker', ['write', 'read']],
      ['Ben Cole', ['read']],
      ['Dana Novak', []],
      ['Yusuf Demir', ['write', 'write', 'read']],
    ] as const) {
      const access = Object.fromEntries(grants.map((given, index) => [clients[index], given]));
      const { userId } = await addPerson(service, company, { teamRole: 'member', clients: access });
      await rename(service, 'account', userId, name);
      const email = `${name.toLowerCase().replace(' ', '.')}@example.com`;
      await service.database.query('update identity.account set email = $2 where id = $1', [userId, email]);
    }
    await company.api.ingestSource({
      title: 'Remote access handbook',
      uri: 'https://wiki.example.com/remote-access',
      tags: ['vpn', 'on call'],
      chunks: [
        'Remote access needs a laptop of the company and a second factor. Private devices are refused.',
        'A VPN token is reset by the service desk. The caller names the ticket and the serial number.',
        'The old one works for ten more minutes. After the third in a month, the team lead is told.',
        'If the gateway does not answer, see the page about its certificate.',
      ].map((text) => ({ text })),
    });
    await company.api.ingestSource({
      title: 'Acme: agreed service times',
      scope: { clientId: clients[0] },
      tags: ['contract'],
      text: 'Acme resets a VPN token itself between 22:00 and 06:00. Error PGW-4012 is then answered by its own desk.',
    });
    await company.api.ingestSource({
      title: 'Shift handover of 12 May',
      tags: ['on call'],
      text: 'Two people asked how to reset a VPN token. Both had a phone that was replaced.',
    });
    await addMemories(company, 'published', [
      { title: 'Certificate of the VPN gateway', content: certificate, tags: ['vpn'] },
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
        content: certificate.replace('vpn1', 'vpn2').replace('Carl renews', 'The service desk renews'),
        tags: ['vpn'],
      },
    ]);
  }

  /** The pages, each with its height and what makes it show its data. */
  const pictures: readonly [
    name: string,
    path: string,
    height: number,
    show: (page: Page) => Promise<unknown>,
  ][] = [
    ['home', '/', 860, (page) => page.locator('.steps li:nth-child(2)[data-done]').waitFor()],
    [
      'search',
      '/search?q=VPN+token+reset',
      900,
      async (page) => {
        await page.getByRole('button', { name: 'Show more of it (Remote access handbook)' }).first().click();
        await page.getByText('Private devices are refused').first().waitFor();
        await page.evaluate('document.activeElement.blur(); scrollTo(0, 0)');
      },
    ],
    ['review', '/review', 730, (page) => page.locator('.review-similar[open] .changes').first().waitFor()],
    ['access', '/people?view=access', 790, (page) => page.getByRole('combobox').first().waitFor()],
  ];

  test('they are made for the README and the guide, of pages with data in light mode', async (t) => {
    const service = await openOwnTestApp();
    const base = await service.app.listen({ host: '127.0.0.1', port: 0 });
    const company = await service.company();
    await setScene(service, company);
    const browser = await launchBrowser();
    t.after(() => browser.close());
    await mkdir(folder, { recursive: true });
    for (const [name, path, height, show] of pictures) {
      const { page } = await openConsole(browser, `${base}${path}`, company.token);
      await page.setViewportSize({ width: 1280, height });
      await show(page);
      await page.waitForLoadState('networkidle');
      await page.screenshot({ path: `${folder}console-${name}.png` });
      await page.context().close();
    }
  });
});
