import { parseAgentToken } from '../formats/agent-token.ts';
import { isCredential } from './credential-values.ts';
import { hasEntropy, isPlaceholder, type Rule } from './match.ts';
import { patternRule } from './pieces.ts';
import { prefixed } from './token-beginnings.ts';

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
