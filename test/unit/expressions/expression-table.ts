import type { WorstCase } from './worst-cases.ts';

/** An expression that is not run on texts of 1 MiB that are made from its form, or not on those alone. */
interface SpecialExpression {
  /** The call that makes it if only the running code knows it. */
  expression: RegExp | string;
  /** Expressions that the call makes. */
  examples?: readonly RegExp[];
  /** Texts that are known to be bad for it, or for an earlier form of it. */
  known?: readonly WorstCase[];
  /** The longest text that it ever runs on, in UTF-16 code units, and the reason. */
  atMost?: number;
  because?: string;
}

export type TableEntry = RegExp | SpecialExpression;

/** Every regular expression of product code, by file. Those without further words run on texts of any length. */
export const EXPRESSIONS: Readonly<Record<string, readonly TableEntry[]>> = {
  'cli/program/arguments.ts': [/\. |\n/, /\.$/],
  'cli/hooks/own-command.ts': [/^[\w@%+=:,./-]+$/],
  'cli/hooks/setup/hooks-file.ts': [
    / hook (?:session-start|prompt|session-end) --agent (?:claude-code|codex)(?: |$)/,
  ],
  'cli/hooks/session/parts.ts': [/[\ud800-\udbff]/],
  'cli/hooks/session/transcript.ts': [/^\s*<(?:command-|local-command-|bash-)/],
  'cli/terminal/columns.ts': [
    /^(?:\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Emoji_Presentation}|[\u3000-\u303f\uff00-\uff60\uffe0-\uffe6])/u,
    /^[\p{Mn}\p{Me}]$/u,
    /[\p{Cc}\p{Cf}]+/gu,
    /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Thai}|\p{Script=Lao}|\p{Script=Khmer}|\p{Script=Myanmar}/u,
    /\s+/g,
    /(?<= )/,
  ],
  'cli/terminal/duration.ts': [/^(\d{1,9})([smhd]?)$/],
  'cli/commands/curation/review-text.ts': [/(?!\t)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu],
  'cli/consolidate/draft.ts': [/[\s,]+/],
  'cli/terminal/times.ts': [/^\d{4}-\d\d-\d\d(?:T[\d:.]{5,16}(?:Z|[+-]\d\d:\d\d))?$/],
  'cli/terminal/prompt.ts': [/\r$/],
  'cli/client/find-team.ts': [/\p{Cc}/u],
  'cli/client/profiles.ts': [/^[\w-]{1,64}$/],
  'cli/client/run-command.ts': [/(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\;|&<>()])+/gs, /^\w+=/, /['"]/g],
  'cli/client/service-client.ts': [/^\d{1,9}$/],
  'cli/client/settings.ts': [/^[\x21-\x7e]+$/],
  'cli/sync/folder/names.ts': [/[\p{Cc}\p{Cf}<>:"|?*\\/]+/gu, /\s+/g],
  'cli/sync/watch.ts': [/[/\\]/],
  'cli/commands/sync.ts': [/^y(?:es)?$/i],
  'shared/formats/agent-token.ts': [/^tm_pat_([0-9A-Za-z]{12})_([0-9A-Za-z]{32})[0-9A-Za-z]{6}$/],
  'api/request/pagination.ts': [/^\d{1,4}$/],
  'api/plugins/client-address.ts': [
    /%[\w.-]*$/,
    /^(?:\[(?<bracketed>[^\]]+)\]|(?<plain>[\d.]+))(?::\d{1,5})?$/,
  ],
  'api/plugins/errors.ts': [
    /[.+?^${}()|[\]\\]/g,
    /:[^/]+/g,
    {
      expression: "new RegExp(`^${escaped.replace(/\\*/g, '.*')}$`)",
      examples: [/^\/v1\/company\/teams\/[^/]+\/grants\/[^/]+$/, /^\/docs\/static\/.*$/],
      known: [{ before: '/v1/company/teams/', repeated: 'a', after: '/' }],
    },
    /\*/g,
  ],
  'api/plugins/identity.ts': [/ +/],
  'core/redaction/field-texts.ts': [/^[a-zA-Z]{1,20}$/],
  'core/workspace/manifest-cursor.ts': [/^\d{1,16}$/],
  'db/driver/faults.ts': [
    /timeout exceeded when trying to connect|Query read timeout/,
    /^(22|54)/,
    /^(08|53|57P|57014|55P03|40001|40P01|23503|25006)/,
    /timeout exceeded when trying to connect|Query read timeout|Connection terminated|has encountered a connection error/,
  ],
  'db/startup/folder-lock.ts': [
    {
      expression: / pid (\d+) (.+)\n$/,
      atMost: 300,
      because: 'the lock file is written by the service itself',
    },
  ],
  'db/queue/connections.ts': [/^\s*begin\b/i, /\bindex\s+concurrently\b/i],
  'db/startup/service-role.ts': [/tuple concurrently updated|already exists|duplicate key/],
  'shared/formats/base-url.ts': [
    /^https?:\/\//i,
    /[?#]/,
    { expression: /(?<!\/)\/+$/, known: [{ before: '', repeated: '/', after: '\0/' }] },
  ],
  'shared/formats/base64.ts': [/\s/],
  'shared/secrets/find-matches.ts': [/\[redacted: [a-z0-9-]{1,40}\]/g],
  'shared/secrets/find-secrets.ts': [
    /^(?:gh[opsur]_|github_pat_|gl[a-z]{2,4}-|xox[a-z]-|xapp-|sk-|sk_|rk_|SG\.|shp[a-z]{2}_|npm_|hf_|gsk_|lin_|ntn_|hv[sbr]\.|vc[a-z]_|dapi|dckr_|figd_|cf[a-z]{1,3}_|tskey-|glc_|glsa_|ops_|tm_pat_|AIza|eyJ|whsec_|ya29|pypi-|https:\/\/hooks|ATATT3|GOCSPX-|AGE-)/,
  ],
  'shared/secrets/match.ts': [
    /\$\{|\{\{|<[^>]|%[A-Z_]+%|^\$|^\{|\*{3}|\.{3}|…|x{4}|your[-_]|example|placeholder|redacted/i,
  ],
  'shared/secrets/named-values.ts': [
    /(?<=(?:(?<password>pass(?:word|wd|phrase|code)|pwd|passwort|kennwort|contraseña|mot de passe|senha|wachtwoord|пароль|密码|密碼|パスワード|비밀번호)|secret(?:[_-]?access)?(?:[_-]?key(?:[_-]?base)?)?|token|credentials?|(?:api|access|auth|account|private|encryption|signing|master)[_-]?key)(?:[_-]?\d{1,2})?[\\"'`\])*_]{0,4}\s{0,3})(?:=>|:=|=(?!=)|={2,3}(?=\s?["'`])|[:：>|は은])\s{0,3}/gi,
    /\s(?:is|was|ist|lautet|est|es|è|é|это)[\s:](?<=(?i:(?<password>pass(?:word|wd|phrase|code)|pwd|passwort|kennwort|contraseña|mot de passe|senha|wachtwoord|пароль)|secret|token|key)["'*_`]{0,2}\s{1,2}(?:is|was|ist|lautet|est|es|è|é|это)[\s:])\s{0,3}/g,
    /--(?:[a-z]{1,12}-){0,2}(?:(?<password>pass(?:word|wd|phrase|code))|secret|token|key)\s{1,3}/g,
    /(?<open>\\?["'`“«])(?<value>[^\s"'`“”«»\\]{1,500})\\?["'`”»]/y,
    /(?:[^\s"'`<>,;&|\\\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef]|&(?!\w{1,30}=)){1,500}/y,
    { expression: /[.,;:!?)\]}*_]+$/, atMost: 500, because: 'a value is read up to this length' },
    {
      expression:
        /^(?:[~^<>=v]{0,2}\d+\.\d+(?:\.\d+)?(?:[-.+][\w.+-]+)?|\d{4}-\d\d-\d\d(?:[T ].*)?|(?:\.{0,2}\/|[a-z][a-z0-9+.-]*:\/\/|arn:|sha\d+-|#[\da-f]+$|@).*|(?:sha|aes|md|rsa|hs|rs|es|utf|iso|ed|x)[-_]?\d+(?:[-_]\w+)?|argon2(?:id?)?|pbkdf2|base\d\d(?:url)?|oauth2?|u?int\d+\w*|float\d+\w*|\d+(?:st|nd|rd|th|px|ms|min|days?))$/i,
      atMost: 500,
      because: 'a value is read up to this length',
    },
    /^[\w$]+(?:\??\.[\w$]+)*[([]|^(?!\d)[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)+$/,
    /\p{L}/u,
    /\d/,
    /[!@#$%^&+=~?*]/,
    /^\d{8,}$/,
  ],
  'shared/secrets/private-keys.ts': [
    /-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----/g,
    /-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----/,
    /^(?:[A-Za-z0-9+/=\s:,.()>|*#-]|<br ?\/?>|\\[nrt])*/,
    /[A-Za-z0-9+/]{16}/,
    /[A-Za-z0-9+/]/g,
    /\\[nrt]|<br ?\/?>/g,
  ],
  'shared/secrets/token-rules.ts': [
    /\d/,
    /tm_pat_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}(?![0-9A-Za-z])/g,
    /(?<![A-Za-z0-9_-])ey[A-Za-z0-9_-]{8,4000}\.e[yw][A-Za-z0-9_-]{8,8000}\.[A-Za-z0-9_-]{16,2000}/g,
    /(?<![A-Za-z0-9_-])AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])/g,
    /(?:Account|SharedAccess)Key["']?\s{0,2}[=:]\s{0,2}["']?(?<value>[A-Za-z0-9+/]{40,88}={0,2})/dg,
    /(?<![A-Z0-9])A[KS]IA[A-Z0-9]{16}(?![A-Z0-9])/g,
    /aws[a-z_.-]{0,20}(?:secret|access)[a-z_.-]{0,20}["']?\s{0,3}(?:=>|[:=])\s{0,3}["']?(?<value>[a-z0-9/+=]{40})(?![a-z0-9/+=])/dgi,
    /(?<![A-Za-z0-9])whsec_[A-Za-z0-9+/_-]{20,200}={0,2}/g,
    /(?<![A-Za-z])npm_[A-Za-z0-9]{36}(?![A-Za-z0-9_])/g,
    /_authToken=(?<value>[^\s$"'][^\s"']{7,500})/dg,
    /https?:\/\/(?<value>[^\s:@/]{1,256}):x-oauth-basic@github\.com/dg,
    /_v1_(?<=do[opr]_v1_)(?<value>[a-f0-9]{64})/dg,
    /gl(?:rt|dt|ptt|soat)-[A-Za-z0-9_-]{20,128}/g,
    /ya29\.[A-Za-z0-9_-]{30,500}/g,
    /(?<![A-Za-z0-9])sk-(?:(?:proj|svcacct|admin|or-v1|ant-[a-z0-9]{3,8})-[A-Za-z0-9_-]{32,250}|[A-Za-z0-9]{40,64}(?![A-Za-z0-9]))/g,
    /:AA[A-Za-z0-9_-]{33}(?<=(?<![A-Za-z0-9])(?<value>\d{8,10}:AA.{33}))(?![A-Za-z0-9_-])/dg,
    /\/api\/webhooks\/\d{15,21}\/(?<value>[\w-]{60,80})/dg,
    /pypi-AgE[A-Za-z0-9_-]{50,500}/g,
    /(?<![A-Za-z0-9])(?:ATATT3|GOCSPX-|AGE-SECRET-KEY-1)[A-Za-z0-9_=-]{20,500}/g,
    /\bBearer\s{1,4}(?<value>[\w.~+/-]{16,8000}={0,2})/dgi,
    /\bAuthorization["']?\s{0,2}[:=]\s{0,2}["']?Basic\s{1,4}(?<value>[A-Za-z0-9+/]{8,800}={0,2})/dgi,
  ],
  'shared/secrets/url-passwords.ts': [
    /^(?:pass(?:word|wd)?|pwd|secret|token|my-?password|changeme|test|user|root|admin|x-oauth-basic)$/i,
    /:\/\/[^\s:/@"'<>`]{0,100}:(?<value>[^\s/"'<>`]{1,256})@[^\s/"'<>`@]/dg,
  ],
  'shared/text/blocks.ts': [
    /^ {0,3}(#{1,6})[ \t](.*)$/,
    /(?:^|[ \t])#+$/,
    /^ {0,3}(=+|-+)[ \t]*$/,
    /^\s*(?:[-*+>|]|\d+[.)]\s)/,
    /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/,
    /\S/,
    /^ {0,3}[#`~=-]/,
  ],
  'shared/text/chunking.ts': [/\s*/y, /\n*/y],
  'shared/formats/email.ts': [/^[^\s@\p{Cc}\p{Cf}]+@[^\s@\p{Cc}\p{Cf}]+$/u],
  'shared/ids.ts': [/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i],
  'shared/lifecycle.ts': [
    { expression: /(?<!\s)\s*\n\s*/g, known: [{ before: '', repeated: '\t', after: '\0\n' }] },
  ],
  'shared/text/long-text.ts': [/\s(?![\p{M}\u200d])/gu, /\n(?=[^\S\n]*\p{Ll})/gu],
  'shared/formats/media-types.ts': [/\.([^./\\]*)$/],
  'shared/schemas/common.ts': [/\S/u],
  'shared/schemas/memory.ts': [/\S/u],
  'shared/text/equal-texts.ts': [/^[\0-\x7f]*$/, /[\s\u0085]{2,}|[^\S ]|\u0085/g, /[\p{M}\uff9e\uff9f]{65}/u],
  'shared/text/prepare-batch.ts': [/[^\0-\x7f]/, /[\r\n]/],
  'shared/settings/value-types.ts': [/^\d+$/, /^\d{1,3}$/, /^https?:$/, /\s|\p{Cc}/u],
  'shared/text/terms/characters.ts': [
    /^[\p{L}\p{N}\p{M}]/u,
    /^[\p{sc=Han}\p{scx=Hiragana}\p{scx=Katakana}]/u,
    /^[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u,
    /^\p{M}/u,
    /^[\u1100-\u11ff]/,
    /^[\u00ad\u200b-\u200d\u2010\u2011\u2060\ufeff]/,
    /^[\ud800-\udfff]/,
  ],
  'shared/text/words.ts': [
    /([\p{M}\uff9e\uff9f]{64})[\p{M}\uff9e\uff9f]+/gu,
    /[-_./:@#+]/,
    /[\p{N}_./:@#+]/u,
    /[\u00ad\u200b-\u200d\u2060\ufeff]/g,
    /[\u2010\u2011]/g,
    /^[\0-\x7f]*$/,
    /^\p{M}/u,
    /^[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u,
    /([\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Arabic}\p{sc=Hebrew}])\p{M}+/gu,
    /^\p{Nd}+[-.]?(?:st|nd|rd|th|s|er|ers|ern|e|è|re|eme|ème|[oa]s?|[rdtmnv][oa]|й|я|е|х|го|му|м|ми|ти|ы[йх]|ая|о[ейм]|у?ю)$/u,
    /\p{L}/u,
    /\p{Nd}/gu,
    /\p{Nd}/u,
  ],
  'shared/formats/workspace-path.ts': [
    /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/,
    /[<>:"|?*\\]/,
    /\p{Cc}/u,
    /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$) *(?:\.|$)/i,
    /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g,
    /^(?:\.git|git~1)$/i,
    /[^ı]+/g,
  ],
  'worker/embedder/fetch-model.ts': [/\. |\n/, /\.$/],
  'worker/embedder/hub-request.ts': [/^https?:$/, /^(?:W\/)?"?([0-9a-f]+)"?$/i, /^\d{1,15}$/],
  'worker/embedder/model-checksums.ts': [/^[0-9a-f]{64}$/],
  'worker/embedder/model-download.ts': [/^bytes (\d+)-\d+\/(\d+|\*)$/],
  'worker/embedder/model-files.ts': [/^\w[\w.-]*$/, /\s+/g],
  'worker/embedder/model.ts': [/roberta|camembert/],
  'worker/extract/tabular/csv.ts': [/^(?:sep=)([^\n])\n/i, /\p{L}/u, /\r\n?/g],
  'worker/extract/office/docx.ts': [
    {
      expression: /(?<!\s)\s*<a href="#([^"]*)">↑<\/a>/g,
      known: [
        { before: '', repeated: '\t', after: '<a' },
        { before: '<a href="#', repeated: '↑</a>note-ref-', after: '↑</a>' },
      ],
    },
  ],
  'worker/extract/mail/email-message.ts': [
    /^\s*-----BEGIN PGP MESSAGE-----/,
    /^application\/(?:x-)?pkcs7-mime\b/i,
    /smime-type\s*=\s*"?(?:signed|compressed|certs)/i,
  ],
  'worker/extract/office/epub.ts': [/\s+/],
  'worker/extract/html/html-to-markdown.ts': [
    /\s+/g,
    /^[+−-]?\d+$/,
    /^ {0,3}(?:#{1,6}(?=\s|$)|`{3}|~{3}|(?:=+|-+)\s*$)/,
    / {2,}/g,
  ],
  'worker/extract/html/html-tree.ts': [
    {
      expression:
        /(?<=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uff60])[\t ]*\n\s*(?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uff60])/gu,
      known: [
        { before: '漢', repeated: '\n', after: 'x' },
        { before: '', repeated: '漢\t\n', after: 'x' },
      ],
    },
    /\S/,
  ],
  'worker/extract/json/json-fault.ts': [
    /[\t\n\r ]*/y,
    /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y,
    /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y,
    /["\\]/g,
  ],
  'worker/extract/text/markdown-text.ts': [
    /^ {0,3}[#`~=-]/m,
    /^( {0,3})(#{1,6}[ \t])/,
    /^ {0,3}(?:=+|-+)[ \t]*$/,
    /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/,
    /\r\n?/g,
    /[=-]/,
    /\s+/g,
  ],
  'worker/extract/mail/mbox-messages.ts': [
    {
      expression: /\d{1,2}:\d{2}.*\b\d{4}\b|\b\d{4}\b.*\d{1,2}:\d{2}/,
      atMost: 80,
      because: 'only the end of the line is searched',
    },
    /^[!-9;-~]+:/,
    /^(?:\u00ef\u00bb\u00bf)?[\r\n]*/,
    /^>(>*From )/gm,
  ],
  'worker/sandbox/memory-watch.ts': [/^VmRSS:\s+(\d+) kB$/m],
  'worker/extract/pdf/paragraphs.ts': [
    /[\p{L}\p{M}]+(?:[-‐][\p{L}\p{M}]+)*/gu,
    {
      expression: /(?<![\p{L}\p{M}])([\p{L}\p{M}]*\p{Ll})[-‐]$/u,
      known: [{ before: '', repeated: 'A', after: '\0a-' }],
    },
    /^(\p{Ll}[\p{L}\p{M}]*)/u,
    /^(?:[•‣▪◦●○■–—*-]|\p{L}[.)]|\d{1,3}[.)])\s/u,
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u3000-\u303f\uff00-\uff60]/u,
  ],
  'worker/extract/pdf/pdf.ts': [
    /^(?:untitled|unbenannt|title|microsoft (?:word|powerpoint|excel) - .*)$/i,
    /\s/g,
    /[\p{Cc}\uFFFD]/gu,
  ],
  'worker/extract/chat/slack-export.ts': [
    /^\d+\.\d+$/,
    /(?:_join|_leave|_archive|_unarchive|_name|_add|_remove|_convert_to_private|_posting_permissions)$|^(?:pinned_item|unpinned_item|tombstone)$/,
  ],
  'worker/extract/chat/slack-markup.ts': [
    /<([^<>\n]*)>/g,
    /&(amp|lt|gt);/g,
    /^(?:mailto|tel):/,
    /^subteam\^/,
  ],
  'worker/extract/html/xhtml.ts': [
    /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$/i,
    {
      expression: /<([A-Za-z][\w:.-]*)(?=[\s/>])((?:[^<>"']|"[^"<]*"|'[^'<]*')*)\/>/g,
      known: [{ before: '<a', repeated: '-', after: `'/>"/>` }],
    },
    {
      expression: /^\ufeff?\s*<\?xml\s|<html\b[^>]*\sxmlns\s*=\s*["']http:\/\/www\.w3\.org\/1999\/xhtml["']/i,
      atMost: 2_000,
      because: 'only the start of the file is searched',
    },
  ],
  'worker/extract/office/zip-archive.ts': [/encryption/],
};
