import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ERRORS } from '../../shared/errors.ts';
import { openTestApp } from '../support/app.ts';

const { app } = await openTestApp();

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
interface Schema {
  type?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: boolean;
  items?: Schema;
  enum?: string[];
}
interface Operation {
  summary?: string;
  parameters?: { name: string; in: string; required: boolean; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { description: string; content?: Record<string, { schema: Schema }> }>;
  security?: Record<string, string[]>[];
}
interface OpenApi {
  openapi: string;
  info: { title: string; version: string; description: string };
  paths: Record<string, Record<string, Operation>>;
  components: { securitySchemes: Record<string, object>; schemas: Record<string, Schema> };
}

/** A copy of a part of a document with the target in place of each reference. */
function resolveReferences(value: Json, root: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((part) => resolveReferences(part, root));
  if (typeof value['$ref'] === 'string') return resolveReferences(referenced(value['$ref'], root), root);
  const parts = Object.entries(value).map(([key, part]) => [key, resolveReferences(part, root)]);
  return Object.fromEntries(parts) as Json;
}

/** What a reference names; null if it names nothing. */
function referenced($ref: string, root: Json): Json {
  const keys = $ref.replace('#/', '').split('/');
  return keys.reduce<Json>((at, key) => (at as Record<string, Json>)[key] ?? null, root);
}

const written = (await app.inject('/docs/json')).json<Json>();
const document = resolveReferences(written, written) as unknown as OpenApi;
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, path, operation })),
);

/** The routes that the app has, as `get /path/{id}`: read from the tree that it prints. */
function registeredRoutes(): string[] {
  const path: { depth: number; text: string }[] = [];
  return app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const found = /^([│ ]*)[├└]── (\S+)(?: \((.+)\))?$/.exec(line);
      if (found === null) return [];
      const [, indent = '', text = '', methods = ''] = found;
      while ((path.at(-1)?.depth ?? -1) >= indent.length) path.pop();
      path.push({ depth: indent.length, text });
      const url = path
        .map((part) => part.text)
        .join('')
        .replaceAll(/:(\w+)/g, '{$1}');
      const taken = methods.split(', ').filter((method) => method !== '' && method !== 'HEAD');
      return taken.map((method) => `${method.toLowerCase()} ${url}`);
    });
}

describe('the OpenAPI document', () => {
  test('the document is served as JSON with version 3.1, a title and a version', async () => {
    const answer = await app.inject('/docs/json');
    assert.match(String(answer.headers['content-type']), /^application\/json/);
    assert.match(document.openapi, /^3\.1\.\d+$/);
    assert.ok(document.info.title && document.info.version);
  });

  test('serves the same document at /v1/openapi.json, without a token', async () => {
    const answer = await app.inject('/v1/openapi.json');
    assert.equal(answer.statusCode, 200);
    assert.match(String(answer.headers['content-type']), /^application\/json/);
    assert.deepEqual(answer.json<Json>(), written);
  });

  test('the document lists exactly the routes under /v1', () => {
    const routes = registeredRoutes().filter((route) => route.includes(' /v1/'));
    const listed = operations.map(({ name }) => name).filter((name) => name.includes(' /v1/'));
    assert.deepEqual(listed.sort(), routes.sort());
  });

  test('declares a problem as the default response of every route, and lists all error codes', () => {
    for (const { name, operation } of operations.filter(({ path }) => path.startsWith('/v1/'))) {
      assert.deepEqual(
        Object.keys(operation.responses['default']?.content ?? {}),
        ['application/problem+json'],
        name,
      );
    }
    const codes = document.components.schemas['Problem']?.properties?.['code']?.enum;
    assert.deepEqual(codes, Object.keys(ERRORS));
    for (const [code, { status, title }] of Object.entries(ERRORS)) {
      assert.ok(document.info.description.includes(`| \`${code}\` | ${status} | ${title} |`), code);
    }
  });

  test('describes the conflicts in the 409 response of a push', () => {
    const push = operations.find(({ name }) => name === 'post /v1/workspace/push');
    const content = push?.operation.responses['409']?.content?.['application/problem+json'];
    assert.match(JSON.stringify(referenced('#/components/schemas/PushConflict', written)), /Problem/);
    assert.match(
      JSON.stringify(content),
      /"conflicts":\{.*"path".*"currentVersion".*"currentSha256".*"blockedBy"/,
    );
  });

  test('requires a bearer token for exactly the routes that return 401 without one', async () => {
    const { bearer, metrics, ...others } = document.components.securitySchemes;
    assert.deepEqual(others, {});
    for (const scheme of [bearer, metrics]) {
      const { description, ...kind } = scheme as { description: string };
      assert.deepEqual(kind, { type: 'http', scheme: 'bearer' });
      assert.ok(description);
    }
    for (const { name, path, operation } of operations.filter((found) => found.path.startsWith('/v1/'))) {
      const [method = ''] = name.split(' ');
      const url = path.replaceAll(/\{\w+\}/g, 'x');
      const answer = await app.inject({ method: method.toUpperCase() as 'GET', url });
      const asks = answer.statusCode === 401;
      assert.deepEqual(operation.security, asks ? [{ bearer: [] }] : [], name);
    }
  });

  test('declares the memory-team header, and idempotency-key where it is supported', () => {
    const headersOf = (name: string) =>
      (operations.find((operation) => operation.name === name)?.operation.parameters ?? [])
        .filter((parameter) => parameter.in === 'header')
        .map((parameter) => parameter.name.toLowerCase());
    assert.deepEqual(headersOf('post /v1/memory/search'), ['memory-team']);
    for (const route of ['ingest', 'imports', 'captures', 'consolidation/complete']) {
      assert.deepEqual(headersOf(`post /v1/memory/${route}`), ['memory-team', 'idempotency-key'], route);
    }
    for (const route of [
      'post /v1/memory/consolidation/claim',
      'post /v1/memory/consolidation/release',
      'post /v1/memory/memories',
    ]) {
      assert.deepEqual(headersOf(route), ['memory-team'], route);
    }
    assert.deepEqual(headersOf('get /v1/company/audit/verify'), []);
    assert.deepEqual(headersOf('get /v1/health'), []);
  });
});
