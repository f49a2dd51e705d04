import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { MAIL_ON, openTestApp } from '../../support/app.ts';
import { addPasswordHolder, makeInvite, newEmail, PASSWORD } from '../../support/invites.ts';
import { openPages, profileOf } from './support.ts';

const service = await openTestApp(MAIL_ON);
const { database } = service;
const { base, browser, open, openIn, skip } = await openPages(service);

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const said = (page: Page, text: string) => page.getByText(text).first().waitFor();
const heading = (page: Page, name: string | RegExp) =>
  page.getByRole('heading', { name, level: 1 }).waitFor();

/** The states of the mails of a Company, as if the worker had sent them. */
const setMails = (companyId: string, state: 'sent' | 'failed') =>
  database.query('update identity.mail set state = $2 where company_id = $1', [companyId, state]);

describe('the console of a service with mail', { skip }, () => {
  test('mails a link for a new password, and says the same for an address without an account', async () => {
    const company = await service.company();
    for (const email of [company.ownerEmail, newEmail()]) {
      const { page } = await openIn(await profileOf(browser, base, null), '/');
      await page.getByLabel('Email').fill(company.ownerEmail);
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await press(page, 'Sign in');
      await said(page, 'If you forgot it, press “Forgot your password?” below.');
      await press(page, 'Forgot your password?');
      await press(page, 'Send me a link');
      await said(page, 'Enter your email.');
      await page.getByLabel('Email').fill(email);
      await page.keyboard.press('Enter');
      await said(page, `If ${email} has an account, a link to set a new password is on its way.`);
      await press(page, 'Back to sign in');
      await page.getByLabel('Password', { exact: true }).waitFor();
    }
    const asked = 'select from identity.reset_request where email = $1';
    assert.equal((await database.query(asked, [company.ownerEmail])).length, 1);
  });

  test('shows the state of the mail of each invite, and sends it again', async () => {
    const company = await service.company();
    const { invite } = await makeInvite(service, company);
    await setMails(company.companyId, 'failed');
    const { page } = await open(company, '/people?tab=invites');
    await page.getByRole('row').filter({ hasText: invite.email }).getByText('Refused').waitFor();
    await press(page, `Actions for ${invite.email}`);
    await page.getByRole('menuitem', { name: 'Send again' }).click();
    await said(page, `A mail to ${invite.email} is on its way.`);
    await page.getByRole('row').filter({ hasText: invite.email }).getByText('Waiting').waitFor();
    await setMails(company.companyId, 'sent');
    await page.reload();
    await page.getByRole('row').filter({ hasText: invite.email }).getByText('Sent').waitFor();
  });

  test('says of a new link that another one is mailed', async () => {
    const { page } = await open(await service.company(), '/people');
    await press(page, 'Invite people');
    await page.getByLabel('Email addresses').fill(newEmail());
    await press(page, 'Make the link');
    await said(page, 'Shown only now; the service also mails one to the person.');
  });

  test('sends a test mail from the page of the Company', async () => {
    const company = await service.company();
    const { page } = await open(company, '/company?part=general');
    await press(page, 'Send a test mail');
    await said(page, `A test mail to ${company.ownerEmail} is on its way.`);
    const mails = 'select from identity.mail where company_id = $1 and kind = $2';
    assert.equal((await database.query(mails, [company.companyId, 'test'])).length, 1);
  });

  test('asks for the password of an account whose address is not verified, if the link was not mailed', async () => {
    const company = await service.company();
    const person = await addPasswordHolder(service, company, {});
    const { token } = await makeInvite(service, company, { email: person.email });
    const { page } = await openIn(await profileOf(browser, base, person.token), `/join#token=${token}`);
    await press(page, 'Join the Team');
    await said(page, 'which has an account here: enter its password.');
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await press(page, 'Join the Team');
    await heading(page, 'Home');
  });
});
