import { rules } from '@secretlint/secretlint-rule-preset-recommend';
import type { Match, Rule } from './match.ts';

const PREFIX = '@secretlint/secretlint-rule-';

/**
 * Rules of the preset that are not used, because rules of ours do more (version 13.0.7). The ranges of `aws` and `npm`
 * cover the name of the setting in place of a part of the key. `privatekey` does not find short keys (ed25519), `basicauth` only passwords of letters and digits,
 * `database-connection-string` hides the host too, and `gcp` reads files by their names. `filter-comments`
 * lets a text switch off its own check.
 */
const REPLACED: ReadonlySet<string> = new Set([
  'aws',
  'basicauth',
  'database-connection-string',
  'filter-comments',
  'gcp',
  'npm',
  'privatekey',
]);

/** What the rules use of the interface of a secretlint rule. */
interface VendorRule {
  meta: { id: string };
  create(context: object, options: object): { file(source: object): unknown };
}

/**
 * The rules of secretlint for the tokens of known services. They are called without `@secretlint/core`, which registers
 * all rules again for each text, counts lines, and keeps a performance entry for each rule and text.
 */
export const VENDOR_RULES: readonly Rule[] = (rules as readonly VendorRule[])
  .map((rule) => ({ rule, name: rule.meta.id.slice(PREFIX.length) }))
  .filter(({ name }) => !REPLACED.has(name))
  .map(({ rule, name }) => vendorRule(rule, name));

function vendorRule(rule: VendorRule, name: string): Rule {
  let found: Match[] = [];
  const handler = rule.create(
    {
      // Messages contain the credential: they are not made.
      createTranslator: () => () => ({ message: '' }),
      report: ({ range: [start, end] }: { range: readonly [number, number] }) => {
        found.push({ rule: name, start, end });
      },
    },
    {},
  );
  return (text) => {
    found = [];
    // Without a path, because rules read files or skip texts by their names.
    handler.file({ content: text, contentType: 'text' });
    return found;
  };
}
