import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openTestApp } from '../support/app.ts';
import { execFile } from '../support/needs/command.ts';
import { ROOT } from '../support/root.ts';

/*
 * The conformance suite of the protocol. Most of its scenarios call tools, resources and prompts that a server made for
 * the suite has. This server has none of them, so these scenarios cannot pass: they are listed by their prefix.
 */

const SUITE = join(ROOT, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
const LONGEST_MS = 240_000;

/** Scenarios that need what this server does not have. */
const NOT_APPLICABLE = [
  // Test tools with this name.
  'tools-call-',
  'input-required-result-',
  'elicitation-',
  'json-schema-2020-12',
  'http-custom-header-server-validation',
  // Resources, prompts, completions, a log level and tasks.
  'resources-',
  'prompts-',
  'completion-complete',
  'logging-set-level',
  'tasks-',
];

/** Checks of other scenarios that need the same. */
const MISSING_CHECKS = [
  'sep-2575-server-rejects-undeclared-capability',
  'sep-2575-missing-capability-http-400',
  'sep-2575-http-server-no-independent-requests-on-stream',
  'sep-2575-server-no-log-without-loglevel',
  'sep-2549-prompts-list-caching-hints',
  'sep-2549-resources-list-caching-hints',
  'sep-2549-resources-templates-list-caching-hints',
];

/** The scenarios that have to pass, by revision. */
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  '2026-07-28': [
    'server-stateless',
    'tools-list',
    'server-sse-multiple-streams',
    'sep-2164-resource-not-found',
    'dns-rebinding-protection',
    'caching',
    'http-header-validation',
  ],
  '2025-11-25': [
    'server-initialize',
    'ping',
    'tools-list',
    'server-sse-multiple-streams',
    'dns-rebinding-protection',
  ],
};

interface Check {
  id: string;
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  errorMessage?: string;
}

const service = await openTestApp({ MEMORY_API_PUBLIC_URL: 'https://memory.example' });
let proxy: Server;
let folder: string;

/** Passes requests on with a credential: the suite has none. */
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'memory-conformance-'));
  const company = await service.company();
  const base = new URL(await service.app.listen({ host: '127.0.0.1', port: 0 }));
  proxy = createServer((given, answer) => {
    const headers = { ...given.headers, ...company.headers };
    const passed = request(
      { host: base.hostname, port: base.port, method: given.method, path: given.url, headers },
      (received) => {
        answer.writeHead(received.statusCode ?? 500, received.headers);
        received.pipe(answer);
      },
    );
    given.pipe(passed);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
});
after(async () => {
  proxy.closeAllConnections();
  proxy.close();
  await rm(folder, { recursive: true, force: true });
});

/** Runs the scenarios of a revision, and returns their checks by scenario. */
async function runSuite(revision: string): Promise<Map<string, Check[]>> {
  const { port } = proxy.address() as AddressInfo;
  const results = join(folder, revision);
  const args = [
    'server',
    '--url',
    `http://127.0.0.1:${port}/v1/mcp`,
    '--requirements',
    revision,
    '-o',
    results,
  ];
  // It exits with 1, because some scenarios cannot pass.
  await new Promise<void>((resolve) => {
    execFile(process.execPath, [SUITE, ...args], { timeout: LONGEST_MS }, () => resolve());
  });
  return new Map(
    readdirSync(results).map((name) => {
      // A folder is named for its scenario and the time.
      const [, scenario = name] = /^server-(.+?)-\d{4}-\d\d-\d\dT/.exec(name) ?? [];
      return [scenario, JSON.parse(readFileSync(join(results, name, 'checks.json'), 'utf8')) as Check[]];
    }),
  );
}

for (const [revision, required] of Object.entries(REQUIRED)) {
  describe(`the conformance suite for the revision ${revision}`, () => {
    test('passes in every scenario that needs no tools, resources or prompts of the suite', async () => {
      const checks = await runSuite(revision);
      assert.deepEqual(
        required.filter((scenario) => !checks.has(scenario)),
        [],
        'is not run',
      );
      const failed = [...checks].flatMap(([scenario, found]) =>
        found
          .filter(({ id, status }) => status === 'FAILURE' && !MISSING_CHECKS.includes(id))
          // What is sent must be valid in every scenario.
          .filter(
            ({ id }) =>
              id === 'wire-schema-valid' || !NOT_APPLICABLE.some((name) => scenario.startsWith(name)),
          )
          .map(({ id, errorMessage }) => `${scenario}: ${id}: ${errorMessage}`),
      );
      assert.deepEqual(failed, []);
      const passed = [...checks.values()].flat().filter(({ status }) => status === 'SUCCESS');
      assert.ok(passed.length >= 30, `${passed.length} checks passed`);
    });
  });
}
