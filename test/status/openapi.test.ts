import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { OpenAPIV3_1 } from 'openapi-types';
import { ERRORS } from '../../shared/errors.ts';
import { collectRoutes } from '../access/matrix/walk.ts';
import { type OpenApi, operationsOf } from '../http/openapi/document.ts';
import { openTestApp } from '../support/app.ts';

const {
  built: { app },
  routes,
} = await collectRoutes(() => openTestApp());
const document = (await app.inject('/docs/json')).json<OpenApi>();
const operations = operationsOf(document).filter(({ route }) => route.includes(' /v1/'));

describe('the OpenAPI document', () => {
  test('the document is served as JSON with version 3.1, also at /v1/openapi.json without a token', async () => {
    for (const url of ['/docs/json', '/v1/openapi.json']) {
      const answer = await app.inject(url);
      assert.match(String(answer.headers['content-type']), /^application\/json/);
      assert.deepEqual(answer.json(), document);
    }
    assert.match(document.openapi, /^3\.1\.\d+$/);
    assert.ok(document.info.title && document.info.version);
  });

  test('the document lists exactly the routes under /v1', () => {
    const registered = routes.filter((route) => /^(?!HEAD)\w+ \/v1\//.test(route));
    assert.deepEqual(operations.map(({ route }) => route).sort(), registered.sort());
  });

  test('declares a problem as the default response of every route, and lists all error codes', () => {
    for (const { route, operation } of operations) {
      const answer = operation.responses?.['default'] as OpenAPIV3_1.ResponseObject | undefined;
      assert.deepEqual(Object.keys(answer?.content ?? {}), ['application/problem+json'], route);
    }
    const { code } = document.components?.schemas?.['Problem']?.properties ?? {};
    assert.deepEqual((code as OpenAPIV3_1.SchemaObject).enum, Object.keys(ERRORS));
    for (const [name, { status, title }] of Object.entries(ERRORS)) {
      assert.ok(document.info.description?.includes(`| \`${name}\` | ${status} | ${title} |`), name);
    }
  });

  test('describes the conflicts in the 409 response of a push', () => {
    const push = operations.find(({ id }) => id === 'pushFiles')?.operation;
    assert.match(JSON.stringify(push?.responses?.['409']), /PushConflict/);
    const { PushConflict, WorkspaceConflict } = document.components?.schemas ?? {};
    assert.match(JSON.stringify(PushConflict), /Problem.*"conflicts":.*WorkspaceConflict/);
    assert.match(JSON.stringify(WorkspaceConflict), /"path".*"currentVersion".*"currentSha256".*"blockedBy"/);
  });

  test('requires a bearer token for exactly the routes that return 401 without one', async () => {
    const { bearer, metrics, ...others } = document.components?.securitySchemes ?? {};
    assert.deepEqual(others, {});
    for (const scheme of [bearer, metrics]) {
      const { description, ...kind } = scheme as OpenAPIV3_1.HttpSecurityScheme;
      assert.deepEqual(kind, { type: 'http', scheme: 'bearer' });
      assert.ok(description);
    }
    for (const { route, operation } of operations) {
      const [method, url = ''] = route.split(' ');
      const answer = await app.inject({ method: method as 'GET', url: url.replaceAll(/:\w+/g, 'x') });
      // A password takes the place of a token.
      const isEither = operation.operationId === 'joinTeam' || operation.operationId === 'acceptInvitation';
      const required = answer.statusCode === 401 ? [{ bearer: [] }] : [];
      assert.deepEqual(operation.security, isEither ? [{}, { bearer: [] }] : required, route);
    }
  });

  test('declares the memory-team header, and idempotency-key where it is supported', () => {
    const [team, key] = ['Memory-Team', 'Idempotency-Key'];
    const headersOf = (id: string) =>
      operations
        .filter((operation) => operation.id === id)
        .flatMap(({ operation }) => (operation.parameters ?? []) as OpenAPIV3_1.ParameterObject[])
        .filter((parameter) => parameter.in === 'header')
        .map(({ name }) => name);
    for (const [headers, ids] of [
      [
        [team, key],
        ['ingestSource', 'importFiles', 'stageCapture', 'completeCaptures'],
      ],
      [[team], ['searchMemory', 'claimCaptures', 'releaseBatch', 'decideMemory']],
      [[], ['verifyAudit', 'getHealth']],
    ] as const) {
      for (const id of ids) assert.deepEqual(headersOf(id), headers, id);
    }
  });
});
