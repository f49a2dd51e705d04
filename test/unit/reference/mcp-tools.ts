import type { TSchema } from 'typebox';
import type { Tool } from '../../../api/mcp/tool.ts';
import { TOOLS } from '../../../api/mcp/tools/index.ts';
import { code, tableText } from './markdown.ts';

/** What a tool needs of a caller besides the permission. */
const NEEDS: Readonly<Record<NonNullable<Tool['needs']>, string>> = {
  write: 'a layer that the caller can write to',
  full: 'Full access',
};

/** The type of a field, in words. */
function typeOf(schema: TSchema): string {
  type Known = { type?: string; enum?: string[]; anyOf?: TSchema[]; items?: TSchema };
  const { type, enum: values, anyOf, items } = schema as Known;
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

/** What the page about the MCP tools says of each, from their definitions. */
export const toolSections = () => TOOLS.map(sectionOf).join('\n\n');
