import type { Extractors } from './extraction.ts';

/**
 * The extractor of each format in shared/formats/media-types.ts. Extractors are loaded when they are first needed, in
 * the process that reads files, because some libraries are large.
 */
export const EXTRACTORS: Extractors = {
  'text/plain': async () => (await import('./plain-text.ts')).extractPlainText,
  'text/markdown': async () => (await import('./markdown/markdown.ts')).extractMarkdown,
  'text/x-rst': async () => (await import('./markup/restructured-text.ts')).extractRestructuredText,
  'text/asciidoc': async () => (await import('./markup/asciidoc.ts')).extractAsciidoc,
  'text/org': async () => (await import('./markup/org.ts')).extractOrg,
  'application/x-tex': async () => (await import('./markup/tex.ts')).extractTex,
  'text/html': async () => (await import('./html.ts')).extractHtml,
  'text/csv': async () => (await import('./csv.ts')).extractCsv,
  'text/tab-separated-values': async () => (await import('./csv.ts')).extractTsv,
  'application/json': async () => (await import('./json/json.ts')).extractJson,
  'application/x-ndjson': async () => (await import('./json/json.ts')).extractJsonLines,
  'application/x-ipynb+json': async () => (await import('./json/notebook.ts')).extractNotebook,
  'application/yaml': async () => (await import('./code/source-code.ts')).extractYaml,
  'application/toml': async () => (await import('./code/source-code.ts')).extractToml,
  'application/xml': async () => (await import('./code/source-code.ts')).extractXml,
  'text/x-source-code': async () => (await import('./code/source-code.ts')).extractSourceCode,
  'text/vtt': async () => (await import('./subtitles.ts')).extractSubtitles,
  'text/calendar': async () => (await import('./calendar/calendar.ts')).extractCalendar,
  'text/vcard': async () => (await import('./calendar/contacts.ts')).extractContacts,
  'application/pdf': async () => (await import('./pdf.ts')).extractPdf,
  'application/epub+zip': async () => (await import('./office/epub.ts')).extractEpub,
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': async () =>
    (await import('./office/docx.ts')).extractDocx,
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': async () =>
    (await import('./office/sheets/xlsx.ts')).extractXlsx,
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': async () =>
    (await import('./office/slides/pptx.ts')).extractPptx,
  'application/vnd.oasis.opendocument.text': async () => (await import('./office/odt.ts')).extractOdt,
  'application/vnd.oasis.opendocument.presentation': async () =>
    (await import('./office/slides/odp.ts')).extractOdp,
  'application/vnd.oasis.opendocument.spreadsheet': async () =>
    (await import('./office/sheets/ods.ts')).extractOds,
  'application/rtf': async () => (await import('./office/rtf.ts')).extractRtf,
  'message/rfc822': async () => (await import('./mail.ts')).emailExtractor(EXTRACTORS),
  'application/vnd.ms-outlook': async () => (await import('./mail.ts')).outlookExtractor(EXTRACTORS),
  'multipart/related': async () => (await import('./mail/saved-page.ts')).extractSavedPage,
  'application/mbox': async () => (await import('./mail.ts')).mboxExtractor(EXTRACTORS),
};
