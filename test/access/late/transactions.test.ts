import { describe } from 'node:test';
import { openTestApp } from '../../support/app.ts';
import { testRows } from './walk.ts';

const service = await openTestApp();

describe('a request that waits between its authorisation and its transaction', () => {
  testRows(service, [2, 3]);
});
