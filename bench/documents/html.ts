import type { Document } from './documents.ts';
import { type Block, Draw } from './draw.ts';
import { escapeXml, isCovered, isNumeric, isRightToLeft, spanOf, type Table } from './markup.ts';

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
