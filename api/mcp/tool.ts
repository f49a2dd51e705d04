import { type Static, type TObject, type TProperties, Type } from 'typebox';
import type { Dependencies } from '../../core/dependencies.ts';
import type { QueryEmbedder } from '../../core/search/query-embedder.ts';
import type { Identity, TeamMembership } from '../../shared/access.ts';
import type { RoutePermission } from '../../shared/permissions.ts';
import { Body, Text } from '../../shared/schemas/common.ts';
import type { TeamScope } from '../../shared/scope.ts';
import { toPrintedSchema } from './wire/printed-schema.ts';

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
