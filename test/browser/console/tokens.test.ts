import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { createAgent } from '../../support/agent-tokens.ts';
import { openTestApp } from '../../support/app.ts';
import { focused, title } from '../../support/pages.ts';
import { addClient, addPerson, type Caller } from '../../support/team.ts';
import { openBrowser } from '../open-browser.ts';
import { answerQuestions, openConsole } from './console-tab.ts';

const service = await openTestApp();
const { base, browser, skip } = await openBrowser(service);

/** Whether a line is of a token, and does not install the terminal client. */
const isOfToken = (line: string) => !line.startsWith('npm install ');

describe('the page of tokens', { skip }, () => {
  const open = (path: string, token: string) => openConsole(browser, `${base}${path}`, token);
  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
  const dialog = (page: Page) => page.getByRole('dialog');
  const said = (page: Page, text: string) => page.locator('.said').filter({ hasText: text }).waitFor();
  const row = (page: Page, name: string) => page.locator('.records > li').filter({ hasText: name });
  const issued = (page: Page) => page.getByRole('region', { name: 'Copy the token now' });
  const secretOf = (page: Page) => issued(page).locator('code').first().innerText();
  const contents = (page: Page) => page.evaluate<string>('document.documentElement.outerHTML');
  const tokens = (caller: Caller) => caller.all.listTokens();
  /** The status of a request with this token, sent as the page says. */
  async function statusWith(token: string) {
    const answer = await fetch(`${base}/v1/team`, { headers: { authorization: `Bearer ${token}` } });
    return answer.status;
  }

  test('a token is created, shown once with the lines that contain it, and leaves the document', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const { page, faults, refused } = await open('/tokens', company.token);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByText('You have no token yet.').waitFor();
    await title(page, 'Your tokens · Tokens · Test Team');
    await button(page, 'Create a token').click();
    await dialog(page).getByLabel('Name').fill('Build agent');
    await dialog(page).getByLabel('memory:write').uncheck();
    await dialog(page).getByLabel('workspace:read').check();
    await dialog(page).getByLabel('Layers').selectOption('some');
    await dialog(page).getByLabel('A client').check();
    await dialog(page).getByLabel('Days until it expires').fill('30');
    await button(page, 'Create the token').click();
    const secret = await secretOf(page);
    assert.match(secret, /^tm_pat_/);
    assert.equal(await focused(page), 'issued-heading');
    const lines = (await issued(page).locator('.command code').allTextContents()).filter(isOfToken);
    assert.ok(lines.every((line) => line.includes(secret) || line.includes('bearer_token_env_var')));
    const asked = answerQuestions(page, 'stay');
    await page.getByRole('link', { name: 'Connect', exact: true }).click();
    assert.deepEqual(asked, ['The token is shown only now, and you have not copied it. Leave all the same?']);
    assert.equal(await secretOf(page), secret);
    await button(page, 'Copy the line: token').click();
    await page.getByText('Copied', { exact: true }).waitFor();
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), secret);
    assert.equal(await statusWith(secret), 200);

    await button(page, 'I have copied it').click();
    await issued(page).waitFor({ state: 'detached' });
    assert.ok(!(await contents(page)).includes(secret));
    assert.equal(await focused(page), 'part-heading');
    await row(page, 'Build agent').getByText('the Team layer and A client').waitFor();
    const [made] = await tokens(company);
    assert.deepEqual(
      [made?.permissions, made?.clientIds, made?.teamId],
      [['memory:read', 'workspace:read'], [clientId], company.teamId],
    );
    const days = (Date.parse(String(made?.expiresAt)) - Date.parse(String(made?.createdAt))) / 86_400_000;
    assert.equal(Math.round(days), 30);
    assert.deepEqual([faults, refused], [[], []]);
  });

  test('rotating shows the new secret once, with an overlap, and revoking ends it', async () => {
    const company = await service.company();
    const agent = await createAgent(service, company, company, { name: 'Builder' });
    const { page, faults, refused } = await open('/tokens', company.token);
    await button(page, 'Rotate – Builder').click();
    await dialog(page).getByLabel('The old secret works for').selectOption('24 more hours');
    await button(page, 'Make a new secret').click();
    const secret = await secretOf(page);
    assert.deepEqual([await statusWith(secret), await statusWith(agent.token)], [200, 200]);
    answerQuestions(page, 'leave');
    await page.getByRole('link', { name: 'Connect', exact: true }).click();
    await page.getByRole('heading', { name: 'Connect', exact: true }).waitFor();
    assert.ok(!(await contents(page)).includes(secret));
    await page.goBack();

    await button(page, 'Revoke – Builder').click();
    await button(page, 'Revoke the token').click();
    await said(page, 'The token Builder is revoked.');
    assert.equal(await focused(page), `row-${agent.record.id}`);
    assert.deepEqual([await statusWith(secret), await statusWith(agent.token)], [401, 401]);
    assert.equal(await button(page, /^(Rotate|Revoke)/).count(), 0);
    assert.deepEqual([faults, refused], [[], []]);
  });

  test('with Full access, the tokens of others for the Team can be revoked', async () => {
    const company = await service.company();
    const member = await addPerson(service, company, { teamRole: 'member' });
    await createAgent(service, member, company, { name: 'Builder', permissions: ['memory:read'] });
    const { page, faults, refused } = await open('/tokens?part=team', company.token);
    await row(page, 'Builder').getByText('of Someone').waitFor();
    assert.equal(await button(page, /^Rotate/).count(), 0);
    await button(page, 'Revoke – Builder').click();
    await button(page, 'Revoke the token').click();
    await said(page, 'The token Builder is revoked.');
    assert.deepEqual(
      (await tokens(member)).map(({ state }) => state),
      ['revoked'],
    );
    assert.deepEqual([faults, refused], [[], []]);
  });

  test('the lines of each program name this service, and the request of the last one is accepted', async () => {
    const company = await service.company();
    const agent = await createAgent(service, company, company);
    const { page, faults } = await open('/tokens?part=connect', company.token);
    await page.getByText('Claude Code', { exact: true }).waitFor();
    const names = await page.locator('summary').allInnerTexts();
    assert.deepEqual(names, [
      'Claude Code',
      'Cursor',
      'Codex',
      'VS Code and other programs',
      'Terminal client',
      'Plain HTTP',
    ]);
    for (const name of names.slice(1)) await page.getByText(name, { exact: true }).click();
    const lines = (await page.locator('.command code').allInnerTexts()).filter(isOfToken);
    assert.equal(
      lines[0],
      `claude mcp add --transport http team-memory ${base}/v1/mcp --header 'Authorization: Bearer <token>'`,
    );
    const server = { type: 'http', url: `${base}/v1/mcp`, headers: { Authorization: 'Bearer <token>' } };
    assert.deepEqual(JSON.parse(lines[2] ?? ''), { mcpServers: { 'team-memory': server } });

    const line = lines.at(-1) ?? '';
    const headers = Object.fromEntries(
      [...line.matchAll(/-H '([^:]+): ([^']+)'/g)].map((found) => found.slice(1)),
    );
    const answer = await fetch(line.split(' ')[2] ?? '', {
      method: 'POST',
      headers: {
        ...headers,
        Authorization: String(headers['Authorization']).replace('<token>', agent.token),
      },
      body: line.slice(line.indexOf("-d '") + 4, -1),
    });
    assert.equal(answer.status, 200, await answer.text());
    assert.deepEqual(faults, []);
  });
});
