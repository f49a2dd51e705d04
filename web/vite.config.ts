import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const SERVICE = 'http://127.0.0.1:8787';

/**
 * What the viewer of PDFs asks for by name: encodings of Chinese, Japanese and Korean texts, and decoders of scanned pages,
 * which need no WebAssembly. The folder has the version, because browsers keep the files.
 */
function pdfFiles(): Plugin {
  const folder = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
  return {
    name: 'pdf-files',
    generateBundle() {
      for (const path of globSync(['cmaps/*.bcmap', 'wasm/*_nowasm_fallback.js'], { cwd: folder })) {
        const source = readFileSync(join(folder, path));
        this.emitFile({
          type: 'asset',
          fileName: `assets/pdf-${version.replaceAll('.', '-')}/${basename(path)}`,
          source,
        });
      }
    },
  };
}

/* `npm run build` makes web/dist of this folder; `npm run dev` serves it with hot reload in front of a running service. */
export default defineConfig({
  root: import.meta.dirname,
  // Relative, so that the console works below the prefix of a proxy.
  base: './',
  plugins: [react(), tailwind(), pdfFiles()],
  build: {
    outDir: 'dist',
    target: 'baseline-widely-available',
    // The policy of the pages allows no font in an address.
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      output: {
        // What many pages use is one file and not twenty: each costs a request.
        codeSplitting: {
          groups: [
            { name: 'popups', test: /web.src.ui.popup-parts\./ },
            { name: 'ui', test: /lucide-react|web.src|shared/, minShareCount: 3, priority: 1 },
          ],
        },
      },
    },
  },
  server: {
    proxy: Object.fromEntries(['/v1', '/docs', '/cli.tgz'].map((path) => [path, SERVICE])),
  },
});
