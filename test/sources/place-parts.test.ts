import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_PLACE, placeParts } from '../../shared/schemas/sources.ts';
import { openTestApp } from '../support/app.ts';

const { app } = await openTestApp();

const PLACE = { ...NO_PLACE, page: 3, sheet: 'Parts', row: 12, headings: ['Parts', 'Seals'] };
const PARTS = [
  { word: 'Page', values: [3] },
  { word: 'Sheet', values: ['Parts'] },
  { word: 'From row', values: [12] },
  { word: '', values: ['Parts', 'Seals'] },
];

test('a place is worded by a part for each field that is known', () => {
  assert.deepEqual(placeParts(PLACE), PARTS);
  assert.deepEqual(placeParts(NO_PLACE), []);
});

test('the console words it with the same function', async () => {
  const { body } = await app.inject('/assets/console/parts/place-parts.js');
  const made = (await import(`data:text/javascript,${encodeURIComponent(body)}`)) as {
    placeParts: typeof placeParts;
  };
  assert.deepEqual(made.placeParts(PLACE), PARTS);
});
