import { chooseEncoding } from '../../pages/accepted-encoding.ts';
import { deeperDocument, type PageFile, readWebFile } from '../../pages/page-files.ts';
import { PAGE_HEADERS } from '../../pages/page-headers.ts';
import type { App } from '../../types.ts';

/** The files of a page, by their paths in web/. */
interface PageFiles {
  /** Addresses of the page, of one or two segments. */
  addresses: readonly string[];
  /** The address below which the assets are served. */
  folder: string;
  html: string;
  assets: readonly string[];
  /** Assets that are no files of web/, by their paths in the folder. */
  made?: ReadonlyMap<string, PageFile>;
}

/**
 * Serves a page of web/ and its assets. Only the listed files are served. The document refers to its assets, and
 * scripts to the service, by relative addresses, so that the page works behind a proxy that adds a prefix.
 */
export function servePage(app: App, { addresses, folder, html, assets, made = new Map() }: PageFiles): void {
  app.register(async (page) => {
    page.addHook('onRequest', async (_request, reply) => {
      reply.headers(PAGE_HEADERS);
    });
    const serve = (url: string, file: PageFile) =>
      page.get(url, { schema: { hide: true } }, async (request, reply) => {
        reply.type(file.type);
        const encoding = chooseEncoding(request, reply);
        const compressed = encoding === null ? null : await file.compressed(encoding);
        if (encoding === null || compressed === null) return reply.send(file.body);
        return reply.header('content-encoding', encoding).send(compressed);
      });
    for (const address of addresses) {
      serve(address, address.lastIndexOf('/') === 0 ? readWebFile(html) : deeperDocument(html, 1));
    }
    for (const asset of assets) serve(`${folder}/${asset}`, readWebFile(asset));
    for (const [name, file] of made) serve(`${folder}/${name}`, file);
  });
}
