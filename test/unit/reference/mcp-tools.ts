import type { TSchema } from 'typebox';
import type { Tool } from '../../../api/mcp/tool.ts';
import { TOOLS } from '../../../api/mcp/tools/index.ts';
import { code, pageHead, tableText } from './markdown.ts';

const INTRODUCTION = `
The tools of \`POST /v1/mcp\`, in the order in which agents list them. [The guide](../guide/mcp.md) says how to connect an
agent. Each tool also accepts \`team\`: the id or name of a Team.`;

/** What a tool needs of a caller besides the permission. */
const NEEDS: Readonly<Record<NonNullable<Tool['needs']>, string>> = {
  write: 'a layer that the caller can write to',
  full: 'Full access',
};

/** The type of a field, in words. */
function typeOf(schema: TSchema): string {
  const {
    type,
    enum: values,
    anyOf,
    items,
  } = schema as {
    type?: string;
    enum?: string[];
    anyOf?: TSchema[];
    items?: TSchema;
  };
  if (values !== undefined) return values.map(code).join(', ');
  if (anyOf !== undefined) return anyOf.map(typeOf).join(' or ');
  if (type === 'array' && items !== undefined) return `list of ${typeOf(items)}`;
  return type ?? 'any';
}

function fieldRows(
  properties: Readonly<Record<string, TSchema>>,
  required: readonly string[] = [],
): string[][] {
  return Object.entries(properties).map(([name, schema]) => [
    `${code(name)}${required.includes(name) ? '' : ' (optional)'}`,
    typeOf(schema),
    (schema as { description?: string }).description ?? '',
  ]);
}

function sectionOf({ name, title, description, permission, needs, annotations, listed }: Tool): string {
  const { inputSchema: input, outputSchema: output } = listed;
  const needed = [
    permission === 'any' ? 'any' : [permission].flat().map(code).join(' or '),
    ...(needs === undefined ? [] : [NEEDS[needs]]),
  ].join(', and ');
  const hints = Object.entries(annotations)
    .filter(([, value]) => value === true)
    .map(([hint]) => code(hint));
  // The introduction describes the argument that all have.
  const { team: _, ...own } = input.properties;
  const args = fieldRows(own, input.required);
  return [
    `## ${name}`,
    '',
    `${title}. ${description}`,
    '',
    `- Permission: ${needed}`,
    `- Hints: ${hints.length === 0 ? 'none' : hints.join(', ')}`,
    '',
    ...(args.length === 0 ? [] : [tableText(['Argument', 'Type', 'Meaning'], args), '']),
    tableText(['Result', 'Type', 'Meaning'], fieldRows(output.properties, output.required)),
  ].join('\n');
}

/** The page about the MCP tools, from their definitions. */
export function mcpToolsPage(): string {
  const sections = TOOLS.map(sectionOf).join('\n\n');
  return [pageHead('MCP tools', 'api/mcp/tools'), INTRODUCTION.trimStart(), '', sections, ''].join('\n');
}
