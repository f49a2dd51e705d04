import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OpenAPIV3_1 } from 'openapi-types';
import { newCaller, operatorAt } from '../access/matrix/callers.ts';
import { Canaries } from '../access/matrix/canaries.ts';
import type { Row } from '../access/matrix/row.ts';
import { ALL_ROWS } from '../access/matrix/rows/all.ts';
import { CALLERS, expectedOf, SERVICE_TOKEN } from '../access/matrix/table.ts';
import { PASSWORD, Targets } from '../access/matrix/targets.ts';
import { type Request, requestOf } from '../access/matrix/walk.ts';
import { MAIL_ON, openTestApp } from '../support/app.ts';
import { companyRows } from '../support/company-rows.ts';
import { outcome } from '../support/sign-in.ts';
import { readTable } from '../support/tables.ts';
import { faultyFields } from '../support/team.ts';
import {
  boundsOf,
  type Field,
  fieldsOf,
  pathOf,
  put,
  valueAt,
  valuesInside,
  valuesOutside,
} from './limits/fields.ts';

/*
 * Generated from the OpenAPI document: each field of each body and query is sent with values just outside of its schema, which
 * must be refused with its name and change nothing, and with values just inside, which must not be refused for it. The rest of
 * the request is that of a row of the access matrix.
 */

const service = await openTestApp(MAIL_ON);
const { app } = service;
const document = (await app.inject('/v1/openapi.json')).json<OpenAPIV3_1.Document>();

/** Operations that are left out, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  sendMcpMessage: 'JSON-RPC has refusals of its own',
};

/** Lists that ignore parameters that they do not know. The others refuse them. */
const IGNORING = (
  'listCompanies listTeams listCompanyMembers listInvitations listAccessRequests listCompanyGrants listCompanyTokens listCompanyAudit ' +
  'verifyAudit listSessions listTokens listTeamTokens listTeamMembers listInvites listClients listClientGrants ' +
  'listTeamAudit listBatches listMemoryVersions findPeople'
).split(' ');

/** What is refused before the schema, and how. */
const REFUSED_BEFORE = { 'importFiles /items/0/mediaType': '415 unsupported_media_type' };

/** What a value is refused for that its schema allows: rules between fields, and what a schema cannot say. */
const FURTHER_RULES = [
  '"𝒳" must begin with team/ or clients/<clientId>/ and name a file there',
  'cannot be combined with text',
  'cannot be combined with topK',
  'is allowed only with email',
  'is allowed only with move',
  'is allowed only with publish',
  'is allowed only with publish and update',
  'is allowed only with restore',
  'is allowed only with update',
  'is allowed only with update and renew',
  'is listed twice',
  'is not a cursor of this list',
  'is not an email address',
  'is not the SHA-256 of the content in hexadecimal',
  'is not the base64 of float32 numbers',
  'is not the name of this Company',
  'is only possible with text',
  'is the path of /files/0 too',
  'is the same as /ids/0',
  'must be a number, a colon and 64 hexadecimal digits in small letters',
  'must be active or archived',
  'must be admin or member with email',
  'must be an absolute http or https address without query and fragment',
  'must be one of queued, running, completed, failed, cancelled',
  'names a capture that is not in the batch',
  'requires the header Memory-Console: 1',
];

/** The limits of all fields: what the schemas say is compared with this, and the answers with the schemas. */
const BOUNDS = readTable(`
  limits                        | fields
  1–300 characters, visible     | name teamName
  1–300 characters, not blank   | email externalId filename ownerEmail q sessionId title
  1–300 characters              | token
  2–300 characters              | q
  –300 characters               | companyId embeddingModel mediaType q
  1–50 characters, not blank    | add/0 remove/0 tag tags/0
  1–256 characters              | currentPassword password
  12–256 characters             | newPassword password
  –1000 characters              | reason
  –2000 characters              | kinds
  1–1000 characters, not blank  | note
  –2048 characters              | baseUrl
  1–2048 characters, not blank  | uri
  1–4000 characters, not blank  | query
  1–8000 characters, not blank  | text
  1–64000 characters, not blank | content summary
  1– characters, not blank      | text
  1–2 entries                   | include
  1– entries                    | kinds permissions
  –20 entries                   | add remove tags
  1–20 entries                  | captureIds tags
  –40 entries                   | items
  1–50 entries                  | items
  1–100 entries                 | decisions
  –200 entries                  | grants
  1–200 entries                 | files ids sourceIds
  0–256 entries                 | embeddings
  1–500 entries                 | ids
  –1000 entries                 | clientIds
  1–2000 entries                | chunks
  1–20                          | limit
  1–200                         | limit
  1–256                         | limit
  1–2000                        | limit
  30–3600                       | leaseSeconds
  60–86400                      | ttlSeconds
  0–72                          | overlapHours
  1–720                         | expiresInHours
  1–366                         | days expiresInDays
  0–2                           | neighbours
  0–10                          | after before
  1–50                          | topK
  -1–1                          | minSimilarity
  1–200000                      | maxCharacters
  0–                            | since
  1–                            | baseVersion version
  0–2147483647                  | baseVersion
  1–2147483647                  | version
  0–9007199254740991            | bytes chunks sequence
`);

interface Operation {
  name: string;
  rows: Row[];
  fields: Field[];
}

const operations: Operation[] = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
  Object.entries(methods as Record<string, OpenAPIV3_1.OperationObject>).map(([method, operation]) => {
    const route = `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`;
    return {
      name: operation.operationId ?? '',
      rows: ALL_ROWS.filter((row) => row.route === route),
      fields: fieldsOf(document, method, operation),
    };
  }),
);

/** Makes the request of a row, with new records each time, in a Company of its own and by someone for whom it succeeds. */
async function requesterOf(row: Row) {
  const targets = new Targets(service, new Canaries(), await service.passwords.hash(PASSWORD));
  const company = await service.company();
  const team = { ...company, key: 't', clientA: '', clientB: '', archivedClient: '' } as const;
  const clients = { clientA: await targets.client(team), clientB: await targets.client(team) };
  const at = { ...team, ...clients, archivedClient: await targets.client(team, 'archived') };
  const names = (['Owner', 'Admin', ...CALLERS] as const).filter(
    (name) => expectedOf(row)[name] === String(row.ok),
  );
  const make = async () => {
    const caller =
      row.kind === SERVICE_TOKEN
        ? operatorAt(at)
        : await newCaller({ app, targets, emails: 'own' }, names[0]!, { t: at });
    const cell = { caller, at, foreign: false, targets, canaries: targets.canaries };
    return requestOf(row, (await row.values?.(cell)) ?? {}, cell);
  };
  return { company, make };
}

/** Sends a request with a value in the place of one of its fields; undefined removes it. */
async function sendWith(request: Request, fields: Field[], { place, keys }: Field, value: unknown) {
  const [path = '', query = ''] = request.url.split('?');
  const whole = fields.find((field) => field.place === place && field.keys.length === 0)!;
  if (place === 'body') {
    const payload = JSON.stringify(put(request.payload, whole.schema, keys, value));
    return app.inject({
      ...request,
      headers: { ...request.headers, 'content-type': 'application/json' },
      payload,
    });
  }
  const parameters = new URLSearchParams(query);
  parameters.delete(keys[0]!);
  for (const each of [value].flat()) if (each !== undefined) parameters.append(keys[0]!, `${each as string}`);
  return app.inject({ ...request, url: `${path}?${parameters.toString()}` });
}

/** The fields that a 400 names, each with why. */
const refusedFields = (answer: { json<T>(): T }) =>
  answer.json<{ errors?: { path: string; message: string }[] }>().errors ?? [];

/** The value that a request has in a field. */
const givenIn = ({ payload }: Request, { place, keys }: Field) =>
  place === 'body' ? valueAt(payload, keys) : undefined;

interface Fault {
  keys: readonly string[];
  value: unknown;
}

/** What a parameter cannot be: each is a text, or several if it is given twice. */
function parametersOutside({ keys, schema }: Field): unknown[] {
  const values = valuesOutside(schema);
  if (keys[0] === 'cursor') return ['', 'nonsense', ['1', '1']];
  return schema.type === 'integer'
    ? [...values.filter((value) => typeof value !== 'object'), '', ' 1', '1e1', ['1', '1']]
    : [...values.filter((value) => typeof value === 'string'), ['1', '1']];
}

/** Values outside of a field, with the field that a refusal of each names. */
function faultsOf(field: Field, request: Request, ignoresUnknown: boolean): Fault[] {
  const { place, keys, schema, required } = field;
  const isQuery = place === 'query';
  const values = isQuery ? parametersOutside(field) : valuesOutside(schema, givenIn(request, field));
  // Metadata has names of its own. The schema of a body is to be closed, whatever it says.
  const isClosed = schema.properties !== undefined && !(isQuery && ignoresUnknown);
  return [
    ...(isQuery && keys.length === 0 ? [] : values).map((value) => ({ keys, value })),
    ...(required ? [{ keys, value: undefined }] : []),
    ...(isClosed ? [{ keys: [...keys, 'unknown'], value: 1 }] : []),
  ];
}

/** Why values that its schema allows are refused for a field. */
const foundRules = new Set<string>();

for (const { name, rows, fields } of operations) {
  if (fields.length === 0 || name in LEFT_OUT) continue;
  test(`${name} refuses values outside of the schema of each field, and no others for it`, async () => {
    const { company, make } = await requesterOf(rows[0]!);
    const request = await make();
    const before = await companyRows(service, company);
    for (const field of fields) {
      for (const { keys, value } of faultsOf(field, request, IGNORING.includes(name))) {
        const answer = await sendWith(request, fields, { ...field, keys }, value);
        const about = `${name} ${pathOf(keys)}`;
        const sent = `${about}: ${JSON.stringify(value)?.slice(0, 60)}`;
        const got = `${outcome(answer)} ${faultyFields(answer).join(' ')}`.trim();
        const isEarlier = about in REFUSED_BEFORE && got.startsWith('415');
        const refusal = `400 invalid_request ${pathOf(keys)}`;
        assert.equal(got, isEarlier ? REFUSED_BEFORE[about as keyof typeof REFUSED_BEFORE] : refusal, sent);
      }
    }
    assert.deepEqual(await companyRows(service, company), before);

    for (const field of fields) {
      for (const value of field.keys.length === 0
        ? []
        : valuesInside(field.schema, givenIn(request, field))) {
        const answer = await sendWith(await make(), fields, field, value);
        const sent = `${pathOf(field.keys)}: ${JSON.stringify(value).slice(0, 60)}`;
        assert.ok(answer.statusCode < 500 && answer.statusCode !== 413, `${sent}: ${answer.body}`);
        for (const { path, message } of answer.statusCode === 400 ? refusedFields(answer) : []) {
          if (`${path}/`.startsWith(`${pathOf(field.keys)}/`)) foundRules.add(message);
        }
      }
    }
  });
}

test('values inside of the schema of a field are refused for these rules only', () => {
  assert.deepEqual([...foundRules].sort(), FURTHER_RULES.toSorted());
});

test('the limits of all fields are these', () => {
  const named = (keys: readonly string[]) => (keys.at(-1) === '0' ? keys.slice(-2).join('/') : keys.at(-1)!);
  const limited = operations
    .filter(({ name }) => !(name in LEFT_OUT))
    .flatMap(({ fields }) => fields.map((field) => ({ limits: boundsOf(field), field: named(field.keys) })))
    .filter(({ limits }) => limits !== '');
  const byLimits = Map.groupBy(limited, ({ limits }) => limits);
  const found = [...byLimits].map(([limits, of]) => ({
    limits,
    fields: [...new Set(of.map(({ field }) => field))].sort().join(' '),
  }));
  const sorted = (table: readonly object[]) => table.map((row) => JSON.stringify(row)).sort();
  assert.deepEqual(sorted(found), sorted(BOUNDS));
});

test('every exception is one of an operation that there is', () => {
  const names = new Set(operations.map(({ name }) => name));
  const named = [...Object.keys(LEFT_OUT), ...IGNORING, ...Object.keys(REFUSED_BEFORE)];
  assert.deepEqual(
    named.filter((name) => !names.has(name.split(' ')[0]!)),
    [],
  );
});
