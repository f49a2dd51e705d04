import { Type } from 'typebox';
import { type TeamTransaction, transaction } from '../../../db/database.ts';
import { insertAuditEvents } from '../../../db/queries/audit.ts';
import { findImport, insertImport, listImports, type NewImport } from '../../../db/queries/imports.ts';
import { invalidField, ServiceError } from '../../../shared/errors.ts';
import { newId } from '../../../shared/ids.ts';
import { importMediaType } from '../../../shared/media-types.ts';
import { Page, PageQuery } from '../../../shared/schemas/common.ts';
import { IMPORT_STATES, Import, ImportRequest, ImportResponse } from '../../../shared/schemas/memory.ts';
import { narrowToClient, writeLayer } from '../../../shared/scope.ts';
import type { Routes } from '../../app.ts';
import { DOCUMENT_BODY_LIMIT } from '../../body-limits.ts';
import type { Dependencies } from '../../dependencies.ts';
import { IdParams, knownId } from '../../known-id.ts';
import { answerPage } from '../../pagination.ts';
import { assertTeamActive } from '../../plugins/guards.ts';
import { type Answer, answerOnce, readIdempotencyKey } from '../../plugins/idempotency.ts';
import { holdLayer } from '../../take.ts';

type Item = ImportRequest['items'][number];

/** Refuses the whole request for an item of a type that cannot be imported; the form is looked at later. */
function assertMediaTypes(body: unknown): void {
  const items = (body as { items?: unknown } | null | undefined)?.items;
  if (!Array.isArray(items)) return;
  for (const [index, item] of items.entries()) {
    const { filename, mediaType, text } = (item ?? {}) as Record<string, unknown>;
    if (typeof filename !== 'string') continue;
    const declared = typeof mediaType === 'string' ? mediaType : undefined;
    if (importMediaType(filename, declared, typeof text === 'string') === null) {
      throw new ServiceError(
        'unsupported_media_type',
        `/items/${index}: cannot be imported: its type is not known`,
      );
    }
  }
}

const NOT_BASE64 = /[^A-Za-z0-9+/]/;

/** By length and single characters: an expression for the groups of four overflows its stack on a large file. */
function isBase64(text: string): boolean {
  const bare = text.endsWith('==') ? text.slice(0, -2) : text.endsWith('=') ? text.slice(0, -1) : text;
  const padded = bare.length < text.length;
  return (padded ? text.length % 4 === 0 : bare.length % 4 !== 1) && !NOT_BASE64.test(bare);
}

function itemContent(item: Item, index: number): Buffer {
  if ((item.text === undefined) === (item.contentBase64 === undefined)) {
    throw invalidField(`/items/${index}`, 'needs either text or contentBase64');
  }
  if (item.text !== undefined) return Buffer.from(item.text, 'utf8');
  const base64 = (item.contentBase64 ?? '').replaceAll(/\s+/g, '');
  if (!isBase64(base64)) throw invalidField(`/items/${index}/contentBase64`, 'is not base64');
  return Buffer.from(base64, 'base64');
}

function newImport(item: Item, index: number): Omit<NewImport, 'layer'> {
  const mediaType = importMediaType(item.filename, item.mediaType, item.text !== undefined);
  if (mediaType === null) throw new ServiceError('unsupported_media_type');
  return {
    id: newId(),
    filename: item.filename,
    title: item.title ?? item.filename,
    mediaType,
    content: itemContent(item, index),
  };
}

const ImportQuery = Type.Object(
  { ...PageQuery, state: Type.Optional(Type.String()), clientId: Type.Optional(Type.String()) },
  { additionalProperties: false },
);

function readState(state: string | undefined): Import['state'] | null {
  if (state === undefined) return null;
  const known = IMPORT_STATES.find((candidate) => candidate === state);
  if (known === undefined) throw invalidField('/state', `must be one of ${IMPORT_STATES.join(', ')}`);
  return known;
}

/** Inserts the imports with their jobs and audit events: what is acknowledged will be done. */
async function accept(
  tx: TeamTransaction,
  { queue }: Dependencies,
  items: readonly NewImport[],
): Promise<Answer> {
  const { companyId, teamId, userId } = tx.scope;
  const imports: Import[] = [];
  for (const item of items) {
    const inserted = await insertImport(tx, item);
    const payload = { companyId, teamId, userId, clientId: item.layer, importId: item.id };
    await queue.send(tx, 'import.process', payload, { group: teamId });
    imports.push(inserted);
  }
  await insertAuditEvents(
    tx,
    imports.map(({ id, bytes, mediaType, clientId }) => ({
      kind: 'memory.import' as const,
      subjectType: 'import' as const,
      subjectId: id,
      layer: clientId,
      detail: { bytes, mediaType },
    })),
  );
  return { status: 202, body: { imports } };
}

/** /v1/memory/imports: files that the worker reads. Each is accepted with its job, in one transaction. */
export const importRoutes: Routes = (app, deps) => {
  const { database } = deps;
  app.post(
    '/v1/memory/imports',
    {
      bodyLimit: DOCUMENT_BODY_LIMIT,
      schema: {
        summary: 'Import files',
        tags: ['memory'],
        body: ImportRequest,
        response: { 202: ImportResponse },
      },
      preValidation: [async (request) => assertMediaTypes(request.body), readIdempotencyKey],
    },
    async (request, reply) => {
      const { teamScope: scope, body } = request;
      const drafts = body.items.map(newImport);
      const layer = writeLayer(scope, body.scope);
      assertTeamActive(request);
      return answerOnce(request, reply, database, {
        prepare: async () => drafts.map((draft) => ({ ...draft, layer })),
        apply: async (tx, items) => {
          await holdLayer(tx, layer);
          return accept(tx, deps, items);
        },
      });
    },
  );

  app.get(
    '/v1/memory/imports',
    {
      schema: {
        summary: 'Imports, newest first',
        tags: ['memory'],
        querystring: ImportQuery,
        response: { 200: Page(Import) },
      },
    },
    async (request) => {
      const { query } = request;
      const state = readState(query.state);
      // The scope is looked at behind the form of the page.
      return answerPage(query, (part) => {
        const scope = narrowToClient(request.teamScope, query.clientId);
        return transaction(database, scope, (tx) => listImports(tx, part, state));
      });
    },
  );

  app.get(
    '/v1/memory/imports/:id',
    {
      schema: {
        summary: 'One import',
        tags: ['memory'],
        params: IdParams,
        response: { 200: Import },
      },
    },
    async (request) => {
      const id = knownId(request.params.id);
      const found = await transaction(database, request.teamScope, (tx) => findImport(tx, id));
      if (found === null) throw new ServiceError('not_found');
      return found;
    },
  );
};
