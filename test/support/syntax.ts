import { stripTypeScriptTypes } from 'node:module';
import { type AnyNode, type Program, parse } from 'acorn';

/** Node reports at the first call that the function is experimental. The output of tests must not contain that. */
function withoutTypes(source: string): string {
  const warn = process.emitWarning.bind(process);
  process.emitWarning = () => undefined;
  try {
    return stripTypeScriptTypes(source);
  } finally {
    process.emitWarning = warn;
  }
}

/**
 * The syntax tree of a module, and the text that its positions refer to.
 * @throws SyntaxError if it cannot be parsed
 */
export function parseModule(source: string, isTypeScript = true): { tree: Program; text: string } {
  const text = isTypeScript ? withoutTypes(source) : source;
  return { tree: parse(text, { ecmaVersion: 'latest', sourceType: 'module' }), text };
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** A node of a syntax tree and all nodes in it. */
export function* nodesIn(node: AnyNode): Generator<AnyNode> {
  yield node;
  for (const value of Object.values(node).flat() as unknown[]) if (isNode(value)) yield* nodesIn(value);
}
