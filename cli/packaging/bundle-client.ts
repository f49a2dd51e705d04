import { join } from 'node:path';
import { build } from 'esbuild';

/** The terminal client as one JavaScript file. */
export interface Bundle {
  code: Uint8Array;
  /** The names of the packages whose code is in it. */
  packages: Set<string>;
}

const ROOT = join(import.meta.dirname, '../..');

/** The oldest Node on which the client runs. `client.tsconfig.json` lets it use nothing newer. */
export const CLIENT_NODE = '20.19';

const [MAJOR = '', MINOR = ''] = CLIENT_NODE.split('.');

/**
 * The first lines of the file. Older versions of Node must be able to read and run them, so they are written in the
 * JavaScript of 2009.
 */
const FIRST_LINES = `#!/usr/bin/env node
'use strict';
var running = process.versions.node.split('.').map(Number);
if (running[0] < ${MAJOR} || (running[0] === ${MAJOR} && running[1] < ${MINOR})) {
  console.error('memory: Node ${CLIENT_NODE} or later is required, not ' + process.versions.node + ': install it from https://nodejs.org');
  process.exit(1);
}
var FILE_URL = require('url').pathToFileURL(__filename).href;
`;

/**
 * Puts the terminal client into one JavaScript file, because Node runs no TypeScript below `node_modules`. The file
 * contains cli, what it imports from shared, and what these import from packages.
 */
export async function bundleClient(): Promise<Bundle> {
  const { metafile, outputFiles } = await build({
    entryPoints: [join(ROOT, 'cli/main.ts')],
    absWorkingDir: ROOT,
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    // Node reads a whole file before it runs the first line, and loads the imports of a module before that. So that an
    // older Node can say that it is too old, the file is no module, and its syntax is one that Node 12 reads.
    format: 'cjs',
    target: 'es2019',
    // It has no numbers such as 1n: they become BigInt('1').
    logOverride: { bigint: 'silent' },
    define: { 'import.meta.url': 'FILE_URL' },
    // Readable, so that a user can see what the client does.
    minify: false,
    legalComments: 'inline',
    banner: { js: FIRST_LINES },
  });
  const packages = Object.keys(metafile.inputs)
    .map((path) => path.split('node_modules/')[1]?.split('/'))
    .filter((parts) => parts !== undefined)
    .map(([first = '', second = '']) => (first.startsWith('@') ? `${first}/${second}` : first));
  return { code: outputFiles[0]?.contents ?? new Uint8Array(), packages: new Set(packages) };
}
