import type { FastifyReply, FastifyRequest } from 'fastify';
import { findTeam } from '../../core/identity/find-team.ts';
import { apiBase, linkBase } from '../../core/identity/link-base.ts';
import { invalidField } from '../../shared/errors.ts';
import { assertStorableBody } from '../bodies/storable.ts';
import { toServiceError } from '../plugins/errors.ts';
import { callerInTeam, type TeamCaller } from '../plugins/guards.ts';
import { RECHECK_AFTER_MS } from '../plugins/recheck-guards.ts';
import { requestedTeam } from '../request/team-header.ts';
import { errorText } from './error-text.ts';
import { requireTool } from './permitted.ts';
import { countTokens } from './tokens.ts';
import type { CallerCall, TeamCall, Tool } from './tool.ts';
import { TOOLS } from './tools/index.ts';
import { readArguments } from './wire/sent-arguments.ts';

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
