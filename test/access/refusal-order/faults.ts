import { newId } from '../../../shared/ids.ts';
import type { CallerName, Ids } from './place.ts';

export type Body = Record<string, unknown>;

/** How a request with a fault differs from a valid one. */
interface Change {
  /** Who sends it, in place of an Owner. */
  caller?: CallerName;
  headers?: Record<string, string>;
  query?: (ids: Ids) => string;
  /** Ids in place of those that exist. */
  ids?: (existing: Ids) => Ids;
  /** Fields in place of those of the row; undefined leaves one out. */
  body?: (body: Body, ids: Ids) => Body;
  /** Text in place of the body as JSON. */
  text?: (json: string) => string;
  /** Whether the declared length is one byte over the limit of the route. */
  tooLong?: true;
}

/** One thing that is wrong with a request, and the refusal that it leads to when nothing else is wrong. */
export interface Fault extends Change {
  refusal: string;
  name: string;
}

export const fault = (refusal: string, name: string, change: Change): Fault => ({ refusal, name, ...change });

/** Every route that requires a session. */
export const TOKEN = fault('401 unauthenticated', 'an unknown token', {
  headers: { authorization: 'Bearer of-no-worth' },
});
const TEAM = fault('403 team_forbidden', 'an unknown Team', { headers: { 'memory-team': newId() } });

/** Every route of a Team. */
export const IN_TEAM = [TOKEN, TEAM];

/** A caller who cannot use the route, or not in this way. */
export const sentBy = (caller: CallerName, refusal: string, change: Change = {}) =>
  fault(refusal, caller, { caller, ...change });
export const FULL_ACCESS = [
  sentBy('a member', '403 full_access_required'),
  sentBy('a reader', '403 full_access_required'),
];
export const MANAGES_COMPANY = [sentBy('a member', '403 company_role_required')];
export const OWNS_COMPANY = [...MANAGES_COMPANY, sentBy('a Company Admin', '403 company_role_required')];
/** Callers who can see the record of another author. */
export const NOT_AUTHOR = [sentBy('a member', '403 forbidden'), sentBy('a reader', '403 forbidden')];
/** A reader cannot write to any layer. */
export const READER = sentBy('a reader', '403 scope_forbidden');

/** A body with invalid fields. */
export const invalid = (fields: Body) =>
  fault('400 invalid_request', `the fields ${JSON.stringify(fields).slice(0, 50)}`, {
    body: (body) => ({ ...body, ...fields }),
  });
const SIZE = fault('413 payload_too_large', 'a body over the limit', { tooLong: true });
const TYPE = fault('415 unsupported_media_type', 'a body of plain text', {
  headers: { 'content-type': 'text/plain' },
});
const NOT_JSON = fault('400 invalid_request', 'a body that is not JSON', { text: (json) => `{${json}` });
/** Every route with a body, before anything in the body is read. */
export const UNREADABLE = [SIZE, TYPE, NOT_JSON];
/** Every route with a body. */
export const BODY = [...UNREADABLE, invalid({ unknown: 1 })];

/** Changes the first entry of a list in the body. */
export const first = (list: string, fields: object) => (body: Body) => {
  const [entry, ...rest] = body[list] as object[];
  return { ...body, [list]: [{ ...entry, ...fields }, ...rest] };
};
/** Adds an entry to a list in the body. */
export const added = (list: string, entry: (ids: Ids) => unknown) => (body: Body, ids: Ids) => ({
  ...body,
  [list]: [...(body[list] as unknown[]), entry(ids)],
});
/** A first entry with invalid fields. */
export const invalidFirst = (list: string, fields: object) =>
  fault('400 invalid_request', `in ${list} ${JSON.stringify(fields)}`, { body: first(list, fields) });
/** A type of file that cannot be imported. */
export const UNSUPPORTED = [
  first('items', { filename: 'a.exe' }),
  added('items', () => ({ filename: 'a.exe' })),
].map((body) => fault('415 unsupported_media_type', 'an unsupported file', { body }));

/** Invalid parameters of a list, each as a fault of its own. */
export const parameters = (...all: string[]) =>
  all.map((parameter) => fault('400 invalid_request', parameter, { query: () => parameter }));

/** A scope that names a client which the caller cannot reach, whether or not it exists. */
export const scopes = (change: (clientId: (ids: Ids) => string) => Change): Fault[] => [
  sentBy(
    'a member',
    '403 scope_forbidden',
    change((ids) => ids['client']!),
  ),
  fault(
    '403 scope_forbidden',
    'an unknown client',
    change(() => newId()),
  ),
];
/** The same in a body. */
export const SCOPE = scopes((clientId) => ({
  body: (body, ids) => ({ ...body, scope: { clientId: clientId(ids) } }),
}));
/** Faults of a change of a source, before its id is looked up. */
export const SOURCE_CHANGE = [
  invalid({ title: '' }),
  invalid({ tags: ['ß'.repeat(50)] }),
  // The layer to move it to.
  ...scopes((clientId) => ({ body: (body, ids) => ({ ...body, clientId: clientId(ids) }) })),
];
/** A scope in the query of a list. */
export const LIST_SCOPE = scopes((clientId) => ({ query: (ids) => `clientId=${clientId(ids)}` }));

/** Ids of records that do not exist. */
export const missing = (...names: string[]) =>
  names.flatMap((name) =>
    [newId(), 'nonsense'].map((id) =>
      fault('404 not_found', `${name} ${id}`, { ids: () => ({ [name]: id }) }),
    ),
  );
/** A record in place of the one that the request is valid for. */
export const instead = (refusal: string, name: string, by: string) =>
  fault(refusal, by, { ids: (ids) => ({ [name]: ids[by]! }) });

/** Every change in a Team that is archived, unless it only takes something away. */
export const ARCHIVED = fault('409 team_archived', 'an archived Team', {});
