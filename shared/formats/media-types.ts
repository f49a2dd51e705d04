/** A file format that can be imported. */
export interface ImportFormat {
  /** Its name in messages and documents. */
  label: string;
  /** In lower case, without the dot. */
  extensions: readonly string[];
  /** Names that count more than an extension, in lower case: `makefile`, `requirements.txt`. */
  names?: readonly string[];
  /** Other media types that programs declare for it, in lower case. */
  aliases: readonly string[];
  /**
   * What the file has besides the text that is read, where a credential could be: nothing ('all read'); scripts, fields,
   * headers, links or properties ('partly read'), which not every program compresses; the parts of a ZIP archive ('archive').
   */
  content: 'all read' | 'partly read' | 'archive';
}

const words = (text: string): string[] => text.split(' ');

/** Files that are stored as they are written, and cut at functions and classes. */
const SOURCE_EXTENSIONS = words(
  'ada adb ads asm astro awk bas bash bat bicep c cc cfg clj cljc cljs cls cmake cmd cnf cob conf config cpp cs cshtml ' +
    'csproj css cts cu cue cxx d dart ddl diff dockerfile edn ejs el elm env erb erl ex exs f90 f95 feature fish frag fs ' +
    'fsx gleam glsl go gql gradle graphql groovy h haml handlebars hbs hcl hpp hrl hs hxx ini ino j2 java jinja jinja2 jl ' +
    'js jsx kt kts ksh less liquid lisp lua m mak mjs mk ml mli mm mts nim nix pas patch php phtml pl pm po pot prisma ' +
    'properties proto ps1 psd1 psm1 psql pug py pyi pyw pyx r rake rb razor rkt rs s sass sbt sc scala scm scss service ' +
    'sh sol sql sv svelte swift tcl tf tfvars thrift tpl ts tsx v vb vbs vert vhd vhdl vim vue wat xaml zig zsh',
);

/**
 * Every format that can be imported, by its media type. Every list of formats is made from these, and
 * worker/extract/registry.ts must have a reader for each. Formats that share a media type are told apart by their content,
 * in the reader: the exports of chats are JSON, and XHTML is read as HTML. Office files with macros and templates are read as
 * documents; their macros are never run.
 */
export const IMPORT_FORMATS = {
  'text/plain': {
    label: 'plain text',
    extensions: ['txt', 'text', 'log'],
    names: words(
      'authors changelog changes contributing copying copyright install licence license news notice readme todo',
    ),
    aliases: [],
    content: 'partly read',
  },
  'text/markdown': {
    label: 'Markdown',
    extensions: ['md', 'markdown', 'mdown', 'mkd', 'mdx', 'qmd', 'rmd'],
    aliases: ['text/x-markdown'],
    content: 'partly read',
  },
  'text/x-rst': {
    label: 'reStructuredText',
    extensions: ['rst'],
    aliases: ['text/prs.fallenstein.rst'],
    content: 'partly read',
  },
  'text/asciidoc': {
    label: 'AsciiDoc',
    extensions: ['adoc', 'asciidoc'],
    aliases: ['text/x-asciidoc'],
    content: 'partly read',
  },
  'text/org': { label: 'Org', extensions: ['org'], aliases: ['text/x-org'], content: 'partly read' },
  'application/x-tex': {
    label: 'TeX',
    extensions: ['tex', 'ltx', 'latex'],
    aliases: ['text/x-tex', 'application/x-latex'],
    content: 'partly read',
  },
  'text/html': {
    label: 'HTML',
    extensions: ['html', 'htm', 'xhtml'],
    aliases: ['application/xhtml+xml'],
    content: 'partly read',
  },
  'text/csv': {
    label: 'CSV',
    extensions: ['csv'],
    aliases: ['application/csv', 'text/x-csv', 'text/comma-separated-values'],
    content: 'all read',
  },
  // Not read as CSV: there the delimiter is found from the text, which can contain more commas than tabs.
  'text/tab-separated-values': { label: 'TSV', extensions: ['tsv'], aliases: [], content: 'all read' },
  'application/json': { label: 'JSON', extensions: ['json'], aliases: ['text/json'], content: 'partly read' },
  'application/x-ndjson': {
    label: 'JSON Lines',
    extensions: ['jsonl', 'ndjson'],
    aliases: ['application/jsonl', 'application/ndjson', 'application/x-jsonlines'],
    content: 'partly read',
  },
  'application/x-ipynb+json': {
    label: 'notebook (.ipynb)',
    extensions: ['ipynb'],
    aliases: [],
    content: 'partly read',
  },
  'application/yaml': {
    label: 'YAML',
    extensions: ['yaml', 'yml'],
    aliases: ['application/x-yaml', 'text/yaml', 'text/x-yaml'],
    content: 'all read',
  },
  'application/toml': { label: 'TOML', extensions: ['toml'], aliases: ['text/x-toml'], content: 'all read' },
  'application/xml': {
    label: 'XML',
    extensions: words('xml xsd xsl xslt dtd wsdl rss atom opml plist xliff xlf'),
    aliases: ['text/xml', 'application/rss+xml', 'application/atom+xml', 'application/xslt+xml'],
    content: 'all read',
  },
  'text/x-source-code': {
    label: 'source code and configuration',
    extensions: SOURCE_EXTENSIONS,
    names: words(
      '.dockerignore .editorconfig .gitattributes .gitignore .npmignore brewfile caddyfile cmakelists.txt constraints.txt containerfile dockerfile gemfile gnumakefile jenkinsfile go.mod go.sum justfile makefile procfile rakefile requirements.txt vagrantfile',
    ),
    aliases: words(
      'application/graphql application/javascript application/sql application/typescript application/x-httpd-php ' +
        'application/x-javascript application/x-perl application/x-php application/x-python application/x-ruby ' +
        'application/x-sh application/x-shellscript text/css text/ecmascript text/javascript text/jsx text/typescript ' +
        'text/x-c text/x-c++ text/x-c++hdr text/x-c++src text/x-chdr text/x-csharp text/x-csrc text/x-diff text/x-go ' +
        'text/x-java text/x-java-source text/x-kotlin text/x-lua text/x-makefile text/x-patch text/x-perl text/x-php ' +
        'text/x-properties text/x-python text/x-python-script text/x-ruby text/x-rust text/x-rustsrc text/x-scala ' +
        'text/x-script.python text/x-sh text/x-shellscript text/x-sql text/x-swift',
    ),
    content: 'all read',
  },
  'text/vtt': {
    label: 'subtitles (.vtt, .srt)',
    extensions: ['vtt', 'srt'],
    aliases: ['application/x-subrip', 'text/srt'],
    content: 'partly read',
  },
  'text/calendar': {
    label: 'calendar (.ics)',
    extensions: ['ics', 'ical', 'vcs'],
    aliases: ['text/x-vcalendar', 'application/ics'],
    content: 'partly read',
  },
  'text/vcard': {
    label: 'contacts (.vcf)',
    extensions: ['vcf', 'vcard'],
    aliases: ['text/x-vcard', 'text/directory'],
    content: 'partly read',
  },
  'application/pdf': {
    label: 'PDF',
    extensions: ['pdf'],
    aliases: ['application/x-pdf', 'application/acrobat'],
    content: 'partly read',
  },
  'application/epub+zip': {
    label: 'EPUB',
    extensions: ['epub'],
    aliases: ['application/x-epub+zip'],
    content: 'archive',
  },
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': {
    label: 'DOCX',
    extensions: ['docx', 'docm', 'dotx', 'dotm'],
    aliases: [
      'application/vnd.ms-word.document.macroenabled.12',
      'application/vnd.openxmlformats-officedocument.wordprocessingml.template',
      'application/vnd.ms-word.template.macroenabled.12',
    ],
    content: 'archive',
  },
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': {
    label: 'XLSX',
    extensions: ['xlsx', 'xlsm', 'xltx', 'xltm'],
    aliases: [
      'application/vnd.ms-excel.sheet.macroenabled.12',
      'application/vnd.openxmlformats-officedocument.spreadsheetml.template',
      'application/vnd.ms-excel.template.macroenabled.12',
    ],
    content: 'archive',
  },
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': {
    label: 'PPTX',
    extensions: ['pptx', 'pptm', 'ppsx', 'ppsm', 'potx', 'potm'],
    aliases: [
      'application/vnd.ms-powerpoint.presentation.macroenabled.12',
      'application/vnd.openxmlformats-officedocument.presentationml.slideshow',
      'application/vnd.ms-powerpoint.slideshow.macroenabled.12',
      'application/vnd.openxmlformats-officedocument.presentationml.template',
      'application/vnd.ms-powerpoint.template.macroenabled.12',
    ],
    content: 'archive',
  },
  'application/vnd.oasis.opendocument.text': {
    label: 'ODT',
    extensions: ['odt', 'ott'],
    aliases: ['application/vnd.oasis.opendocument.text-template'],
    content: 'archive',
  },
  'application/vnd.oasis.opendocument.spreadsheet': {
    label: 'ODS',
    extensions: ['ods', 'ots'],
    aliases: ['application/vnd.oasis.opendocument.spreadsheet-template'],
    content: 'archive',
  },
  'application/vnd.oasis.opendocument.presentation': {
    label: 'ODP',
    extensions: ['odp', 'otp'],
    aliases: ['application/vnd.oasis.opendocument.presentation-template'],
    content: 'archive',
  },
  'application/rtf': {
    label: 'RTF',
    extensions: ['rtf'],
    aliases: ['text/rtf', 'application/x-rtf'],
    content: 'partly read',
  },
  'message/rfc822': { label: 'e-mail (.eml)', extensions: ['eml'], aliases: [], content: 'partly read' },
  'application/vnd.ms-outlook': {
    label: 'Outlook message (.msg)',
    extensions: ['msg'],
    aliases: ['application/x-msg', 'application/msoutlook'],
    content: 'partly read',
  },
  'multipart/related': {
    label: 'saved page (.mht)',
    extensions: ['mht', 'mhtml'],
    aliases: ['application/x-mimearchive', 'application/x-mht'],
    content: 'partly read',
  },
  'application/mbox': {
    label: 'mailbox (.mbox)',
    extensions: ['mbox'],
    aliases: ['application/x-mbox'],
    content: 'partly read',
  },
} satisfies Readonly<Record<string, ImportFormat>>;

/** The media type of a format that can be imported. */
export type ImportMediaType = keyof typeof IMPORT_FORMATS;

/** The formats by name, for messages: `plain text, Markdown, …`. */
export const IMPORT_FORMAT_NAMES = Object.values(IMPORT_FORMATS)
  .map(({ label }) => label)
  .join(', ');

const FORMATS = Object.entries(IMPORT_FORMATS) as [
  ImportMediaType,
  (typeof IMPORT_FORMATS)[ImportMediaType],
][];
const BY_EXTENSION = new Map<string, ImportMediaType>(
  FORMATS.flatMap(([type, { extensions }]) => extensions.map((extension) => [extension, type] as const)),
);
const BY_NAME = new Map<string, ImportMediaType>(
  FORMATS.flatMap(([type, format]) =>
    'names' in format ? format.names.map((name) => [name, type] as const) : [],
  ),
);
/** Names that are followed by what the file is for. */
const BY_BUILD_NAME = new Map<string, ImportMediaType>(
  ['containerfile', 'dockerfile', 'makefile'].map((name) => [name, 'text/x-source-code']),
);
const BY_DECLARED_TYPE = new Map<string, ImportMediaType>(
  FORMATS.flatMap(([type, { aliases }]) => [type, ...aliases].map((name) => [name, type] as const)),
);

/** The extensions of all formats, in lower case, without the dot. */
export const IMPORT_EXTENSIONS: readonly string[] = [...BY_EXTENSION.keys()];
/** Whole names that are a format without an extension of it, and names that are one with any extension, in lower case. */
export const IMPORT_NAMES: readonly string[] = [...BY_NAME.keys()];
export const IMPORT_BUILD_NAMES: readonly string[] = [...BY_BUILD_NAME.keys()];

/**
 * UNKNOWN is declared for a type that the program does not know. Where Excel is installed, Windows declares EXCEL for CSV
 * files too, and some programs declare it for all workbooks. Workbooks of the older Excel cannot be imported.
 */
const UNKNOWN = 'application/octet-stream';
const EXCEL = 'application/vnd.ms-excel';
const EXCEL_EXTENSIONS: ReadonlySet<string> = new Set(['csv', 'xlsx', 'xlsm', 'xltx', 'xltm']);

/**
 * The media type as which a file is imported: the declared one, or that of the extension. Null if it cannot be
 * imported. Does not check the content.
 * @param isText whether the content was sent as text. Text without a type and an extension is plain text
 */
export function importMediaType(
  filename: string,
  declared: string | undefined,
  isText: boolean,
): ImportMediaType | null {
  const type = declared?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const name = /[^/\\]*$/.exec(filename)?.[0].toLowerCase() ?? '';
  const extension = /\.([^.]*)$/.exec(name)?.[1];
  if (type === EXCEL)
    return EXCEL_EXTENSIONS.has(extension ?? '') ? (BY_EXTENSION.get(extension ?? '') ?? null) : null;
  // The extension does not count here: a program that declares a type knows the content, and a name can be anything.
  if (type !== '' && type !== UNKNOWN) return BY_DECLARED_TYPE.get(type) ?? null;
  const named = BY_NAME.get(name);
  if (named !== undefined) return named;
  if (extension === undefined) return isText ? 'text/plain' : null;
  // Such as Dockerfile.prod and Makefile.am.
  return BY_EXTENSION.get(extension) ?? BY_BUILD_NAME.get(name.slice(0, name.indexOf('.'))) ?? null;
}
