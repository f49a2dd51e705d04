import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openTestApp } from '../../support/app.ts';
import { addMemory } from '../../support/memories.ts';
import { file } from '../../support/workspace.ts';
import { openPages } from './support.ts';

const service = await openTestApp();
const { open: openPage, skip } = await openPages(service);

const HOSTILE = `# Harbour

| place | depth |
|---|---|
| quay | 4 m |

- [x] the crane
- [ ] the gate, see <https://example.com/gate>

\`\`\`
const open = '<b>';
\`\`\`

<script>document.title = 'script'</script> <b onclick="x">bold</b> <img src="/livez" onerror="document.title = 'handler'">

[one](javascript:alert(1)) [two](JaVaScRiPt:alert(1)) [three](data:text/html,x) [four](/v1/company) [five](//example.com/)

![a picture](https://example.com/picture.png) a note[^content]

[^content]: <iframe srcdoc="x"></iframe>
`;

describe('texts in Markdown', { skip }, () => {
  it('are shown as they read, and nothing in them becomes an element, a request or a link of another kind', async () => {
    const company = await service.company();
    const { id } = await addMemory(company, 'published', { title: 'The harbour', content: HOSTILE });
    const { page } = await openPage(company, '/livez');
    const elsewhere: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('example.com')) elsewhere.push(request.url());
    });
    await page.goto(`${new URL(page.url()).origin}/memories/${id}?team=${company.teamId}`);
    const text = page.getByRole('main');
    await text.getByRole('heading', { name: 'Harbour', level: 2 }).waitFor();
    await text.getByRole('cell', { name: '4 m' }).waitFor();
    await text.getByRole('img', { name: 'Done' }).waitFor();
    await text.getByText(`const open = '<b>';`).waitFor();
    await text.getByText('[a picture]').waitFor();
    assert.equal(await text.locator('script, iframe, b, [onclick], #content img').count(), 0);
    assert.equal(
      await page.locator('[id="content"]').count(),
      1,
      'a text cannot name an element of the page',
    );
    const links = await text
      .locator('a[target="_blank"]')
      .evaluateAll((all) => all.map((link) => link.getAttribute('href')));
    assert.deepEqual(links, ['https://example.com/gate']);
    assert.match(await page.title(), /^The harbour/);
    assert.deepEqual(elsewhere, []);
  });

  for (const [what, text] of [
    ['is nested ten thousand deep', `${'>'.repeat(10_000)}${'- '.repeat(5000)}end`],
    ['opens what it never closes', `${'**a *b '.repeat(6000)}${'[a](<b'.repeat(6000)} end`],
    ['has 200 kB', `${'_a_b '.repeat(39_000)}end`],
  ] as const)
    it(`do not hold up the page if one ${what}`, async () => {
      const company = await service.company();
      await company.api.pushFiles({
        files: [file('team/long.md', text), file('team/next.md', 'The *next* file.')],
      });
      const { page } = await openPage(company, '/files?path=team/long.md');
      await page
        .getByText(/end\s*$/)
        .first()
        .waitFor();
      await page.goto(page.url().replace('long.md', 'next.md'));
      await page.locator('em', { hasText: 'next' }).waitFor();
    });

  for (const [what, open, first] of [
    ['quotes', '>', 'blockquote'],
    ['lists', '- ', 'ul'],
  ] as const)
    it(`of thousands of ${what} inside each other keep room for what is in them`, async () => {
      const company = await service.company();
      await company.api.pushFiles({ files: [file('team/deep.md', `${open.repeat(2000)}end`)] });
      const { page } = await openPage(company, '/files?path=team/deep.md');
      await page.locator(first).first().waitFor();
      await page
        .getByText(/end\s*$/)
        .first()
        .waitFor();
    });

  it('of 1 MB are shown by passages', async () => {
    const company = await service.company();
    const text = 'The **gate** of the harbour is closed.\n\n'.repeat(25_000);
    const { source } = await company.api.ingestSource({ title: 'Long', text });
    const { page } = await openPage(company, `/sources/${source.id}`);
    await page.locator('strong', { hasText: 'gate' }).first().waitFor();
  });
});
