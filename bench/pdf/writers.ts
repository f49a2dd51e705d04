import { type Block, type Document, Draw } from './documents.ts';

const escapeXml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const isRightToLeft = ({ language }: Document) => /he|ar/.test(language);

type Table = Extract<Block, { is: 'table' }>;

/** How many columns and rows a cell covers. */
function spanOf({ rows }: Table, x: number, y: number) {
  const across = rows[y]?.findIndex((cell, at) => at > x && cell !== '<') ?? -1;
  const down = rows.findIndex((row, at) => at > y && row[x] !== '^');
  return {
    columns: (across < 0 ? (rows[y]?.length ?? 0) : across) - x,
    rows: (down < 0 ? rows.length : down) - y,
  };
}

const isCovered = (text: string) => text === '<' || text === '^';
const isNumeric = (text: string) => /^[\d.,]+$/.test(text);
const raised = (text: string) => text.replaceAll(/\^(\d)/gu, '<sup>$1</sup>').replaceAll('\n', '<br>');

const CSS = `p { margin: 0 0 .8em } h2 { font-size: 130% } .note, figcaption { font-size: 80% }
tr { break-inside: avoid } table { border-collapse: collapse; margin: 0 0 1em }
td, th { padding: 2px 6px; vertical-align: top; text-align: start }
.ruled td, .ruled th { border: 1px solid #555 } .zebra tr:nth-child(even) td { background: #ddd } .sides td { width: 50% }
.lines tr { border-bottom: 1px solid #555 } .number { text-align: end } .shadow { text-shadow: .4px 0 black }
.entry { display: flex } .entry span { flex: none; white-space: nowrap }
.entry i { flex: 1; overflow: hidden; height: 1.2em; white-space: nowrap; direction: ltr } .columns { column-gap: 16pt }
.grid { display: grid; grid-template-columns: 1fr 1fr 1fr; gap: 14pt } .flex { display: flex; gap: 14pt }
.flex > div { flex: 1 } .flex > div:first-child { line-height: 1.5 } .absolute { position: relative; height: 640px }
.absolute > div { position: absolute; width: 58% } .float > div { float: left; width: 62% }
.float > div + div { float: right; width: 32%; border: 1px solid #555; padding: 3px }
.float::after { content: ''; display: block; clear: both }`;

/**
 * A document as HTML.
 * @param plain without styles and dot leaders, for programs that ignore them
 */
export function writeHtml(document: Document, plain = false): string {
  const { language, header, footer, landscape, serif, justified, size } = document;
  const draw = new Draw(`${header}${size}`);
  const cell = (table: Table, text: string, x: number, y: number) => {
    if (isCovered(text)) return '';
    const { columns, rows } = spanOf(table, x, y);
    const name = table.head && y === 0 ? 'th' : 'td';
    const style = isNumeric(text) ? (plain ? 'style="text-align: right"' : 'class=number') : '';
    return `<${name} colspan=${columns} rowspan=${rows} ${style}>${escapeXml(text)}</${name}>`;
  };
  const write = (block: Block): string => {
    if (block.is === 'heading') return `<h2>${block.text}</h2>`;
    if (block.is === 'text') return `<p>${raised(block.text)}</p>`;
    if (block.is === 'twice') return `<p class=shadow><b>${block.text}</b></p>`;
    if (block.is === 'note') return `<p class=note>${block.text}</p>`;
    if (block.is === 'caption') {
      return `<figure><div style="height: 40px; background: #9ab"></div><figcaption>${block.text}</figcaption></figure>`;
    }
    if (block.is === 'list') {
      const name = block.ordered ? 'ol' : 'ul';
      return `<${name}>${block.items.map((item) => `<li>${item}</li>`).join('\n')}</${name}>`;
    }
    if (block.is === 'contents') {
      const leader = plain ? ' ' : `<i>${' .'.repeat(150)}</i>`;
      return block.rows
        .map(([title, page]) => `<div class=entry><span>${title}</span>${leader}<span>${page}</span></div>`)
        .join('\n');
    }
    if (block.is === 'code') return `<pre>${block.lines.join('\n')}</pre>`;
    if (block.is === 'columns') {
      return `<div class=columns style="column-count: ${block.count}">${block.blocks.map(write).join('\n')}</div>`;
    }
    if (block.is === 'beside') {
      const sides = block.sides.map((side) => side.map(write).join('\n'));
      if (block.how === 'table') {
        return `<table class=sides width=100%><tr>${sides.map((side) => `<td>${side}</td>`).join('')}</tr></table>`;
      }
      // Drawn at the place that the style says, not where they are in the file.
      const place = (at: number) =>
        block.how === 'absolute' ? `left: ${(at % 2) * 40}%; top: ${at * 150}px` : `order: ${at}`;
      const divs = sides.map((side, at) => `<div style="${place(at)}">${side}</div>`);
      return `<div class=${block.how}>${(block.how === 'float' ? divs : draw.shuffled(divs)).join('\n')}</div>`;
    }
    const rows = block.rows.map(
      (row, y) => `<tr>${row.map((text, x) => cell(block, text, x, y)).join('')}</tr>`,
    );
    const head = block.head ? `<thead>${rows.shift()}</thead>` : '';
    const width = Math.floor(100 / (block.rows[0]?.length ?? 1));
    const columns = plain ? `<col style="width: ${width}%">`.repeat(block.rows[0]?.length ?? 0) : '';
    return `<table class=${block.look}>${columns}${head}<tbody>${rows.join('\n')}</tbody></table>`;
  };
  const margins = `@top-left { content: "${header}" } @bottom-left { content: "${footer}" } @bottom-right { content: counter(page) }`;
  const family = serif
    ? 'Liberation Serif, Noto Naskh Arabic, Noto Serif CJK SC'
    : 'Noto Sans, Noto Sans Hebrew, Noto Sans CJK JP';
  const spread = justified ? 'body { text-align: justify; hyphens: auto } h2 { letter-spacing: .15em }' : '';
  const style = `<style>@page { size: A4 ${landscape ? 'landscape' : 'portrait'}; margin: 20mm; ${header === '' ? '' : margins} }
    body { margin: 0; font: ${size}pt/1.35 ${family} } ${spread} ${CSS}</style>`;
  const direction = isRightToLeft(document) ? 'rtl' : 'ltr';
  return `<!DOCTYPE html><html lang=${language} dir=${direction}><meta charset=utf-8><title></title>
    ${plain ? '' : style}<body>${document.blocks.map(write).join('\n')}</body></html>`;
}

const OPEN_DOCUMENT = 'urn:oasis:names:tc:opendocument:xmlns';
const NAMESPACES = `xmlns:office="${OPEN_DOCUMENT}:office:1.0" xmlns:style="${OPEN_DOCUMENT}:style:1.0"
  xmlns:text="${OPEN_DOCUMENT}:text:1.0" xmlns:table="${OPEN_DOCUMENT}:table:1.0" xmlns:draw="${OPEN_DOCUMENT}:drawing:1.0"
  xmlns:fo="${OPEN_DOCUMENT}:xsl-fo-compatible:1.0" xmlns:svg="${OPEN_DOCUMENT}:svg-compatible:1.0"`;

const paragraphStyle = (name: string, paragraph: string, text = '') =>
  `<style:style style:name="${name}" style:family="paragraph" ${name === 'P' ? '' : 'style:parent-style-name="P"'}>
    <style:paragraph-properties ${paragraph}/><style:text-properties ${text}/></style:style>`;
const cellStyle = (name: string, cell: string) =>
  `<style:style style:name="${name}" style:family="table-cell">
    <style:table-cell-properties fo:padding="0.06cm" fo:wrap-option="wrap" ${cell}/></style:style>`;
const listStyle = (name: string, level: string) =>
  `<text:list-style style:name="${name}"><text:list-level-style-${level} text:level="1"><style:list-level-properties
    text:space-before="0.2cm" text:min-label-width="0.7cm"/></text:list-level-style-${level.split(' ')[0]}></text:list-style>`;

const sectionStyle = (columns: number) =>
  `<style:style style:name="S${columns}" style:family="section"><style:section-properties>
    <style:columns fo:column-count="${columns}" fo:column-gap="0.6cm"/></style:section-properties></style:style>`;

/** The styles of all documents. */
const STYLES = `${sectionStyle(2)} ${sectionStyle(3)}
${paragraphStyle('H', 'fo:margin-top="0.3cm" fo:keep-with-next="always"', 'fo:font-weight="bold" fo:font-size="150%"')}
${paragraphStyle('Cell', 'fo:margin-bottom="0cm" fo:text-align="start"')}
${paragraphStyle('Number', 'fo:margin-bottom="0cm" fo:text-align="end"')}
${paragraphStyle('Code', 'fo:margin-bottom="0cm"', 'fo:font-family="Liberation Mono"')}
${paragraphStyle('Small', '', 'fo:font-size="80%"')}
${paragraphStyle('Shadow', '', 'fo:text-shadow="1pt 1pt" fo:font-weight="bold"')}
<style:style style:name="Entry" style:family="paragraph" style:parent-style-name="P"><style:paragraph-properties>
<style:tab-stops><style:tab-stop style:position="16cm" style:type="right" style:leader-style="dotted" style:leader-text="."/>
</style:tab-stops></style:paragraph-properties></style:style>
<style:style style:name="Raised" style:family="text"><style:text-properties style:text-position="super 58%"/></style:style>
<style:style style:name="Row" style:family="table-row"><style:table-row-properties fo:keep-together="always"/></style:style>
<style:style style:name="Column" style:family="table-column"><style:table-column-properties style:column-width="3.2cm"/></style:style>
${cellStyle('plain', '')} ${cellStyle('ruled', 'fo:border="0.5pt solid #000000"')}
${cellStyle('zebra', 'fo:background-color="#dddddd"')} ${cellStyle('lines', 'fo:border-bottom="0.5pt solid #000000"')}
${listStyle('Bullets', 'bullet text:bullet-char="•"')} ${listStyle('Ordered', 'number style:num-suffix="." style:num-format="1"')}`;

/** A document as flat OpenDocument: a text, the tables of it as a sheet, or slides with a few blocks each. */
export function writeOpenDocument(document: Document, as: 'text' | 'spreadsheet' | 'presentation'): string {
  const { header, footer, landscape, serif, justified, size } = document;
  const paragraph = (text: string, style = 'P') =>
    `<text:p text:style-name="${style}">${escapeXml(text)
      .replaceAll(/\^(\d)/gu, '<text:span text:style-name="Raised">$1</text:span>')
      .replaceAll('\n', '<text:line-break/>')
      .replaceAll('\t', '<text:tab/>')
      .replaceAll(/^ +/g, (spaces) => `<text:s text:c="${spaces.length}"/>`)}</text:p>`;
  const table = (block: Table, at: number) => {
    const cell = (text: string, x: number, y: number) => {
      if (isCovered(text)) return '<table:covered-table-cell/>';
      const { columns, rows } = spanOf(block, x, y);
      const spans = `table:number-columns-spanned="${columns}" table:number-rows-spanned="${rows}"`;
      const content = paragraph(text, isNumeric(text) ? 'Number' : 'Cell');
      return `<table:table-cell table:style-name="${block.look === 'zebra' && y % 2 === 0 ? 'plain' : block.look}" ${spans}>${content}</table:table-cell>`;
    };
    const rows = block.rows.map(
      (row, y) =>
        `<table:table-row table:style-name="Row">${row.map((text, x) => cell(text, x, y)).join('')}</table:table-row>`,
    );
    const head = block.head ? `<table:table-header-rows>${rows.shift()}</table:table-header-rows>` : '';
    const columns = `<table:table-column table:style-name="Column" table:number-columns-repeated="${block.rows[0]?.length}"/>`;
    return `<table:table table:name="T${at}">${columns}${head}${rows.join('\n')}</table:table>${as === 'text' ? '<text:p/>' : ''}`;
  };
  const write = (block: Block, at: number): string => {
    if (block.is === 'heading')
      return `<text:h text:style-name="H" text:outline-level="1">${block.text}</text:h>`;
    if (block.is === 'table') return table(block, at);
    if (block.is === 'list') {
      const style = block.ordered ? 'Ordered' : 'Bullets';
      const items = block.items.map((item) => `<text:list-item>${paragraph(item)}</text:list-item>`);
      return `<text:list text:style-name="${style}">${items.join('')}</text:list>`;
    }
    if (block.is === 'contents') return block.rows.map((row) => paragraph(row.join('\t'), 'Entry')).join('');
    if (block.is === 'code') return block.lines.map((line) => paragraph(line, 'Code')).join('');
    if (block.is === 'columns') {
      return `<text:section text:style-name="S${block.count}" text:name="s${at}">${block.blocks.map(write).join('')}</text:section>`;
    }
    if (block.is === 'beside') {
      const cells = block.sides.map(
        (side) => `<table:table-cell>${side.map(write).join('')}</table:table-cell>`,
      );
      return `<table:table><table:table-column table:number-columns-repeated="${cells.length}"/><table:table-row>${cells.join('')}</table:table-row></table:table>`;
    }
    return paragraph(block.text, block.is === 'twice' ? 'Shadow' : block.is === 'text' ? 'P' : 'Small');
  };
  const mode = `style:writing-mode="${isRightToLeft(document) ? 'rl-tb' : 'lr-tb'}"`;
  const standard = paragraphStyle(
    'P',
    `fo:margin-bottom="0.25cm" ${mode} ${justified ? 'fo:text-align="justify"' : ''}`,
    `fo:font-family="${serif ? 'Liberation Serif' : 'Liberation Sans'}" fo:hyphenate="${justified}" fo:font-size="${size}pt"
      style:font-size-complex="${size}pt" style:font-size-asian="${size}pt" style:font-family-asian="Noto Sans CJK SC"`,
  );
  const [width, height] = landscape ? [29.7, 21] : [21, 29.7];
  const layout = `<style:page-layout style:name="L"><style:page-layout-properties fo:page-width="${width}cm"
    fo:page-height="${height}cm" fo:margin="2cm" ${mode}/><style:header-style/><style:footer-style/></style:page-layout>`;
  const foot = `<text:p>${footer}<text:tab/><text:page-number/></text:p>`;
  const margins = `<style:header>${paragraph(header)}</style:header><style:footer>${foot}</style:footer>`;
  const frame = (x: number, y: number, block: Block | undefined) =>
    `<draw:frame svg:x="${x}cm" svg:y="${y}cm" svg:width="8.5cm" svg:height="2cm"><draw:text-box>${block === undefined ? '' : write(block, 0)}</draw:text-box></draw:frame>`;
  // The frame at the right comes before the one at the left.
  const slide = ([title, left, right]: readonly Block[]) =>
    `<draw:page draw:master-page-name="M">${frame(1, 1, title)}${frame(11, 4, right)}${frame(1, 4, left)}</draw:page>`;
  const { blocks } = document;
  const slides = blocks.flatMap((_, at) => (at % 3 === 0 ? [slide(blocks.slice(at, at + 3))] : []));
  const content = as === 'presentation' ? slides : blocks.map(write);
  return `<?xml version="1.0" encoding="UTF-8"?>
    <office:document ${NAMESPACES} office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.${as}">
    <office:styles>${standard}</office:styles><office:automatic-styles>${STYLES}${layout}</office:automatic-styles>
    <office:master-styles><style:master-page style:name="${as === 'text' ? 'Standard' : 'M'}" style:page-layout-name="L">
    ${header === '' || as !== 'text' ? '' : margins}</style:master-page></office:master-styles>
    <office:body><office:${as}>${content.join('\n')}</office:${as}></office:body></office:document>`;
}

const escapeRoff = (text: string) => text.replaceAll('\\', '\\e').replaceAll(/\^(\d)/gu, '\\*{$1\\*}');

/** A document for groff with the macros ms and the tables of tbl. */
export function writeRoff({ blocks, header, footer, size, justified }: Document): string {
  const write = (block: Block): string[] => {
    if (block.is === 'heading') return ['.SH', block.text];
    if (block.is === 'note' || block.is === 'caption') return ['.LP', '.SM', block.text, '.NL'];
    if (block.is === 'text') {
      const lines = escapeRoff(block.text).split('\n');
      return [size > 10 ? '.PP' : '.LP', ...lines.flatMap((line) => [line, '.br'])];
    }
    if (block.is === 'twice') return ['.LP', `\\Z'${block.text}'\\h'0.3p'${block.text}`];
    if (block.is === 'list')
      return block.items.flatMap((item, at) => [block.ordered ? `.IP ${at + 1}. 4` : '.IP \\(bu 3', item]);
    if (block.is === 'code') return ['.LD', '.ft C', ...block.lines, '.ft R', '.DE'];
    if (block.is === 'contents') {
      const lines = block.rows.map(([title, page]) => `${title} \u0001 ${page}`);
      return ['.LD', '.ta 15cR', '.lc .', ...lines, '.DE', '.ta T 0.5i'];
    }
    if (block.is === 'columns')
      return [block.count === 2 ? '.2C' : '.MC 4.5c 0.6c', ...block.blocks.flatMap(write), '.1C'];
    if (block.is === 'beside') return block.sides.flat().flatMap(write);
    const options = { ruled: 'allbox', plain: 'center', zebra: 'box', lines: 'expand' }[block.look];
    const width = Math.floor(400 / size / (block.rows[0]?.length ?? 1)) - 2;
    const numeric = (x: number) => block.rows.slice(1).every((row) => /^[\d.,]*$/.test(row[x] ?? ''));
    const columns = block.rows[0]?.map((_, x) => `${numeric(x) ? 'r' : 'l'}w(${width}m)`).join(' ');
    const row = (cells: readonly string[]) => {
      const line = cells.map((cell) => (cell.length > width * 1.7 ? `T{\n${cell}\nT}` : cell)).join('\t');
      return block.look === 'lines' ? `${line}\n_` : line;
    };
    const [head = '', ...rows] = block.rows.map(row);
    const heading = ['.LP', block.head ? '.TS H' : '.TS', `${options};`, `${columns}.`, head];
    return [...heading, ...(block.head ? ['.TH'] : []), ...rows, '.TE'];
  };
  const letters = [`.nr PS ${size}`, `.nr VS ${Math.round(size * 1.25)}`];
  const margins = [`.ds LH ${header}`, '.ds CH', '.ds RH', `.ds LF ${footer}`, '.ds CF \\\\n(PN', '.P1'];
  return [...letters, ...margins, justified ? '.ad b' : '.na', ...blocks.flatMap(write), ''].join('\n');
}

/** How the pieces of a page are drawn in PostScript. */
export const DRAWN_AS = ['lines', 'letters', 'backwards', 'shuffled', 'across', 'bold', 'turned'] as const;
type DrawnAs = (typeof DRAWN_AS)[number];

interface Piece {
  x: number;
  y: number;
  size: number;
  text: string;
  page: number;
}

/** The pieces of a document's headings, texts and tables on pages: lines and cells, in one column or two. */
function piecesOf({ blocks, size, header, footer }: Document): Piece[] {
  const pieces: Piece[] = [];
  let [page, y, columns, column] = [0, 780, 1, 0];
  const left = () => 56 + column * 250;
  const next = (height: number) => {
    y -= height;
    if (y > 60) return;
    y = 780 - height;
    column = (column + 1) % columns;
    if (column === 0) page += 1;
  };
  const lines = (text: string, width: number, of: number) => {
    const longest = Math.floor(width / (of * 0.56));
    return text.match(new RegExp(`\\S(?:.{0,${longest - 2}}\\S)?(?=\\s|$)`, 'gu')) ?? [];
  };
  const write = (block: Block): void => {
    if (block.is === 'columns') {
      [page, y, columns, column] = [page + (pieces.length === 0 ? 0 : 1), 780, 2, 0];
      block.blocks.forEach(write);
      [page, y, columns, column] = [page + 1, 780, 1, 0];
    } else if (block.is === 'table') {
      const width = 480 / (block.rows[0]?.length ?? 1);
      for (const row of block.rows) {
        const cells = row.map((text) => lines(text, width - 8, size));
        const height = Math.max(...cells.map((cell) => cell.length)) * size * 1.2;
        next(height + size * 0.5);
        cells.forEach((cell, x) =>
          cell.forEach((text, line) =>
            pieces.push({ x: 56 + x * width, y: y + height - line * size * 1.2, size, text, page }),
          ),
        );
      }
      next(size);
    } else if ('text' in block) {
      const of = block.is === 'heading' ? size * 1.4 : size;
      const width = columns === 2 ? 230 : 480;
      for (const text of block.text.split('\n').flatMap((line) => lines(line, width, of))) {
        next(of * 1.25);
        pieces.push({ x: left(), y, size: of, text, page });
      }
      next(size * 0.6);
    }
  };
  blocks.forEach(write);
  if (header === '') return pieces;
  const pages = [...new Set(pieces.map((piece) => piece.page))];
  const margin = pages.flatMap((each): Piece[] => [
    { x: 56, y: 810, size: 9, text: header, page: each },
    { x: 56, y: 36, size: 9, text: footer, page: each },
  ]);
  return [...pieces, ...margin];
}

/** A document in PostScript, whose pieces are drawn in the order and way of `as`. */
export function writePostScript(document: Document, as: DrawnAs): string {
  const draw = new Draw(as + document.header);
  const ordered = (pieces: Piece[]) => {
    if (as === 'shuffled') return draw.shuffled(pieces);
    return as === 'across' ? pieces.toSorted((a, b) => b.y - a.y || b.x - a.x) : pieces;
  };
  const string = (part: string) => `(${part.replaceAll(/[()\\]/g, '\\$&')})`;
  const show = ({ x, y, size, text }: Piece) => {
    const at = `${size.toFixed(1)} f ${x.toFixed(1)} ${y.toFixed(1)} moveto`;
    if (as === 'bold') return `${at} ${string(text)} show ${at} 0.3 0 rmoveto ${string(text)} show`;
    if (as === 'letters') return `${at} ${[...text].map((char) => `${string(char)} show`).join(' ')}`;
    if (as !== 'backwards') return `${at} ${string(text)} show`;
    const starts = [...text.matchAll(/\S+/gu)].toReversed();
    const word = (from: number, part: string) =>
      `${string(text.slice(0, from))} stringwidth rmoveto ${string(part)} show`;
    return starts.map(({ index, 0: part }) => `${at} ${word(index, part)}`).join('\n');
  };
  const pages = Map.groupBy(piecesOf(document), ({ page }) => page);
  const font = document.serif ? 'Times-Roman' : 'Helvetica';
  // Ghostscript sees the direction of the text and states it as the rotation of the page.
  const [size, turn] = as === 'turned' ? ['842 595', '90 rotate 0 -842 translate'] : ['595 842', ''];
  const bodies = [...pages.values()].map(
    (pieces) => `${turn}\n${ordered(pieces).map(show).join('\n')}\nshowpage`,
  );
  return `%!PS\n<< /PageSize [${size}] >> setpagedevice\n/f { /${font} exch selectfont } def\n${bodies.join('\n')}\n`;
}
