import { parser } from '@prometheus-io/lezer-promql';

/** A metric that an expression selects, with the conditions on its labels. */
export interface Selector {
  metric: string;
  matchers: { label: string; operator: string; value: string }[];
}

/** What an expression of PromQL names. */
export interface Names {
  selectors: Selector[];
  /** Labels by which it groups. */
  grouped: string[];
}

/**
 * Reads an expression of PromQL.
 * @throws Error if it does not parse
 */
export function namesIn(expression: string): Names {
  const names: Names = { selectors: [], grouped: [] };
  const textOf = (node: { from: number; to: number }) => expression.slice(node.from, node.to);
  parser.parse(expression).iterate({
    enter: ({ node, type }) => {
      if (type.isError) throw new Error(`not PromQL at ${node.from}: ${expression}`);
      if (type.name === 'VectorSelector') {
        const metric = node.getChild('Identifier');
        if (metric === null) throw new Error(`a selector without a name: ${expression}`);
        names.selectors.push({ metric: textOf(metric), matchers: [] });
      }
      if (type.name === 'UnquotedLabelMatcher') {
        const [label, operator, value] = ['LabelName', 'MatchOp', 'StringLiteral'].map((part) => {
          const child = node.getChild(part);
          return child === null ? '' : textOf(child);
        });
        names.selectors.at(-1)?.matchers.push({
          label: label ?? '',
          operator: operator ?? '',
          value: JSON.parse(value ?? '""') as string,
        });
      }
      if (type.name === 'GroupingLabels')
        names.grouped.push(...node.getChildren('LabelName').map((label) => textOf(label)));
    },
  });
  return names;
}
