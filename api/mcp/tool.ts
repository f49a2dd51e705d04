import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox';
import { assertNoClientNamed, findClientId } from '../../core/clients/queries.ts';
import type { Dependencies } from '../../core/dependencies.ts';
import type { QueryEmbedder } from '../../core/search/query-vector.ts';
import { type Identity, type TeamMembership, teamAccess } from '../../shared/access.ts';
import { invalidField, ServiceError } from '../../shared/errors.ts';
import { hasPermission, type RoutePermission, requirePermission } from '../../shared/permissions.ts';
import { Body, Text } from '../../shared/schemas/common.ts';
import {
  type LayerId,
  type RequestedScope,
  requireRight,
  type TeamScope,
  writeLayer,
} from '../../shared/scope.ts';

/**
 * The keywords that programs refuse or cannot use: servers on llama.cpp compile the schemas to a grammar, in which a pattern
 * must be anchored (their users then see a failure of every request, not only of calls).
 */
const UNPRINTED: ReadonlySet<string> = new Set(['pattern', 'patternProperties']);
/** Lengths and counts, which a grammar repeats. */
const COUNTS: ReadonlySet<string> = new Set([
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
]);
/** The most repetitions that llama.cpp compiles. */
const MAX_PRINTED_COUNT = 2_000;

/**
 * A schema as programs see it: without the keywords that some of them refuse. A length that is left out is in the
 * description, so that a model knows it. Calls are checked with the whole schema.
 */
function toPrintedSchema<T extends TSchema>(schema: T): T {
  return printed(schema) as T;
}

function printed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(printed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { description, ...keywords } = schema as Record<string, unknown>;
  const kept: Record<string, unknown> = {};
  const limits: string[] = typeof description === 'string' ? [description] : [];
  for (const [keyword, value] of Object.entries(keywords)) {
    if (keyword === 'properties') kept[keyword] = printedProperties(value as Record<string, unknown>);
    else if (COUNTS.has(keyword) && Number(value) > MAX_PRINTED_COUNT) {
      if (keyword === 'maxLength') limits.push(`at most ${Number(value).toLocaleString('en')} characters`);
    } else if (!UNPRINTED.has(keyword)) kept[keyword] = printed(value);
  }
  return limits.length === 0 ? kept : { ...kept, description: limits.join('; ') };
}

/** The schemas of fields. The name of a field is no keyword. */
function printedProperties(properties: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, printed(field)]));
}

/**
 * The most tokens of the text of an answer, as `countTokens` estimates them. Programs refuse an answer of more than 25,000
 * tokens, as their own model counts.
 */
export const MAX_ANSWER_TOKENS = 10_000;

/** One call of a tool, by a caller who is signed in. */
export interface CallerCall {
  deps: Dependencies & { embedder: QueryEmbedder };
  identity: Identity;
  /** What the addresses of pages begin with. */
  linkBase: string;
  /** What the addresses of routes begin with. */
  apiBase: string;
  /** Is aborted when the caller disconnects. */
  signal: AbortSignal;
}

/** One call of a tool, for a Team that the caller has access to. */
export interface TeamCall extends CallerCall {
  team: TeamMembership;
  scope: TeamScope;
  /** Rechecks the rights of the caller if the call has taken long, and returns the current scope. */
  recheckScope: () => Promise<TeamScope>;
}

/** Which Team a call is for. */
export interface TeamSelection {
  /** The Team that the call or the request names, or the only Team of the caller; null without one. */
  selected: TeamCall | null;
}

/** What a program shows of a tool, and what tells it whether to ask a person before a call. */
interface ToolAnnotations {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: false;
}

interface ToolFields {
  name: string;
  title: string;
  description: string;
  /** What an agent token needs for it. */
  permission: RoutePermission;
  /** What the caller needs in the Team besides: to write in a layer, or Full access. */
  needs?: 'write' | 'full';
  annotations: ToolAnnotations;
  /** Of an answer, if not `MAX_ANSWER_TOKENS`. */
  maxTokens?: number;
}

/** What programs see of a tool. */
export interface ListedTool extends Pick<ToolFields, 'name' | 'title' | 'description' | 'annotations'> {
  inputSchema: TObject;
  outputSchema: TObject;
}

/** A tool of the MCP endpoint. */
export interface Tool extends ToolFields {
  input: TObject;
  output: TObject;
  /** The tool as the protocol lists it. */
  listed: ListedTool;
  maxTokens: number;
  /** Whether a call needs a Team. */
  needsTeam: boolean;
  /** @param args as `input` defines them */
  run: (call: CallerCall & TeamSelection, args: Record<string, unknown>) => Promise<object>;
}

const TeamArgument = Type.Optional(
  Text(300, 'id or name of the Team. Without it, the Team of the connection, or your only Team'),
);
/** The argument that names a client. */
export const ClientArgument = (description: string) => Type.Optional(Text(300, description));

/** Hints of tools that only read. */
export const READS = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const satisfies ToolAnnotations;

/** Hints of tools that add something once: a repeated call changes nothing. */
export const ADDS_ONCE = { ...READS, readOnlyHint: false } as const satisfies ToolAnnotations;

/** Defines a tool that works in one Team. Its arguments are those of `input`, and `team`. */
export function teamTool<I extends TProperties, O extends TProperties>(
  fields: ToolFields & {
    input: I;
    output: O;
    run: (call: TeamCall, args: Static<TObject<I>>) => Promise<Static<TObject<O>>>;
  },
): Tool {
  const { run } = fields;
  return {
    ...toolOf(fields),
    needsTeam: true,
    run: async ({ selected }, args) => {
      if (selected === null) throw new Error('a tool of a Team was called without one');
      return run(selected, args as Static<TObject<I>>);
    },
  };
}

/** Defines a tool that can also be called by someone who has not chosen one of several Teams. */
export function callerTool<I extends TProperties, O extends TProperties>(
  fields: ToolFields & {
    input: I;
    output: O;
    run: (call: CallerCall & TeamSelection, args: Static<TObject<I>>) => Promise<Static<TObject<O>>>;
  },
): Tool {
  const { run } = fields;
  return {
    ...toolOf(fields),
    needsTeam: false,
    run: (call, args) => run(call, args as Static<TObject<I>>),
  };
}

function toolOf(fields: ToolFields & { input: TProperties; output: TProperties }) {
  const { name, title, description, annotations } = fields;
  const input = Body({ ...fields.input, team: TeamArgument });
  const output = Type.Object(fields.output);
  const schemas = { inputSchema: toPrintedSchema(input), outputSchema: toPrintedSchema(output) };
  return {
    ...fields,
    maxTokens: fields.maxTokens ?? MAX_ANSWER_TOKENS,
    input,
    output,
    listed: { name, title, description, ...schemas, annotations },
  };
}

type Needs = Pick<Tool, 'permission' | 'needs' | 'needsTeam'>;

/**
 * Requires that the caller can use a tool in a Team.
 * @throws ServiceError `permission_required`, `full_access_required`, `scope_forbidden`
 */
export function requireTool(
  { permission, needs }: Needs,
  { token }: Identity,
  scope: TeamScope | null,
): void {
  if (token !== null) requirePermission(token, permission);
  if (scope === null) return;
  if (needs === 'full') requireRight(scope, 'decideMemories');
  if (needs === 'write' && scope.writes.length === 0) {
    throw new ServiceError('scope_forbidden', 'You can only read in this Team; nothing can be stored');
  }
}

/** Whether the credential of a caller permits something: an agent token if it has the permission, a person always. */
export function isPermitted({ token }: Identity, permission: RoutePermission): boolean {
  return token === null || hasPermission(token, permission);
}

/** Whether a tool is in the list of a caller: whether it can use the tool in any of its Teams. */
export function isListed(tool: Needs, identity: Identity): boolean {
  if (!isPermitted(identity, tool.permission)) return false;
  return !tool.needsTeam || identity.teams.some((team) => canUseIn(tool, identity, team));
}

function canUseIn({ needs }: Needs, { companyRole }: Identity, team: TeamMembership): boolean {
  const access = teamAccess(companyRole, team);
  if (needs === 'full') return access === 'full';
  return needs === 'write' ? access === 'full' || access === 'member' : access !== null;
}

/** Stands for the Team layer and every client that the caller can read. */
const ALL = 'all';

/**
 * The layers that the argument `client` asks to read: the Team layer, and that of the client.
 * @throws ServiceError `scope_forbidden`, `invalid_request`
 */
export async function scopeToRead(
  { deps, scope }: Pick<TeamCall, 'deps' | 'scope'>,
  client: string | undefined,
): Promise<RequestedScope> {
  if (client === undefined) return {};
  if (isAll(client)) {
    await assertNoClientNamed(deps, scope, ALL, '/client');
    return { include: ['team', 'client'] };
  }
  return { clientId: await findClientId(deps, scope, client, '/client') };
}

/**
 * The layer that the argument `client` asks to write to.
 * @throws ServiceError `scope_forbidden`, `invalid_request`
 */
export async function layerToWrite(
  { deps, scope }: Pick<TeamCall, 'deps' | 'scope'>,
  client: string | undefined,
): Promise<LayerId> {
  if (client === undefined) return writeLayer(scope);
  if (isAll(client)) throw invalidField('/client', 'must name one client; all is only for reading');
  return writeLayer(scope, { clientId: await findClientId(deps, scope, client, '/client') });
}

function isAll(client: string): boolean {
  return client.trim() === ALL;
}

/** The schema of a day or a time in arguments. `parseMoment` parses it, with what models add around it. */
export const Moment = (description: string) => Type.Optional(Text(40, description));

/** The fields of a value that a schema has, so that they are named once. A field that the value lacks stays absent. */
export function pick<P extends TProperties>(properties: P, value: Static<TObject<P>>): Static<TObject<P>> {
  const fields = Object.entries(value).filter(([name]) => Object.hasOwn(properties, name));
  return Object.fromEntries(fields) as Static<TObject<P>>;
}

/*
 * A place in a stored text, as one argument that an answer gives and the next call sends: the id of the record and what
 * locates the place in it.
 */

const SEPARATOR = ':';

export function formatPosition(id: string, ...parts: readonly (string | number)[]): string {
  return [id, ...parts].join(SEPARATOR);
}

/** The parts of a position, as they were formatted. */
export function splitPosition(given: string): string[] {
  return given.trim().split(SEPARATOR);
}

/** An offset in a text; null if it is not one. */
export function parseOffset(part: string): number | null {
  const offset = part === '' ? Number.NaN : Number(part);
  return Number.isSafeInteger(offset) && offset >= 0 ? offset : null;
}
