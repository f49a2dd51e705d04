import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressesOf } from '../../shared/formats/addresses.ts';

test('an address of the database has one address for each host, without the choice among them', () => {
  for (const [url, addresses] of [
    ['postgres://u:p@one:1/db?sslmode=require', ['postgres://u:p@one:1/db?sslmode=require']],
    ['postgres://u:a,b@one,[::1]:2/db', ['postgres://u:a,b@one/db', 'postgres://u:a,b@[::1]:2/db']],
    [
      'postgresql://one,two?target_session_attrs=read-write&sslmode=disable',
      ['postgresql://one?sslmode=disable', 'postgresql://two?sslmode=disable'],
    ],
    ['postgres://one,/db', null],
    ['https://one/db', null],
    ['no address', null],
  ] as const) {
    assert.deepEqual(addressesOf(url), addresses, url);
  }
});
