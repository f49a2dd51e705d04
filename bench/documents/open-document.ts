import type { Document } from './documents.ts';
import type { Block } from './draw.ts';
import { escapeXml, isCovered, isNumeric, isRightToLeft, spanOf, type Table } from './markup.ts';

const OPEN_DOCUMENT = 'urn:oasis:names:tc:opendocument:xmlns';
/** The namespaces of a flat OpenDocument file. */
export const NAMESPACES = `xmlns:office="${OPEN_DOCUMENT}:office:1.0" xmlns:style="${OPEN_DOCUMENT}:style:1.0"
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
