import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { createAgent } from '../../support/agent-tokens.ts';
import { openTestApp } from '../../support/app.ts';
import { addClient, addPerson } from '../../support/team.ts';
import {
  answerQuestions,
  button,
  contents,
  dialog,
  follow,
  press,
  row,
  said,
  serveConsole,
} from './console-tab.ts';

const service = await openTestApp();
const { base, open, skip } = await serveConsole(service);

/** Whether a line is of a token, and does not install the terminal client. */
const isOfToken = (line: string) => !line.startsWith('npm install ');

describe('the page of tokens', { skip }, () => {
  const issued = (page: Page) => page.getByRole('region', { name: 'Copy the token now' });
  const secretOf = (page: Page) => issued(page).locator('code').first().innerText();
  /** The status of a request with this token, sent as the page says. */
  async function statusWith(token: string) {
    const answer = await fetch(`${base}/v1/team`, { headers: { authorization: `Bearer ${token}` } });
    return answer.status;
  }

  test('a token is created, shown once with the lines that contain it, and leaves the document', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const { page, refused } = await open(company, '/tokens');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await press(page, 'Create a token');
    await dialog(page).getByLabel('Name').fill('Build agent');
    await dialog(page).getByLabel('memory:write').uncheck();
    await dialog(page).getByLabel('workspace:read').check();
    await dialog(page).getByLabel('Layers').selectOption('some');
    await dialog(page).getByLabel('A client').check();
    await dialog(page).getByLabel('Days until it expires').fill('30');
    await press(page, 'Create the token');
    const secret = await secretOf(page);
    const lines = (await issued(page).locator('.command code').allTextContents()).filter(isOfToken);
    assert.ok(lines.every((line) => line.includes(secret) || line.includes('bearer_token_env_var')));
    const asked = answerQuestions(page, 'stay');
    await follow(page, 'Connect');
    assert.deepEqual(asked, ['The token is shown only now, and you have not copied it. Leave all the same?']);
    await press(page, 'Copy the line: token');
    await page.getByText('Copied', { exact: true }).waitFor();
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), secret);
    assert.equal(await statusWith(secret), 200);
    await press(page, 'I have copied it');
    await issued(page).waitFor({ state: 'detached' });
    assert.ok(!(await contents(page)).includes(secret));
    await row(page, 'Build agent').getByText('the Team layer and A client').waitFor();
    const [made] = await company.all.listTokens();
    assert.deepEqual(
      [made?.permissions, made?.clientIds, made?.teamId],
      [['memory:read', 'workspace:read'], [clientId], company.teamId],
    );
    const days = (Date.parse(String(made?.expiresAt)) - Date.parse(String(made?.createdAt))) / 86_400_000;
    assert.equal(Math.round(days), 30);
    assert.deepEqual(refused, []);
  });

  test('rotating shows the new secret once, with an overlap, and revoking ends it', async () => {
    const company = await service.company();
    const agent = await createAgent(service, company, company, { name: 'Builder' });
    const { page, refused } = await open(company, '/tokens');
    await press(page, 'Rotate – Builder');
    await dialog(page).getByLabel('The old secret works for').selectOption('24 more hours');
    await press(page, 'Make a new secret');
    const secret = await secretOf(page);
    assert.deepEqual([await statusWith(secret), await statusWith(agent.token)], [200, 200]);
    answerQuestions(page, 'leave');
    await follow(page, 'Connect');
    await page.getByRole('heading', { name: 'Connect', exact: true }).waitFor();
    assert.ok(!(await contents(page)).includes(secret));
    await page.goBack();
    await press(page, 'Revoke – Builder');
    await press(page, 'Revoke the token');
    await said(page, 'The token Builder is revoked.');
    assert.deepEqual([await statusWith(secret), await statusWith(agent.token)], [401, 401]);
    assert.deepEqual(refused, []);
  });

  test('with Full access, the tokens of others for the Team can be revoked, and not rotated', async () => {
    const company = await service.company();
    const member = await addPerson(service, company, { teamRole: 'member' });
    const agent = await createAgent(service, member, company, {
      name: 'Builder',
      permissions: ['memory:read'],
    });
    const { page, refused } = await open(company, '/tokens?part=team');
    await row(page, 'Builder').getByText('of Someone').waitFor();
    assert.equal(await button(page, /^Rotate/).count(), 0);
    await press(page, 'Revoke – Builder');
    await press(page, 'Revoke the token');
    await said(page, 'The token Builder is revoked.');
    assert.deepEqual([await statusWith(agent.token), refused], [401, []]);
  });

  test('the lines of each program name this service, and the request of the last one is accepted', async () => {
    const company = await service.company();
    const agent = await createAgent(service, company, company);
    const { page } = await open(company, '/tokens?part=connect');
    await page.getByText('Claude Code', { exact: true }).waitFor();
    const lines = (await page.locator('.command code').allTextContents()).filter(isOfToken);
    assert.equal(
      lines[0],
      `claude mcp add --transport http team-memory ${base}/v1/mcp --header 'Authorization: Bearer <token>'`,
    );
    const line = (lines.at(-1) ?? '').replace('<token>', agent.token);
    const answer = await fetch(line.split(' ')[2] ?? '', {
      method: 'POST',
      headers: [...line.matchAll(/-H '([^:]+): ([^']+)'/g)].map(([, name = '', value = '']) => [name, value]),
      body: line.slice(line.indexOf("-d '") + 4, -1),
    });
    assert.equal(answer.status, 200, await answer.text());
  });
});
