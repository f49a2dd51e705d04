import { Type } from 'typebox';
import {
  cursorOf,
  type ManifestCursor,
  readManifestCursor,
  readSince,
} from '../../../core/workspace/manifest-cursor.ts';
import { type TeamTransaction, transaction } from '../../../db/driver/database.ts';
import { findRevision, listManifest } from '../../../db/queries/workspace/manifest.ts';
import { layerPrefix } from '../../../shared/formats/workspace-path.ts';
import { PageQuery } from '../../../shared/schemas/common.ts';
import { Manifest } from '../../../shared/schemas/workspace.ts';
import { narrowToClient, type TeamScope } from '../../../shared/scope.ts';
import { readLimit } from '../../request/pagination.ts';
import type { Routes } from '../../types.ts';

const ManifestQuery = Type.Object(
  {
    since: Type.Optional(
      Type.String({
        description: 'revision of an earlier manifest: only what changed after it, with deletions',
      }),
    ),
    clientId: Type.Optional(Type.String({ description: 'only this client' })),
    ...PageQuery,
  },
  { additionalProperties: false },
);

/** The prefixes that the scope reads, in an order of their own. */
function scopesOf({ reads }: TeamScope): string[] {
  const clients = [...reads.clients].sort().map((id) => layerPrefix(id));
  return reads.team ? [layerPrefix(null), ...clients] : clients;
}

/** One page, of the revision that is current or, with a cursor, was when the first page was read. */
async function readPage(
  tx: TeamTransaction,
  since: number | null,
  cursor: ManifestCursor | null,
  limit: number,
): Promise<Manifest> {
  const at = cursor?.at ?? (await findRevision(tx));
  const found = await listManifest(tx, { since, at, after: cursor?.after ?? null, limit: limit + 1 });
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  return {
    revision: at,
    scopes: scopesOf(tx.scope),
    items: shown.map(({ item }) => item),
    nextCursor: found.length > limit && last ? cursorOf({ at, after: last.place }) : null,
  };
}

/** GET /v1/workspace/manifest: which files there are, in which versions, and what became of others. */
export const manifestRoute: Routes = (app, { database }) => {
  app.get(
    '/v1/workspace/manifest',
    {
      schema: {
        summary: 'The files within reach or, since a revision, what changed; the latest change first',
        tags: ['workspace'],
        querystring: ManifestQuery,
        response: { 200: Manifest },
      },
    },
    async ({ query, teamScope }) => {
      const limit = readLimit(query.limit);
      const since = readSince(query.since);
      const cursor = readManifestCursor(query.cursor);
      // The scope is looked at behind the form of the page.
      const scope = narrowToClient(teamScope, query.clientId);
      return transaction(database, scope, (tx) => readPage(tx, since, cursor, limit));
    },
  );
};
