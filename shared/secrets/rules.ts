import { rules } from '@secretlint/secretlint-rule-preset-recommend';
import { parseAgentToken } from '../formats/agent-token.ts';
import { AROUND, atEach, execAt, MAX_TOKEN, type Place, patternRule } from './pieces.ts';
import { hasEntropy, isPlaceholder, type Match, type Range, type Rule } from './ranges.ts';
import { isCredential } from './values.ts';

/*
 * Many rules search for a token that begins with a known prefix. Ordinary text has none of these prefixes, and one search
 * for what they end with is faster than one for each of them.
 */

/** Where one of the tokens can be: the end of its prefix, and what follows. The expressions of the rules decide. */
const PREFIX =
  /[_.-](?:(?<=ghs_)\d|(?<=(?:cf(?:k|ut|at)|dckr|figd|gh[opsur]|github_pat|gl(?:c|sa)|gsk|hf|lin|npm|ntn|ops|[rs]k|shp(?:pa|ca|at|ss)|tm|vc[aikpr]|whsec)_|(?:gl(?:pat|rt|dt|ptt|soat)|pypi|sk|tskey)-|(?:hv[sbr]|SG|ya29)\.)[\w.+/=-]{20})/g;
/** The expression reads 20 characters after each prefix, and the shortest prefixes have three. */
const PIECE = 4 * 1024;

/** Marks a rule that finds only tokens which begin with one of the prefixes. */
const prefixed = (rule: Rule): Rule => ({ ...rule, isPrefixed: true });

/**
 * Whether a token can begin in a range of a text with one of the prefixes.
 * @yields undefined where the caller can let other work run
 */
export function* hasPrefix(text: string, { start, end }: Range): Generator<undefined, boolean> {
  const range = { start, end: Math.min(text.length, end + AROUND) };
  const evaluate = (index: number) => ({ match: { start: index, end: index + 1 }, next: index + 1, read: 0 });
  for (const found of atEach<Range>(text, range, PREFIX, evaluate, PIECE)) {
    if (found !== undefined) return true;
    yield;
  }
  return false;
}

/** A bearer token of fewer bits is an example or a word. */
const MIN_TOKEN_BITS = 45;
/** The most that the expressions for long tokens read at one place. */
const MAX_LONG_TOKEN = 16 * 1024;

const LETTERS = /[A-Za-z]{20}/;

const isVaried = (value: string) => hasEntropy(value, MIN_TOKEN_BITS) && !isPlaceholder(value);
const isRandom = (value: string) => /\d/.test(value) && isVaried(value);

/** After `Authorization: Bearer`, letters without a digit are a token too, if they are no words. */
const isLetters = (value: string) => LETTERS.test(value) && isVaried(value);

/** Whether a text in base64 is a user and a password, as in the header `Authorization: Basic`. */
function isBasicCredential(value: string): boolean {
  const text = Buffer.from(value, 'base64').toString('utf8');
  return text.includes(':') && !text.includes('\ufffd');
}

/**
 * Tokens that are recognized by their form, beyond those of the vendor rules. Where the beginning of a token can be repeated
 * in it, the expression matches whatever follows up to the longest length, so that the next search begins after it.
 */
export const TOKEN_RULES: readonly Rule[] = [
  prefixed(
    patternRule(
      'github',
      /gh[opsur]_|github_pat_/g,
      /(?<!\p{L})(?:gh[opsur]_[A-Za-z0-9_]{36}|github_pat_[A-Za-z0-9_]{82})(?![A-Za-z0-9_])/uy,
    ),
  ),
  // The token of an installation of an app: a number and a JWT.
  prefixed(
    patternRule(
      'github',
      /ghs_\d/g,
      /(?<!\p{L})ghs_\d{1,20}_[A-Za-z0-9_-]{1,1000}(?:\.[A-Za-z0-9_-]{1,10000}\.[A-Za-z0-9_-]{1,1000})?/uy,
      (value) => value.includes('.'),
      MAX_LONG_TOKEN,
    ),
  ),
  prefixed(patternRule('gitlab', /gl[dprs]/g, /gl(?:pat|rt|dt|ptt|soat)-[A-Za-z0-9_-]{20,128}/y)),
  prefixed(patternRule('figma', /figd_/g, /(?<!\p{L})figd_[A-Za-z0-9_-]{40,200}/uy)),
  prefixed(patternRule('linear', /lin_api_/g, /(?<!\p{L})lin_api_[A-Za-z0-9_]{32,128}/uy)),
  prefixed(patternRule('sendgrid', /SG\./g, /(?<!\p{L})SG\.[\w-]{22}\.[\w-]{43}(?![\w-])/uy)),
  prefixed(
    patternRule(
      'team-memory-token',
      /tm_pat_/g,
      /tm_pat_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}(?![0-9A-Za-z])/y,
      (value) => parseAgentToken(value) !== null,
    ),
  ),
  patternRule(
    'jwt',
    /(?<![A-Za-z0-9_-])ey[A-Za-z0-9_-]{8}/g,
    /ey[A-Za-z0-9_-]{8,4000}\.e[yw][A-Za-z0-9_-]{8,8000}\.[A-Za-z0-9_-]{16,2000}/y,
    undefined,
    MAX_LONG_TOKEN,
  ),
  patternRule('google-api-key', /AIza/g, /(?<![A-Za-z0-9_-])AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])/y),
  patternRule(
    'azure-key',
    /(?:Account|SharedAccess)Key/g,
    /(?:Account|SharedAccess)Key["']?\s{0,2}[=:]\s{0,2}["']?(?<value>[A-Za-z0-9+/]{40,88}={0,2})/dy,
  ),
  patternRule('aws', /A[KS]IA/g, /(?<![A-Z0-9])A[KS]IA[A-Z0-9]{16}(?![A-Z0-9])/y, (value) =>
    /\d/.test(value),
  ),
  patternRule(
    'aws',
    /aws/gi,
    /aws[a-z_.-]{0,20}(?:secret|access)[a-z_.-]{0,20}["']?\s{0,3}(?:=>|[:=])\s{0,3}["']?(?<value>[a-z0-9/+=]{40})(?![a-z0-9/+=])/diy,
  ),
  patternRule('twilio', /SK[a-f0-9]/g, /(?<![A-Za-z0-9])SK[a-f0-9]{32}(?![A-Za-z0-9])/y),
  patternRule('azure-key', /[?&]sig=/g, /[?&]sig=(?<value>[A-Za-z0-9+/%]{40,200}={0,2})/dy),
  patternRule(
    'docker-auth',
    /"auth"/g,
    /"auth"\s{0,2}:\s{0,2}"(?<value>[A-Za-z0-9+/]{8,800}={0,2})"/dy,
    isBasicCredential,
  ),
  prefixed(patternRule('webhook-secret', /whsec_/g, /(?<![A-Za-z0-9])whsec_[A-Za-z0-9+/_-]{20,200}={0,2}/y)),
  prefixed(patternRule('npm', /npm_/g, /(?<![A-Za-z])npm_[A-Za-z0-9]{36}(?![A-Za-z0-9_])/y)),
  patternRule('npm', /_authToken=/g, /_authToken=(?<value>[^\s$"'][^\s"']{7,500})/dy),
  patternRule(
    'github',
    /:x-oauth-basic@/g,
    /:x-oauth-basic@github\.com(?<=https?:\/\/(?<value>[^\s:@/]{1,256}):x-oauth-basic@github\.com)/dy,
  ),
  patternRule('digitalocean', /_v1_/g, /_v1_(?<=do[opr]_v1_)(?<value>[a-f0-9]{64})/dy),
  prefixed(patternRule('google-oauth', /ya29\./g, /ya29\.[A-Za-z0-9_-]{30,500}/y)),
  prefixed(
    patternRule(
      'model-api-key',
      /sk-/g,
      /(?<![A-Za-z0-9])sk-(?:(?:proj|svcacct|admin|or-v1|ant-[a-z0-9]{3,8})-[A-Za-z0-9_-]{32,250}|[A-Za-z0-9]{40,64}(?![A-Za-z0-9]))/y,
      isRandom,
    ),
  ),
  patternRule(
    'telegram',
    /:AA/g,
    /:AA[A-Za-z0-9_-]{33}(?<=(?<![A-Za-z0-9])(?<value>\d{8,10}:AA.{33}))(?![A-Za-z0-9_-])/dy,
  ),
  patternRule('discord', /\/api\/webhooks\//g, /\/api\/webhooks\/\d{15,21}\/(?<value>[\w-]{60,80})/dy),
  prefixed(patternRule('pypi', /pypi-AgE/g, /pypi-AgE[A-Za-z0-9_-]{50,500}/y)),
  patternRule(
    'service-token',
    /ATATT3|GOCSPX-|AGE-SECRET-KEY-1/g,
    /(?<![A-Za-z0-9])(?:ATATT3|GOCSPX-|AGE-SECRET-KEY-1)[A-Za-z0-9_=-]{20,500}/y,
  ),
  patternRule(
    'bearer-token',
    /\bBearer\s/gi,
    /Bearer\s{1,4}(?<value>[\w.~+/-]{16,8000}={0,2})/diy,
    isRandom,
    MAX_LONG_TOKEN,
  ),
  patternRule(
    'bearer-token',
    /\bAuthorization/gi,
    /Authorization["']?\s{0,2}[:=]\s{0,2}["']?Bearer\s{1,4}(?<value>[\w.~+/-]{20,8000}={0,2})/diy,
    isLetters,
    MAX_LONG_TOKEN,
  ),
  patternRule(
    'password',
    /-(?:u|-user)[\s=](?<=\s-(?:u|-user)[\s=])/g,
    /-(?:u|-user)[\s=]["']?[^\s:"'@/]{1,100}:(?<value>[^\s"'`]{4,256})/dy,
    (value) => isCredential(value, 'password'),
  ),
  patternRule(
    'basic-credentials',
    /\bAuthorization/gi,
    /Authorization["']?\s{0,2}[:=]\s{0,2}["']?Basic\s{1,4}(?<value>[A-Za-z0-9+/]{8,800}={0,2})/diy,
    isBasicCredential,
  ),
];

const VENDOR_PREFIX = '@secretlint/secretlint-rule-';

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

/** Their tokens begin with a prefix that `hasPrefix` does not find, or with an address. */
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
  const name = rule.meta.id.slice(VENDOR_PREFIX.length);
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
