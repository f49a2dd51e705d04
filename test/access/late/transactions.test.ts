import { after, describe } from 'node:test';
import { MAIL_ON, openTestApp } from '../../support/app.ts';
import { openPausableApp } from '../../support/paused-app.ts';
import { transactionCases } from './cases.ts';
import { checkTransactions, testCases } from './walk.ts';

const service = await openTestApp(MAIL_ON);
const pausable = await openPausableApp(service);
after(() => pausable.close());

describe('a request that waits between its authorisation and its transaction', () => {
  testCases(transactionCases(), (_, late) => checkTransactions(service, pausable, late));
});
