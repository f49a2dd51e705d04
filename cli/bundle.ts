import { join } from 'node:path';
import { build } from 'esbuild';

/** The terminal client as one JavaScript file. */
export interface Bundle {
  code: Uint8Array;
  /** The names of the packages whose code is in it. */
  packages: Set<string>;
}

/**
 * Puts the terminal client into one JavaScript file, because Node runs no TypeScript below `node_modules`. The file
 * contains cli, what it imports from shared, and what these import from packages.
 */
export async function bundleClient(): Promise<Bundle> {
  const { metafile, outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'main.ts')],
    absWorkingDir: join(import.meta.dirname, '..'),
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    // Readable, so that a user can see what the client does.
    minify: false,
    legalComments: 'inline',
    banner: { js: '#!/usr/bin/env node' },
  });
  const packages = Object.keys(metafile.inputs)
    .map((path) => path.split('node_modules/')[1]?.split('/'))
    .filter((parts) => parts !== undefined)
    .map(([first = '', second = '']) => (first.startsWith('@') ? `${first}/${second}` : first));
  return { code: outputFiles[0]?.contents ?? new Uint8Array(), packages: new Set(packages) };
}
