import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { ERRORS, type ErrorCode } from '../../../shared/errors.ts';
import { openTestApp } from '../../support/app.ts';
import { execFile } from '../../support/needs/command.ts';
import { ROOT } from '../../support/root.ts';
import { operationsOf, readDocument } from './document.ts';

const service = await openTestApp();
const { app } = service;
const document = await readDocument(app);
const operations = operationsOf(document);
const responseOf = (id: string, status: number) => {
  const found = operations.find((operation) => operation.id === id)?.operation.responses?.[String(status)];
  return found as { description: string; headers: Record<string, object> } | undefined;
};

/** The schemas of a part of the document that have a default, by their paths. */
function defaultsWithin(part: unknown, path = ''): string[] {
  if (typeof part !== 'object' || part === null) return [];
  const has = 'default' in part && 'type' in part && typeof part.type === 'string';
  return [
    ...(has ? [path] : []),
    ...Object.entries(part).flatMap(([key, within]) => defaultsWithin(within, `${path}/${key}`)),
  ];
}

describe('the OpenAPI document for clients', () => {
  test('no schema has a default, which a generator can take for a required field', () => {
    assert.deepEqual(defaultsWithin(document), []);
    const search = document.components?.schemas?.['SearchRequest'];
    const { topK, neighbours } = search?.properties ?? {};
    assert.equal(topK?.description, 'default 8');
    assert.match(neighbours?.description ?? '', /; default 0$/);
  });

  test('passes the strict rules of redocly lint', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'team-memory-openapi-'));
    after(() => rm(folder, { recursive: true }));
    const file = join(folder, 'openapi.json');
    await writeFile(file, JSON.stringify(document));
    const redocly = join(ROOT, 'node_modules', '@redocly', 'cli', 'bin', 'cli.js');
    const args = [redocly, 'lint', '--extends', 'recommended-strict', '--format', 'stylish', file];
    const env = {
      PATH: process.env['PATH'],
      REDOCLY_TELEMETRY: 'off',
      REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
    };
    await promisify(execFile)(process.execPath, args, { cwd: ROOT, env }).catch((error: { stdout: string }) =>
      assert.fail(error.stdout),
    );
  });

  test('every operation has a unique operationId, a tag with a description, and a declared error', () => {
    const ids = operations.map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length);
    const tags = new Map(document.tags?.map(({ name, description }) => [name, description]));
    for (const { route, id, operation, statuses } of operations) {
      assert.match(id, /^[a-z][A-Za-z]+$/, `${route}: add an operationId to its schema`);
      assert.ok(tags.get(operation.tags?.[0] ?? ''), `${route}: add a tag of api/http/openapi/document.ts`);
      assert.ok(statuses.includes('400'), route);
      assert.ok(statuses.includes('500'), route);
    }
  });

  test('every status that follows from a guard is declared, with its codes', () => {
    const has = (id: string, ...codes: ErrorCode[]) => {
      for (const code of codes) {
        const { description = '' } = responseOf(id, ERRORS[code].status) ?? {};
        assert.ok(description.includes(`\`${code}\``), `${id}: ${code}`);
      }
    };
    has('getSession', 'unauthenticated', 'session_expired', 'rate_limited');
    has('listTeams', 'company_role_required');
    has('listSources', 'team_required', 'team_forbidden');
    has('listMemories', 'full_access_required');
    has('importFiles', 'scope_forbidden', 'idempotency_key_reused', 'idempotency_in_progress');
    has('login', 'rate_limited', 'payload_too_large', 'unsupported_media_type');
    has('getImport', 'not_found');
    assert.equal(responseOf('getSession', 403), undefined);
    assert.equal(responseOf('listSources', 413), undefined);
    assert.equal(responseOf('getHealth', 429), undefined);
  });

  test('declares the headers of responses', () => {
    const headers = (id: string, status: number) => Object.keys(responseOf(id, status)?.headers ?? {});
    const limits = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];
    assert.deepEqual(headers('listSources', 200), ['x-request-id', ...limits]);
    assert.deepEqual(headers('listSources', 429), ['x-request-id', ...limits, 'Retry-After']);
    assert.deepEqual(headers('listSources', 503), ['x-request-id', 'Retry-After']);
    assert.deepEqual(headers('listSources', 401), ['x-request-id', 'WWW-Authenticate']);
    assert.deepEqual(headers('getHealth', 200), ['x-request-id']);
  });

  test('requires a body only where a field is required, and shows none where the route accepts none', () => {
    const body = (id: string) => operations.find((operation) => operation.id === id)?.operation.requestBody;
    const required = (id: string) => (body(id) as { required: boolean } | undefined)?.required;
    assert.equal(required('login'), true);
    assert.equal(required('claimCaptures'), false);
    assert.equal(body('archiveTeam'), undefined);
    assert.equal(body('deleteTeam'), undefined);
  });
});
