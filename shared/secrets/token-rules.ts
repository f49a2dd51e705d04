import { parseAgentToken } from '../formats/agent-token.ts';
import { entropyBits, isPlaceholder, patternRule, type Rule } from './match.ts';
import { isCredential } from './named-values.ts';

/** A bearer token of fewer bits is an example or a word. */
const MIN_TOKEN_BITS = 45;

const LETTERS = /[A-Za-z]{20}/;

const isVaried = (value: string) => entropyBits(value) >= MIN_TOKEN_BITS && !isPlaceholder(value);
const isRandom = (value: string) => /\d/.test(value) && isVaried(value);

/** After `Authorization: Bearer`, letters without a digit are a token too, if they are no words. */
const isLetters = (value: string) => LETTERS.test(value) && isVaried(value);

/** Whether a text in base64 is a user and a password, as in the header `Authorization: Basic`. */
function isBasicCredential(value: string): boolean {
  const text = Buffer.from(value, 'base64').toString('utf8');
  return text.includes(':') && !text.includes('\ufffd');
}

/** Tokens that are recognized by their form, beyond those of the vendor rules. */
export const TOKEN_RULES: readonly Rule[] = [
  patternRule(
    'team-memory-token',
    /tm_pat_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}(?![0-9A-Za-z])/g,
    (value) => parseAgentToken(value) !== null,
  ),
  patternRule(
    'jwt',
    /(?<![A-Za-z0-9_-])ey[A-Za-z0-9_-]{8,4000}\.e[yw][A-Za-z0-9_-]{8,8000}\.[A-Za-z0-9_-]{16,2000}/g,
  ),
  patternRule('google-api-key', /(?<![A-Za-z0-9_-])AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])/g),
  patternRule(
    'azure-key',
    /(?:Account|SharedAccess)Key["']?\s{0,2}[=:]\s{0,2}["']?(?<value>[A-Za-z0-9+/]{40,88}={0,2})/dg,
  ),
  patternRule('aws', /(?<![A-Z0-9])A[KS]IA[A-Z0-9]{16}(?![A-Z0-9])/g, (value) => /\d/.test(value)),
  patternRule(
    'aws',
    /aws[a-z_.-]{0,20}(?:secret|access)[a-z_.-]{0,20}["']?\s{0,3}(?:=>|[:=])\s{0,3}["']?(?<value>[a-z0-9/+=]{40})(?![a-z0-9/+=])/dgi,
  ),
  patternRule('twilio', /(?<![A-Za-z0-9])SK[a-f0-9]{32}(?![A-Za-z0-9])/g),
  patternRule('azure-key', /[?&]sig=(?<value>[A-Za-z0-9+/%]{40,200}={0,2})/dg),
  patternRule(
    'docker-auth',
    /"auth"\s{0,2}:\s{0,2}"(?<value>[A-Za-z0-9+/]{8,800}={0,2})"/dg,
    isBasicCredential,
  ),
  patternRule('webhook-secret', /(?<![A-Za-z0-9])whsec_[A-Za-z0-9+/_-]{20,200}={0,2}/g),
  patternRule('npm', /(?<![A-Za-z])npm_[A-Za-z0-9]{36}(?![A-Za-z0-9_])/g),
  patternRule('npm', /_authToken=(?<value>[^\s$"'][^\s"']{7,500})/dg),
  patternRule('github', /https?:\/\/(?<value>[^\s:@/]{1,256}):x-oauth-basic@github\.com/dg),
  patternRule('digitalocean', /_v1_(?<=do[opr]_v1_)(?<value>[a-f0-9]{64})/dg),
  patternRule('gitlab', /gl(?:rt|dt|ptt|soat)-[A-Za-z0-9_-]{20,128}/g),
  patternRule('google-oauth', /ya29\.[A-Za-z0-9_-]{30,500}/g),
  patternRule(
    'model-api-key',
    /(?<![A-Za-z0-9])sk-(?:(?:proj|svcacct|admin|or-v1|ant-[a-z0-9]{3,8})-[A-Za-z0-9_-]{32,250}|[A-Za-z0-9]{40,64}(?![A-Za-z0-9]))/g,
    isRandom,
  ),
  patternRule(
    'telegram',
    /:AA[A-Za-z0-9_-]{33}(?<=(?<![A-Za-z0-9])(?<value>\d{8,10}:AA.{33}))(?![A-Za-z0-9_-])/dg,
  ),
  patternRule('discord', /\/api\/webhooks\/\d{15,21}\/(?<value>[\w-]{60,80})/dg),
  patternRule('pypi', /pypi-AgE[A-Za-z0-9_-]{50,500}/g),
  patternRule('service-token', /(?<![A-Za-z0-9])(?:ATATT3|GOCSPX-|AGE-SECRET-KEY-1)[A-Za-z0-9_=-]{20,500}/g),
  patternRule('bearer-token', /\bBearer\s{1,4}(?<value>[\w.~+/-]{16,8000}={0,2})/dgi, isRandom),
  patternRule(
    'bearer-token',
    /\bAuthorization["']?\s{0,2}[:=]\s{0,2}["']?Bearer\s{1,4}(?<value>[\w.~+/-]{20,8000}={0,2})/dgi,
    isLetters,
  ),
  patternRule('password', /\s-(?:u|-user)[\s=]["']?[^\s:"'@/]{1,100}:(?<value>[^\s"'`]{4,256})/dg, (value) =>
    isCredential(value, 'password'),
  ),
  patternRule(
    'basic-credentials',
    /\bAuthorization["']?\s{0,2}[:=]\s{0,2}["']?Basic\s{1,4}(?<value>[A-Za-z0-9+/]{8,800}={0,2})/dgi,
    isBasicCredential,
  ),
];
