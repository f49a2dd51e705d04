/** Finds the lines that begin a function, a class or another named block, by their form. No language is parsed. */

/** A line that begins a named block. */
export interface Declaration {
  /** What the block is called: `class Pump`, `async def start`. */
  name: string;
  /** Whether it has members, such as a class. */
  isContainer: boolean;
}

/** Where a line is: outside of all blocks, directly in a container, or in the body of a function. */
export type Where = 'top' | 'container' | 'body';

/** A longer name is cut. */
const MAX_NAME_LENGTH = 120;

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '));
/** Words before the one that says what is declared. Some of them also declare: see `VALUES`. */
const MODIFIERS = setOf(
  '"C" @objc Friend Private Protected Public Shared abstract actual annotation async case companion const constexpr data ' +
    'declare default elemental expect export extern external fileprivate final friend global implicit inline inner ' +
    'internal lazy local mutating nonisolated open operator override partial private protected pub pub(crate) public ' +
    'pure readonly recursive sealed static suspend unsafe value virtual',
);
/** What has members. */
const CONTAINERS = setOf(
  'Class Module Namespace Structure actor class contract defimpl defmodule defprotocol describe enum extension impl ' +
    'interface library message mixin mod module namespace object protocol record resource service struct trait union',
);
const FUNCTIONS = setOf(
  'Function Property Sub constructor def defmacro defp fn fun func function function* init macro macro_rules! modifier ' +
    'proc procedure rpc sub subroutine',
);
const VALUES = setOf(
  'const data event fragment input it let mutation output program provider query scalar task test type typealias ' +
    'typedef val var variable',
);
/** More words than a declaration has before its name. */
const MAX_WORDS = 10;

/** What a line declares by its keyword, or null. */
function keywordOf(line: string): 'container' | 'function' | 'value' | null {
  let isValue = false;
  for (const word of line.split(' ', MAX_WORDS)) {
    const bare = MODIFIERS.has(word) ? word : (/^[^(<]+/.exec(word)?.[0] ?? '');
    if (CONTAINERS.has(bare)) return 'container';
    if (FUNCTIONS.has(bare)) return 'function';
    isValue ||= VALUES.has(bare);
    if (!MODIFIERS.has(bare)) break;
  }
  return isValue ? 'value' : null;
}

/** A value that is a function: `const start = async (pump) => {`. */
const FUNCTION_VALUE = /=>|\bfunction\b/;

/** Statements whose first line looks like that of a function. */
const STATEMENT =
  /^(?:and|assert|await|case|catch|defer|delete|do|echo|elif|else|elsif|for|foreach|go|goto|guard|if|in|lock|loop|match|new|not|or|print|raise|repeat|return|select|self|sizeof|super|switch|this|throw|try|unless|until|using|when|while|with|yield|#\s*(?:define|elif|else|endif|endregion|error|if|ifdef|ifndef|import|include|line|pragma|region|undef|warning))\b/;
/** A name and an opening bracket, on a line that does not end as a statement does. */
const CALLABLE = /^[\w$#~@*&:<>,.?![\] ]*[\w$>\])]\s*\([^;]*$/;
const CALLABLE_END = /(?:[{(,)]|=>|\b(?:const|override|noexcept))\s*$/;
/** What R and shells write before the body. */
const ASSIGNED = /^[\w.]+ *(?:<-|=) *function\b/;

const cut = (name: string) => name.slice(0, MAX_NAME_LENGTH).trim();
const declared = (name: string, isContainer = false): Declaration | null =>
  name === '' ? null : { name: cut(name), isContainer };

/** Annotations on the line of the declaration itself: `@Override public void start() {`. */
const ANNOTATIONS = /^(?:@[\w.]+(?:\([^()]*\))?\s+)+(?=[^\s@])/;
/** An object with members, as modules and components of JavaScript are written. */
const OBJECT = /^(?:export default|module\.exports =|[\w$]+:)(?= \{$)/;

/** The name of a declaration: its line up to the parameters, the body or the value. */
function nameOf(line: string): string {
  // A type can be in angle brackets, with a colon.
  if (line.startsWith('impl')) return /^[^{]*/.exec(line)?.[0].trim() ?? '';
  // The receiver of a method of Go is in brackets too.
  const receiver = /^func \([^()]*\) */.exec(line)?.[0] ?? '';
  const rest = line.slice(receiver.length);
  const end = /[({=;]|:(?=\s|$)|\s#|\s\/\//.exec(rest)?.index ?? rest.length;
  const name = `${receiver}${rest.slice(0, end)}`.trim();
  const open = name.lastIndexOf('<');
  return open > 0 && !name.includes('>', open) ? name.slice(0, open) : name.replace(/ <$/, '');
}

/** Most languages: a keyword, or what looks like the head of a function. */
export function inBraces(whole: string, where: Where): Declaration | null {
  const line = whole.replace(ANNOTATIONS, '');
  if (line.startsWith('@') || STATEMENT.test(line)) return null;
  const keyword = keywordOf(line);
  if (keyword !== null) {
    // It only says where the rest of the file is.
    if (keyword === 'container' && line.endsWith(';')) return null;
    if (where === 'body' && keyword === 'value' && !FUNCTION_VALUE.test(line)) return null;
    return declared(nameOf(line), keyword === 'container');
  }
  if (where === 'body') return null;
  const object = OBJECT.exec(line)?.[0];
  if (object !== undefined) return declared(object.replace(/[:=]$/, '').trim(), true);
  const isCallable = ASSIGNED.test(line) || (CALLABLE.test(line) && CALLABLE_END.test(line));
  return isCallable ? declared(nameOf(line.replace(/(?:<-|=) *function\b.*/, ''))) : null;
}

/** Python. */
export function inPython(line: string): Declaration | null {
  const keyword = /^(?:async +)?(?:def|class|cdef|cpdef|proc) /.exec(line)?.[0];
  return keyword === undefined ? null : declared(nameOf(line), keyword.includes('class'));
}

/** Lisp: `(defn start [pump]`. */
export function inLisp(line: string): Declaration | null {
  return declared(/^\((?:def[\w-]*|ns) +[^\s()[\]]+/.exec(line)?.[0].slice(1) ?? '');
}

/** Haskell and its like: the signature of a function. */
export function inSignatures(line: string): Declaration | null {
  const block = /^(?:class|data|instance|module|newtype|type) [^=]*/.exec(line)?.[0] ?? '';
  return declared(
    block === '' ? (/^(?:let |val )?[a-z][\w']* *:(?=:| )/.exec(line)?.[0].slice(0, -1).trim() ?? '') : block,
  );
}

/** SQL: what is created or altered. */
export function inSql(line: string): Declaration | null {
  const name = /^(?:create|alter)\s[^(;]*/i.exec(line)?.[0] ?? '';
  return declared(name.replace(/\s(?:as|returns)\b.*/i, ''));
}

/** YAML: a key, or an item of a list with what identifies it. */
export function inYaml(line: string): Declaration | null {
  const key = /^(?:- +)?(?:"[^"]*"|'[^']*'|[^\s#'"{}[\],&*|>%@`:-][^#:]*):(?=\s|$)/.exec(line)?.[0];
  if (key === undefined) return null;
  return declared(key.startsWith('-') ? line.slice(1).trim() : key.slice(0, -1), true);
}

/** Sections of INI and TOML, and blocks of other configuration: `server {`. */
export function inConfiguration(line: string): Declaration | null {
  const section =
    /^\[([^\]]*)\]/.exec(line)?.[1]?.replace(/^\[+/, '') ?? /^([^{}]*)\{\s*$/.exec(line)?.[1] ?? '';
  return declared(section.replace(/=\s*$/, '').trim(), true);
}

/** XML: an element with content on further lines. */
export function inXml(line: string): Declaration | null {
  const tag = /^<([\w:.-][^<>]*)>?$/.exec(line)?.[1];
  return tag === undefined || tag.endsWith('/') ? null : declared(tag, true);
}

/** CSS: the selector of a rule. */
export function inStyles(line: string): Declaration | null {
  return declared((/^([^{}]*)\{[^}]*$/.exec(line)?.[1] ?? '').trim(), true);
}

/** A patch: its files, and their pieces. */
export function inPatch(line: string): Declaration | null {
  if (/^(?:diff |Index: )/.test(line)) return declared(line, true);
  return line.startsWith('@@') ? declared(line) : null;
}

/** The targets of a Makefile, and the stages of a Dockerfile. */
export function inBuild(line: string): Declaration | null {
  return declared(/^FROM .*/i.exec(line)?.[0] ?? /^([\w.%/$(){}-][^:=#]*):(?!=)/.exec(line)?.[1] ?? '');
}
