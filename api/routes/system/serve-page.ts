import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { App } from '../../types.ts';

const folder = fileURLToPath(new URL('../../../web/', import.meta.url));

/**
 * A page loads only scripts and styles of this service, and sends requests only to this service. Only its script sends
 * forms: a form that the browser sends could put a password into an address.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  // For the empty icon. Without an icon, browsers request /favicon.ico.
  'img-src data:',
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  // Text cannot become HTML or code: a browser that supports this directive refuses innerHTML and similar calls.
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const HEADERS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
};

/** The files of a page, by their paths in web/. */
interface PageFiles {
  html: string;
  assets: readonly string[];
  /** Generated scripts: their text by path. */
  modules?: Readonly<Record<string, string>>;
}

/**
 * Serves a page of web/ at `path`, and its assets below `path`. Only the listed files are served. Addresses within a
 * page are relative, so that it works behind a proxy that adds a prefix.
 */
export function servePage(app: App, path: string, { html, assets, modules = {} }: PageFiles): void {
  app.register(async (page) => {
    await page.register(fastifyStatic, {
      root: folder,
      serve: false,
      cacheControl: false,
      etag: false,
      lastModified: false,
      acceptRanges: false,
    });
    page.addHook('onRequest', async (_request, reply) => {
      reply.headers(HEADERS);
    });
    const serve = (url: string, file: string) =>
      page.get(url, { schema: { hide: true } }, (_request, reply) => reply.sendFile(file));
    serve(path, html);
    for (const asset of assets) serve(`${path}/${asset}`, asset);
    for (const [name, text] of Object.entries(modules)) {
      page.get(`${path}/${name}`, { schema: { hide: true } }, (_request, reply) =>
        reply.type('text/javascript; charset=utf-8').send(text),
      );
    }
  });
}
