import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';
import { build } from 'vite';

const compress = promisify(brotliCompress);

/** Fonts are compressed already. */
const COMPRESSED = /\.(?:m?js|css)$/;

/**
 * Builds the console. Its scripts and styles lie beside their best compression, which takes too long for a request.
 * @param outDir where its document and its assets are put; what was there before is removed
 */
export async function buildConsole(outDir = join(import.meta.dirname, 'dist')): Promise<void> {
  await build({
    configFile: join(import.meta.dirname, 'vite.config.ts'),
    logLevel: 'warn',
    build: { outDir, emptyOutDir: true },
  });
  const assets = join(outDir, 'assets');
  const names = (await readdir(assets)).filter((name) => COMPRESSED.test(name));
  await Promise.all(
    names.map(async (name) => {
      const file = join(assets, name);
      await writeFile(`${file}.br`, await compress(await readFile(file)));
    }),
  );
}
