import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { describe, test } from 'node:test';
import { readConfig } from '../../shared/config.ts';
import { type OwnerAccess, startReport } from '../../shared/settings/start-report.ts';

const URL_OF_IT = 'http://127.0.0.1:8787';

const report = (env: Record<string, string> = {}, owner: OwnerAccess = { hasPassword: true }) =>
  startReport(readConfig({ MEMORY_API_TOKEN: 'SECRET-0123456789', ...env }), URL_OF_IT, owner);

describe('what the start prints', () => {
  test('is where the service is, where data is stored, and whether searches go by meaning', () => {
    assert.deepEqual(report(), [
      'Team memory listens on http://127.0.0.1:8787',
      'The console, for browsers: http://127.0.0.1:8787/',
      'The Owner has a password.',
      `Data is stored in ${resolve('.data')}.`,
      'Search by meaning is off: searches find words and codes. To turn it on, start with MEMORY_API_SERVER_EMBEDDINGS=1. This downloads a model once.',
      'Ctrl-C stops the service.',
    ]);
  });

  test('has the link of an Owner without a password, or the command that makes it, in a line of its own', () => {
    const link = {
      email: 'owner@localhost',
      url: `${URL_OF_IT}/reset#token=x`,
      expiresAt: '2026-11-28T00:00:00Z',
    };
    assert.deepEqual(report({}, link).slice(2, 4), [
      `To set the password of owner@localhost, open this link. It works once, until ${link.expiresAt}:`,
      link.url,
    ]);
    assert.equal(report({}, { command: 'npm run link' })[3], 'npm run link');
  });

  test('names the public address, the model and the server of the database, and no credential', () => {
    const lines = report({
      MEMORY_API_PUBLIC_URL: 'https://memory.example.com/team',
      MEMORY_DATABASE_URL: 'postgres://name:SECRET@one.example:5432,two.example/db?password=SECRET',
      MEMORY_BLOB_STORE: 's3://bucket/prefix',
      MEMORY_API_SERVER_EMBEDDINGS: '1',
    });
    for (const line of [
      /^Team memory listens on http:\/\/127\.0\.0\.1:8787$/m,
      /^The console, for browsers: https:\/\/memory\.example\.com\/team\/$/m,
      /^Data is stored in PostgreSQL on one\.example:5432, two\.example, and files in the bucket of MEMORY_BLOB_STORE\.$/m,
      /^Search by meaning is turned on\. The model Xenova\/bge-m3 is loaded from /m,
    ])
      assert.match(lines.join('\n'), line);
    assert.ok(!lines.join().includes('SECRET'));
    for (const MEMORY_DATABASE_URL of [
      'postgres:///db?host=/run/postgresql',
      'postgres://one/db?password=SECRET',
    ])
      assert.ok(!report({ MEMORY_DATABASE_URL }).join().includes('SECRET'));
  });
});
