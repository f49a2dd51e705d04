import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { recordsNothing } from '../support/company.ts';
import { outcome } from '../support/sign-in.ts';
import { AGENT_ROUTES, AGENTS } from './matrix/agents.ts';
import type { Row } from './matrix/row.ts';
import { CALLERS, type CallerName, expectedOf, SERVICE_TOKEN } from './matrix/table.ts';
import { openAccess } from './matrix/test-access.ts';
import { type Request, titleOf } from './matrix/walk.ts';

/** Refusals of a guard, which come before anything else is said about a request. */
const GUARDS = [
  '401 unauthenticated',
  '401 agent_token_expired',
  '403 permission_required',
  '403 team_forbidden',
  '403 company_role_required',
  '403 full_access_required',
];

/** Routes with bodies of up to 32 MiB: a caller who can write in no layer is refused before the body is read. */
const LARGE = ['POST /v1/memory/ingest', 'POST /v1/memory/imports', 'POST /v1/workspace/push'];

/** Whether it is a guard that gives this answer. */
function isOfGuard({ route, kind }: Row, caller: CallerName, answer: string): boolean {
  if (GUARDS.includes(answer) || kind === SERVICE_TOKEN) return true;
  if (caller in AGENTS && !AGENT_ROUTES.includes(route)) return true;
  return caller === 'reader' && answer === '403 scope_forbidden' && LARGE.includes(route);
}

/** A request with a fault, and the refusal of it to callers who can use the route. */
interface Fault {
  name: string;
  refusal: string;
  /** What is sent in place of a valid request; null if that request cannot have the fault. */
  of: (request: Request) => object | null;
}

const json = (payload: object | undefined) => JSON.stringify(payload ?? {});
const withBody = (change: (request: Request) => object) => (request: Request) =>
  request.payload === undefined ? null : { ...request, ...change(request) };
const withHeaders = (headers: Record<string, string>) =>
  withBody((request) => ({
    payload: json(request.payload),
    headers: { ...request.headers, 'content-type': 'application/json', ...headers },
  }));

/** Before anything in the body is read, in this order. */
const UNREADABLE: Fault[] = [
  {
    name: 'a body over the limit',
    refusal: '413 payload_too_large',
    of: withHeaders({ 'content-length': String(2 ** 40) }),
  },
  {
    name: 'a body of plain text',
    refusal: '415 unsupported_media_type',
    of: withHeaders({ 'content-type': 'text/plain' }),
  },
  {
    name: 'a body that is not JSON',
    refusal: '400 invalid_request',
    of: withBody((request) => ({
      payload: `{${json(request.payload)}`,
      headers: { ...request.headers, 'content-type': 'application/json' },
    })),
  },
];
const UNKNOWN_FIELD: Fault = {
  name: 'an unknown field',
  refusal: '400 invalid_request',
  of: withBody(({ payload }) => ({ payload: { ...payload, unknown: 1 } })),
};

/** Invalid parameters of a list, one of each kind that the OpenAPI document tells apart. */
interface Parameter {
  in: string;
  name: string;
  schema: { type?: string; enum?: unknown; format?: string };
}
const isChecked = ({ in: place, name, schema }: Parameter) =>
  place === 'query' &&
  (name === 'limit' || name === 'cursor' || schema.enum !== undefined || schema.format === 'date-time');

const access = await openAccess('own');
const { walk, rows, world } = access;
const { paths } = (await world.app.inject('/v1/openapi.json')).json<{
  paths: Record<string, Record<string, { parameters?: Parameter[] }>>;
}>();

function faultsOf({ route }: Row): Fault[] {
  const [method = '', path = ''] = route.split(' ');
  const operation = paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
  const parameters = (operation?.parameters ?? []).filter(isChecked).map(({ name }): Fault => {
    const parameter = `${name}=${name === 'limit' ? '0' : 'x'}`;
    const withIt = ({ url }: Request) => {
      const [before = '', query = ''] = url.split('?');
      const others = query.split('&').filter((each) => each !== '' && !each.startsWith(`${name}=`));
      return `${before}?${[...others, parameter].join('&')}`;
    };
    const of = (request: Request) => ({ ...request, url: withIt(request) });
    return { name: `the parameter ${parameter}`, refusal: '400 invalid_request', of };
  });
  return [...UNREADABLE, UNKNOWN_FIELD, ...parameters];
}

/** The refusal of a request of this caller with this fault: that of a guard, or else that of the fault. */
function refusalOf(row: Row, caller: CallerName, fault: Fault): string {
  const answer = expectedOf(row)[caller];
  const { refusalByBody } = row;
  const isLater =
    refusalByBody !== undefined &&
    [refusalByBody.refusal].flat().includes(answer) &&
    (refusalByBody.after === 'checks' || UNREADABLE.includes(fault));
  return isOfGuard(row, caller, answer) && !isLater ? answer : fault.refusal;
}

/** Requires that the requests change nothing in either Company: each change has its event. */
const changesNothing = (requests: () => Promise<void>) =>
  recordsNothing(access, world.places.t, () => recordsNothing(access, world.places.v, requests));

describe('a request with a fault', () => {
  for (const row of rows) {
    // JSON-RPC has refusals of its own.
    if (row.kind === 'open' || row.route === 'POST /v1/mcp') continue;
    test(`is refused by the guards first, and for its fault then: ${titleOf(row)}`, async () => {
      const expected = expectedOf(row);
      // One caller for each answer.
      const callers = CALLERS.filter(
        (name, index) => CALLERS.findIndex((first) => expected[first] === expected[name]) === index,
      );
      const requests = await walk.requestsOf(row, callers);
      const faults = faultsOf(row);
      await changesNothing(async () => {
        for (const { caller, request } of requests) {
          for (const fault of faults) {
            const faulty = fault.of(request);
            if (faulty === null) continue;
            const answer = await world.app.inject(faulty);
            assert.equal(outcome(answer), refusalOf(row, caller, fault), `${fault.name}, sent by ${caller}`);
          }
        }
      });
    });
  }
});
