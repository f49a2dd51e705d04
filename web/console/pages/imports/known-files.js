import { askService } from '../../../shared/ask-service.js';
import { readAll } from '../../parts/all.js';
import { withQuery } from '../../parts/ask.js';

/** @typedef {import('../../../../shared/schemas/imports.ts').Import} Import */

/** The pages of the list of imports, and of deleted sources, that are compared with the files to be sent. */
const COMPARED_PAGES = 10;

/**
 * Finds the import of a file that the service has already: with the same name and bytes, in the same layer. The list is
 * read once, when the first file is compared. A list that is longer than what is read finds less: the service then
 * recognizes the file when it reads it.
 * @param {string} token
 * @param {string} team
 */
export function openComparison(token, team) {
  /** @type {import('../../parts/ask.js').Ask} Also after the page was left. */
  const ask = (method, path) => askService(method, `v1/${path}`, { token, team });
  /** @param {string} path */
  const readSome = (path) => readAll(ask, path, COMPARED_PAGES);
  /** @type {Map<string | null, Promise<{ items: Import[] }>>} */
  const imports = new Map();
  /** @type {Promise<{ items: { id: string }[], complete: boolean }> | null} */
  let deleted = null;

  /**
   * @param {{ name: string, target: { clientId: string | null } }} file
   * @param {string} sha256
   * @returns {Promise<Import | null>}
   */
  return async ({ name, target: { clientId } }, sha256) => {
    const reading = imports.get(clientId) ?? readSome(withQuery('memory/imports', { clientId }));
    imports.set(clientId, reading);
    const same = (await reading).items.filter(
      (made) => made.sha256 === sha256 && made.filename === name && made.clientId === clientId,
    );
    const coming = same.find(({ state }) => state === 'queued' || state === 'running');
    if (coming !== undefined) return coming;
    const stored = same.filter(({ state, sourceId }) => state === 'completed' && sourceId !== null);
    if (stored.length === 0) return null;
    deleted ??= readSome('memory/sources?state=archived');
    const { items, complete } = await deleted;
    return (complete && stored.find(({ sourceId }) => !items.some(({ id }) => id === sourceId))) || null;
  };
}
