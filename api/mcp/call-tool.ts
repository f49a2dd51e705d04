import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TObject, TSchema } from 'typebox';
import { apiBase, linkBase } from '../../core/accounts/links.ts';
import { findTeam } from '../../core/teams/queries.ts';
import { type ErrorCode, invalidField, ServiceError } from '../../shared/errors.ts';
import { DEFAULT_JSON_LIMITS, isDeeper, JsonShape, MAX_DEPTH } from '../http/bodies/read-body.ts';
import { assertStorableBody } from '../http/bodies/storable.ts';
import { toServiceError } from '../http/errors.ts';
import { callerInTeam, type TeamCaller } from '../http/guards.ts';
import { RECHECK_AFTER_MS } from '../http/recheck-guards.ts';
import { requestedTeam } from '../http/requests.ts';
import { countTokens, cutToJson } from './text.ts';
import { type CallerCall, requireTool, type TeamCall, type Tool } from './tool.ts';
import { TOOLS } from './tools/index.ts';

/** The most tokens of the message: it can list 20 Teams with long names. */
const MAX_MESSAGE = 5_000;

/** What an agent can do about an error, if its message does not say it. */
const ADVICE: Partial<Record<ErrorCode, string>> = {
  scope_forbidden: 'whoami lists the clients that you can reach, and where you can store',
  permission_required: 'Ask the owner of the agent token for a token that has it',
  full_access_required: 'Ask a Team Owner or Team Admin to do it',
  not_found: 'Check the id: it must be one that another tool returned',
  version_conflict: 'Read the memory again with GET /v1/memory/memories, and decide on its current version',
  batch_expired: 'Claim the captures again with claim_captures',
  team_archived: 'Ask an Owner of the Company to restore the Team',
  quota_exceeded: 'Do not send it again until then',
  secret_detected: 'Send the text again without them',
  rate_limited: 'Nothing was done',
  unavailable: 'Wait a few seconds and call the tool again',
};

/** The text of an error for an agent: the code, what is wrong, and what to do. */
function errorText({ code, message, status }: ServiceError, requestId: string): string {
  const advice = ADVICE[code];
  const wrong = cutToJson(message, MAX_MESSAGE);
  const parts = [wrong.endsWith('.') ? wrong.slice(0, -1) : wrong, ...(advice === undefined ? [] : [advice])];
  // The operator finds the reason in the log by the id.
  if (status >= 500) parts.push(`Request ${requestId}`);
  return `${code}: ${parts.join('. ')}.`;
}

/** What of a schema decides how a value is read. */
interface Readable {
  type?: string;
  anyOf?: Readable[];
  items?: Readable;
  properties?: Record<string, Readable>;
}

/**
 * Reads arguments as programs send them. Some send null for each optional argument that a model left out, and numbers,
 * booleans, lists and objects as strings of JSON, also inside of lists and objects. Whatever is still wrong is left as it is:
 * the check against the schema names it.
 * @param sent is changed
 * @returns the arguments; undefined if they are not an object
 * @throws ServiceError `invalid_request` if they are nested too deep
 */
function readArguments(schema: TObject, sent: unknown): Record<string, unknown> | undefined {
  if (isDeeper(sent, MAX_DEPTH)) {
    throw invalidField('/arguments', `must not be nested deeper than ${MAX_DEPTH}`);
  }
  const read = readValue(schema as TSchema as Readable, sent) ?? {};
  const isObject = typeof read === 'object' && read !== null && !Array.isArray(read);
  return isObject ? (read as Record<string, unknown>) : undefined;
}

function readValue(schema: Readable, sent: unknown): unknown {
  const branches = schema.anyOf ?? [schema];
  const value = typeof sent === 'string' ? parseText(branches, sent) : sent;
  if (Array.isArray(value)) {
    const items = branches.find(({ type }) => type === 'array')?.items;
    return items === undefined ? value : value.map((item) => readValue(items, item));
  }
  if (typeof value === 'object' && value !== null) readFields(branches, value as Record<string, unknown>);
  return value;
}

function readFields(branches: readonly Readable[], value: Record<string, unknown>): void {
  const properties = branches.find(({ type }) => type === 'object')?.properties ?? {};
  for (const [name, field] of Object.entries(properties)) {
    if (!Object.hasOwn(value, name)) continue;
    const read = readValue(field, value[name]);
    if (read === null && !isAllowed(field.anyOf ?? [field], null)) delete value[name];
    else value[name] = read;
  }
}

/** The value of a text that is to be something else, or the text. */
function parseText(branches: readonly Readable[], text: string): unknown {
  const isText = branches.some(({ type }) => type === 'string');
  const begin = text.trimStart()[0];
  // A vector can be a text too, but not one that begins like a list.
  if (isText && begin !== '[' && begin !== '{') return text;
  const parsed = parseJson(text);
  return parsed !== undefined && (parsed === null || isAllowed(branches, parsed)) ? parsed : text;
}

/** The value of JSON; undefined if it is not JSON, or more than a body can have. */
function parseJson(text: string): unknown {
  const shape = new JsonShape(DEFAULT_JSON_LIMITS);
  shape.add(Buffer.from(text));
  if (shape.fault !== null || !shape.isClosed) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Whether a schema has a branch with the type of a value. */
function isAllowed(branches: readonly Readable[], value: unknown): boolean {
  const own = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  return branches.some(({ type }) => type === own || (type === 'integer' && own === 'number'));
}

/** The request that calls a tool. */
export interface ToolRequest extends Pick<CallerCall, 'deps' | 'signal'> {
  request: FastifyRequest;
  reply: FastifyReply;
}

/** What a tool returns: the same JSON as a value and as text, or the text of an error. */
export interface ToolResult {
  content: { type: 'text'; text: string }[];
  structuredContent?: object;
  isError?: true;
}

/**
 * Calls a tool that exists. An error of its operation is a result that says what is wrong, not an error of the protocol:
 * the agent can correct its call. A caller over its rate limit gets such a result too, and nothing is done.
 * @param sent the arguments, as the program sent them
 */
export async function callTool(asking: ToolRequest, name: string, sent: unknown): Promise<ToolResult> {
  const tool = TOOLS.find((candidate) => candidate.name === name);
  if (tool === undefined) throw new Error('an unknown tool was called');
  const { request } = asking;
  try {
    if (request.overLimit !== null) throw request.overLimit;
    const structuredContent = await run(asking, tool, readArguments(tool.input, sent));
    const text = JSON.stringify(structuredContent);
    if (countTokens(text) > tool.maxTokens) throw new Error(`the answer of ${name} is too long`);
    return { content: [{ type: 'text', text }], structuredContent };
  } catch (error) {
    const refusal = toServiceError(error, { schema: tool.input });
    if (refusal.status >= 500) {
      request.log.error(
        { err: refusal.cause ?? error, code: refusal.code, tool: name },
        'a tool call failed',
      );
    }
    return { content: [{ type: 'text', text: errorText(refusal, request.id) }], isError: true };
  }
}

async function run(
  asking: ToolRequest,
  tool: Tool,
  args: Record<string, unknown> | undefined,
): Promise<object> {
  const { deps, request, signal } = asking;
  const { identity } = request;
  // In the order of the routes: the permission, the Team, the rights, the arguments.
  requireTool(tool, identity, null);
  const team = await selectTeam(asking, tool, args?.['team']);
  requireTool(tool, identity, team?.scope ?? null);
  const call: CallerCall = {
    deps,
    identity,
    signal,
    linkBase: linkBase(deps.config, request.server.server),
    apiBase: apiBase(deps.config, request.server.server),
  };
  return tool.run(
    { ...call, selected: team && toTeamCall(asking, call, team) },
    validated(asking, tool, args),
  );
}

/**
 * The Team that a call is for: the one that its argument names, else that of the header, else the only one.
 * @returns null if the tool needs none and the caller has not chosen one
 */
async function selectTeam(
  { request, deps }: ToolRequest,
  { needsTeam }: Tool,
  argument: unknown,
): Promise<TeamCaller | null> {
  const named = typeof argument === 'string' ? argument : requestedTeam(request);
  if (named === undefined && !needsTeam && request.identity.teams.length !== 1) return null;
  const { id } = findTeam(request.identity, named);
  return callerInTeam(request, deps, id);
}

function toTeamCall(
  { request, reply, deps }: ToolRequest,
  call: CallerCall,
  { team, scope }: TeamCaller,
): TeamCall {
  return {
    ...call,
    team,
    scope,
    recheckScope: async () => {
      if (reply.elapsedTime <= RECHECK_AFTER_MS) return scope;
      return (await callerInTeam(request, deps, team.id, true)).scope;
    },
  };
}

/**
 * The arguments of a call.
 * @throws ServiceError `invalid_request`, or FastifyError, for arguments that the tool does not accept
 */
function validated(
  { request }: ToolRequest,
  { input }: Tool,
  args: Record<string, unknown> | undefined,
): Record<string, unknown> {
  if (args === undefined) throw invalidField('/arguments', 'must be an object');
  assertStorableBody(args, false);
  const validate = request.compileValidationSchema(input);
  if (validate(args)) return args;
  throw Object.assign(new Error('the arguments are not valid'), { validation: validate.errors });
}

/** A message of the protocol as the library reads it, and what the service reads by itself. */
export interface ReadMessage {
  message: unknown;
  /** The arguments of a call, as they were sent. */
  args: unknown;
  /** Whether it calls a tool. */
  isCall: boolean;
}

/**
 * Reads a message as programs send it. Many write null for what they leave out, in `params` and inside of it, which the library
 * refuses. Arguments that it would refuse are to be the result of the call, so it does not see any.
 * @throws ServiceError `invalid_request` if the message is nested too deep without its arguments
 */
export function readMessage(body: unknown): ReadMessage {
  const isCall = isObject(body) && body['method'] === 'tools/call';
  const { arguments: args, ...others } = isCall && isObject(body['params']) ? body['params'] : {};
  const sent = isCall && isObject(body['params']) ? { ...body, params: others } : body;
  if (isDeeper(sent, MAX_DEPTH)) {
    throw new ServiceError('invalid_request', `The message is nested deeper than ${MAX_DEPTH}`);
  }
  return { message: isObject(sent) ? withoutNullParams(sent) : sent, args, isCall };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A message without `params` that are null, and without the members of `params` that are null. */
function withoutNullParams({ params, ...head }: Record<string, unknown>): Record<string, unknown> {
  return params === null || params === undefined ? head : { ...head, params: withoutNull(params) };
}

/** A value without the members that are null, at any depth. */
function withoutNull(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNull);
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(members.map(([name, member]) => [name, withoutNull(member)]));
}
