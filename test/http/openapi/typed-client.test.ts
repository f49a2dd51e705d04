import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { openTestApp } from '../../support/app.ts';
import { execFile } from '../../support/needs/command.ts';
import { ROOT } from '../../support/root.ts';

const service = await openTestApp();
await service.app.listen({ host: '127.0.0.1', port: 0 });
const { port } = service.app.server.address() as AddressInfo;
const folder = await mkdtemp(join(tmpdir(), 'team-memory-client-'));
after(() => rm(folder, { recursive: true }));

/** Runs a program of a package. Returns what it prints to standard output, also if it fails. */
async function runPackage(path: string, args: readonly string[]): Promise<string> {
  const program = join(ROOT, 'node_modules', path);
  const run = promisify(execFile)(process.execPath, [program, ...args], { cwd: folder });
  const { stdout } = await run.catch((error: { stdout: string }) => error);
  return stdout;
}

/** Writes the client of the document that the service of this test serves. */
async function generateClient(): Promise<void> {
  const baseUrl = `http://127.0.0.1:${port}`;
  const output = { target: join(folder, 'client.ts'), client: 'fetch', mode: 'single', baseUrl };
  const config = JSON.stringify({ memory: { input: `${baseUrl}/v1/openapi.json`, output } });
  await writeFile(join(folder, 'orval.config.mjs'), `export default ${config};\n`);
  const printed = await runPackage('orval/dist/bin/orval.mjs', ['--config', 'orval.config.mjs']);
  assert.ok(existsSync(output.target), printed);
}

/** Compiles the folder as strictly as this project. Returns what the compiler prints. */
async function compile(): Promise<string> {
  const config = {
    extends: join(ROOT, 'tsconfig.json'),
    compilerOptions: { typeRoots: [join(ROOT, 'node_modules', '@types')] },
    include: ['*.ts'],
    exclude: [],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  return runPackage('typescript/bin/tsc', ['-p', folder]);
}

test('a client generated from the document compiles, with the script of the guide, and calls the service', async () => {
  await generateClient();
  await copyFile(join(ROOT, 'docs', 'guide', 'script.ts'), join(folder, 'script.ts'));
  await copyFile(join(import.meta.dirname, 'typed-client', 'calls.ts'), join(folder, 'calls.ts'));
  assert.equal(await compile(), '');

  const { callService } = (await import(pathToFileURL(join(folder, 'calls.ts')).href)) as {
    callService: (token: string, teamId: string) => Promise<Record<string, unknown>>;
  };
  const { token, teamId } = await service.company();
  const { sourceId, clientId, captureId, refused, ...answers } = await callService(token, teamId);
  assert.deepEqual(answers, {
    ok: true,
    teams: [`${teamId} full`],
    clients: 1,
    listed: [{ id: sourceId, title: 'Nests' }],
    found: { source: sourceId, client: clientId, texts: ['Herons nest in tall trees.'] },
    claimed: [captureId],
    missing: '404 not_found',
  });
  const { code, requestId } = refused as { code: string; requestId: string };
  assert.equal(code, 'unauthenticated');
  assert.match(requestId, /./);
});
