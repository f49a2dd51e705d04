import { rules } from '@secretlint/secretlint-rule-preset-recommend';
import type { Match, Rule } from './match.ts';
import { atEach, execAt, MAX_TOKEN, type Place } from './pieces.ts';
import { prefixed } from './token-beginnings.ts';

const PREFIX = '@secretlint/secretlint-rule-';

/**
 * What the tokens of each rule begin with. The other rules of the preset (version 13.0.7) are not used, because rules of ours
 * do more. The ranges of `aws` and `npm` cover the name of the setting in place of a part of the key. `privatekey` does
 * not find short keys (ed25519), `basicauth` only passwords of letters and digits, `database-connection-string` hides
 * the host too, and `gcp` reads files by their names. `filter-comments` lets a text switch off its own check. `figma`, `github`, `gitlab`,
 * `linear` and `sendgrid` read a long text many times if what a token begins with is repeated in it.
 */
const BEGINNINGS: Readonly<Record<string, RegExp>> = {
  '1password': /ops_ey/g,
  anthropic: /sk-ant-api0/g,
  cloudflare: /cf(?:k|ut|at)_/g,
  databricks: /dapi[A-Fa-f0-9]/g,
  docker: /dckr_pat_/g,
  grafana: /gl(?:c|sa)_/g,
  groq: /gsk_/g,
  'hashicorp-vault': /hv[sbr]\./g,
  huggingface: /hf_[a-zA-Z]/g,
  notion: /ntn_\d/g,
  openai: /sk-/g,
  shopify: /shp(?:pa|ca|at|ss)_/g,
  slack: /xox[abopr]-|xapp-|https:\/\/hooks\.slack/gi,
  stripe: /[rs]k_(?:live|test)_/g,
  tailscale: /tskey-/g,
  vercel: /vc[aikpr]_/g,
};

/** Their tokens begin with a prefix that is not in `token-beginnings.ts`, or with an address. */
const OTHERS: ReadonlySet<string> = new Set(['databricks', 'slack']);

/** Enough for what the expressions look at before a token. */
const BEFORE = 2;

/** The text of a source. The rules use only this part of its interface. */
interface Content {
  matchAll(expression: RegExp): Iterable<RegExpExecArray>;
}

/** What the rules use of the interface of a secretlint rule. */
interface VendorRule {
  meta: { id: string };
  create(context: object, options: object): { file(source: object): unknown };
}

/**
 * The rules of secretlint for the tokens of known services. They are called without `@secretlint/core`, which registers
 * all rules again for each text, counts lines, and keeps a performance entry for each rule and text.
 */
export const VENDOR_RULES: readonly Rule[] = (rules as readonly VendorRule[]).flatMap((rule) => {
  const name = rule.meta.id.slice(PREFIX.length);
  const beginnings = Object.hasOwn(BEGINNINGS, name) ? BEGINNINGS[name] : undefined;
  if (beginnings === undefined) return [];
  const made = vendorRule(rule, name, beginnings);
  return [OTHERS.has(name) ? made : prefixed(made)];
});

function vendorRule(rule: VendorRule, name: string, beginnings: RegExp): Rule {
  let reported: Match[] = [];
  const handler = rule.create(
    {
      // Messages contain the credential: they are not made.
      createTranslator: () => () => ({ message: '' }),
      report: ({ range: [start, end] }: { range: readonly [number, number] }) => {
        reported.push({ rule: name, start, end });
      },
    },
    {},
  );
  const run = (content: Content): Match[] => {
    reported = [];
    // Without a path, because rules read files or skip texts by their names.
    handler.file({ content, contentType: 'text' });
    return reported;
  };

  // The rule tells its expressions, which are then evaluated only where a token can begin, on a text of bounded length.
  const expressions: RegExp[] = [];
  run({
    matchAll: (expression) => {
      expressions.push(new RegExp(expression.source, `${expression.flags.replace('g', '')}y`));
      return [];
    },
  });
  const evaluate = (text: string, index: number): Place => {
    const from = Math.max(0, index - BEFORE);
    const piece = text.slice(from, index + MAX_TOKEN);
    for (const expression of expressions) {
      const found = execAt(expression, piece, index - from);
      if (found === null) continue;
      const matchAll = ({ source }: RegExp) => (source === expression.source ? [found] : []);
      const [match] = run({ matchAll });
      if (match === undefined) continue;
      const [start, end] = [from + match.start, from + match.end];
      return { match: { rule: name, start, end }, next: end, read: MAX_TOKEN };
    }
    return { match: null, next: index + 1, read: MAX_TOKEN };
  };
  return {
    name,
    find: (text, range) => atEach(text, range, beginnings, (index) => evaluate(text, index)),
  };
}
