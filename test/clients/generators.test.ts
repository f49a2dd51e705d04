import assert from 'node:assert/strict';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after } from 'node:test';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { folderOf } from './frame/programs.ts';
import { testsOf } from './frame/results.ts';
import { openRoom } from './frame/room.ts';
import { listen } from './frame/service.ts';
import { GENERATORS } from './generators/generators.ts';
import '../support/needs/process.ts';

const at = await listen();
const folders: string[] = [];
after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

/** As strict as the compiler can be about the use of a type. */
const TSCONFIG = {
  compilerOptions: {
    module: 'esnext',
    moduleResolution: 'bundler',
    target: 'es2023',
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: [],
    strict: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    skipLibCheck: true,
  },
  include: ['calls.ts'],
};

for (const { name, program, calls, command } of GENERATORS) {
  const define = testsOf('Generators of code', name, program);
  let folder: string;

  define('compiles strictly', 'generates a client that compiles strictly', async () => {
    const room = await openRoom(program);
    // Below the packages of the program, which its programs import.
    folder = await mkdtemp(join(folderOf(program), 'client-'));
    folders.push(folder);
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG));
    await copyFile(join(import.meta.dirname, 'generators', 'calls', calls), join(folder, 'calls.ts'));
    const document = await fetch(`${at.url}/v1/openapi.json`);
    await writeFile(join(folder, 'openapi.json'), await document.text());
    const { code, output } = await room.run(`cd "$FOLDER" && ${command} && tsc -p .`, {
      FOLDER: folder,
      DOCUMENT: join(folder, 'openapi.json'),
      URL: at.url,
    });
    assert.equal(code, 0, output);
  });

  define('routes called', 'calls ten routes', async () => {
    const outfile = join(folder, 'calls.mjs');
    await build({ entryPoints: [join(folder, 'calls.ts')], outfile, bundle: true, format: 'esm' });
    const { callService } = (await import(pathToFileURL(outfile).href)) as {
      callService: (baseUrl: string, token: string, teamId: string) => Promise<object>;
    };
    const { token, teamId } = await at.service.company();
    assert.deepEqual(await callService(at.url, token, teamId), {
      ok: true,
      teams: [teamId],
      team: teamId,
      titles: ['Nests'],
      texts: ['Herons nest in tall trees.'],
      archived: 204,
      missing: 'not_found',
      refused: 'unauthenticated',
    });
    return '10';
  });
}
