import {
  type Declaration,
  inBraces,
  inBuild,
  inConfiguration,
  inLisp,
  inPatch,
  inPython,
  inSignatures,
  inSql,
  inStyles,
  inXml,
  inYaml,
  type Where,
} from './declarations.ts';

/** How the blocks of a kind of file are found. */
export interface CodeStyle {
  /** The declaration of a line without its indentation, or null. */
  declarationOf: (line: string, where: Where) => Declaration | null;
  /** Lines before a declaration that belong to it: comments, decorators, attributes. */
  preamble: RegExp;
  /** Whether a block ends where a line is indented less. Otherwise it ends with a line such as `}` or `end`. */
  isIndented: boolean;
  /** What encloses text of several lines in which nothing is a declaration. */
  quotes: readonly string[];
  /** Lines that are one level deeper than their indentation says, such as the items of a list of YAML. */
  nested: RegExp | null;
}

const style = (
  declarationOf: CodeStyle['declarationOf'],
  preamble: RegExp,
  more: Partial<CodeStyle> = {},
): CodeStyle => ({ declarationOf, preamble, isIndented: false, quotes: [], nested: null, ...more });

const OTHER = style(
  inBraces,
  /^(?:\/\/|\/\*|\*|#(?! *(?:define|elif|else|endif|if|ifdef|ifndef|import|include|pragma|undef)\b)|--|@|\[|%|'|template\b|(?:bool|char|const|double|extern|float|inline|int|long|static|struct|unsigned|void)\b[\w\s*]*$)/,
);
const BUILD = style(inBuild, /^#/, { isIndented: true });

const BY_EXTENSION: ReadonlyMap<string, CodeStyle> = new Map(
  (
    [
      [style(inPython, /^[#@]/, { isIndented: true, quotes: ['"""', "'''"] }), 'py pyi pyw nim'],
      [style(inLisp, /^;/, { isIndented: true }), 'clj cljc cljs el lisp rkt scm'],
      [style(inSignatures, /^(?:--|\{-|\(\*)/, { isIndented: true }), 'hs elm ml mli'],
      [style(inSql, /^(?:--|\/\*|\*)/, { quotes: ['$$'] }), 'sql psql ddl'],
      [style(inYaml, /^#/, { isIndented: true, nested: /^-(?:\s|$)/ }), 'yaml yml'],
      [
        style(inConfiguration, /^[#;]|^\/\//),
        'ini conf cfg cnf toml properties env service config tf tfvars hcl',
      ],
      [style(inXml, /^<!--/), 'xml xsd xsl xslt wsdl rss atom opml plist csproj xaml'],
      [style(inStyles, /^(?:\/\*|\*|\/\/)/), 'css scss sass less'],
      [style(inPatch, /^(?!)/, { nested: /^(?:@@|[-+])/ }), 'diff patch'],
      [BUILD, 'mk dockerfile'],
    ] as const
  ).flatMap(([found, extensions]) => extensions.split(' ').map((extension) => [extension, found] as const)),
);

/** How the blocks of a file are found, by its name or path. */
export function styleOf(filename: string): CodeStyle {
  const name = /[^/\\]*$/.exec(filename)?.[0].toLowerCase() ?? '';
  if (/^(?:gnu)?makefile|^(?:docker|container)file/.test(name)) return BUILD;
  return BY_EXTENSION.get(name.slice(name.lastIndexOf('.') + 1)) ?? OTHER;
}
