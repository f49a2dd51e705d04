import { Draw } from '../../documents/draw.ts';
import { escapeXml } from '../../documents/markup.ts';
import type { Expected } from '../judge.ts';

/** A page, and what it must be read as. */
interface Page {
  html: string;
  expected: Expected;
}

/** An article, and words of the page around it. */
interface Parts {
  title: string;
  paragraphs: readonly string[];
  /** Texts of links of the menu. */
  menu: readonly string[];
  cookies: string;
  footer: string;
}

const a = (text: string) => `<a href="/${text.toLowerCase().replaceAll(' ', '-')}">${text}</a>`;
const items = (texts: readonly string[], attributes = '') =>
  `<ul ${attributes}>${texts.map((text) => `<li>${a(text)}</li>`).join('\n')}</ul>`;
const ps = (texts: readonly string[]) => texts.map((text) => `<p>${text}</p>`).join('\n');
const page = (title: string, body: string, head = '') =>
  `<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>${title}</title>${head}
   <script>window.dataLayer = [{"event": "pageview", "user": null}];</script><style>.menu { color: red }</style></head>
   <body>${body}<script>track("clicked")</script></body></html>`;

/** How the texts of a page can be laid out. */
const TEMPLATES: Readonly<Record<string, (parts: Parts) => string>> = {
  news: ({ title, paragraphs, menu, cookies, footer }) =>
    page(
      title,
      `<div id="cookie-banner" class="cookie-consent" role="dialog"><p>${cookies}</p><button>Accept all</button><button>Reject</button></div>
    <header class="site-header"><nav class="main-nav">${items(menu)}</nav></header>
    <main><article><h1>${title}</h1>${ps(paragraphs)}</article></main>
    <aside class="related"><h3>Related</h3>${items(menu.toReversed())}</aside><footer><p>${footer}</p>${items(menu.slice(2))}</footer>`,
    ),
  blog: ({ title, paragraphs, menu, footer }) =>
    page(
      title,
      `<div id="masthead" class="navbar"><div class="menu">${menu.map(a).join(' | ')}</div></div>
    <div id="content"><div class="post"><h1 class="entry-title">${title}</h1><div class="entry-content">${ps(paragraphs)}</div></div></div>
    <div id="sidebar" class="widget-area"><h2>Archive</h2>${items(menu)}</div><div id="footer">${footer}</div>`,
    ),
  wiki: ({ title, paragraphs, menu, footer }) =>
    page(
      `${title}`,
      `<div id="mw-navigation" role="navigation"><h3>Navigation</h3>${items(menu)}</div>
    <div id="content" class="mw-body" role="main"><h1 id="firstHeading">${title}</h1><div id="mw-content-text">${ps(paragraphs)}
    </div></div><div id="footer" role="contentinfo">${items(menu.slice(1))}<p>${footer}</p></div>`,
    ),
  'old-table': ({ title, paragraphs, menu, footer }) =>
    page(
      title,
      `<table width=100% border=0><tr><td colspan=2 bgcolor=navy>${menu.map(a).join(' - ')}</td></tr><tr><td width=150 valign=top>${menu.map((text) => `${a(text)}<br>`).join('\n')}</td>
    <td><h1>${title}</h1>${ps(paragraphs)}</td></tr><tr><td colspan=2><font size=1>${footer}</font></td></tr></table>`,
    ),
  hidden: ({ title, paragraphs, cookies }) =>
    page(
      title,
      `<main><h1>${title}</h1><p hidden>${cookies}</p>${ps(paragraphs)}<div style="display:none">${cookies}</div>
    <span style="visibility: hidden">${cookies}</span><div aria-hidden="true" style="display: none !important">${cookies}</div></main>
    <template><p>${cookies}</p></template><noscript>Please enable JavaScript.</noscript>`,
    ),
  docs: ({ title, paragraphs, menu, footer }) =>
    page(
      title,
      `<nav class="breadcrumb" aria-label="Breadcrumb"><ol>${menu
        .slice(0, 3)
        .map((text) => `<li>${a(text)}</li>`)
        .join('')}</ol></nav>
    <div class="layout"><nav class="sidebar">${items(menu)}</nav><main><h1>${title}</h1>${ps(paragraphs)}</main>
    <nav class="toc"><p>On this page</p>${items(menu.slice(3))}</nav></div><footer>${footer}</footer>`,
    ),
  forum: ({ title, paragraphs, menu, footer }) =>
    page(
      title,
      `<div class=nav>${menu.map(a).join(' &raquo; ')}</div><h1>${title}</h1>${paragraphs
        .map(
          (text, at) => `<div class="post"><div class="body"><p>${text}</p></div></div>${at === 0 ? '' : ''}`,
        )
        .join('\n')}<div class="footer">${footer}</div>`,
    ),
};

const simple = (html: string, expected: Expected): Page => ({
  html: `<!DOCTYPE html><meta charset=utf-8><body>${html}</body>`,
  expected,
});

/** Small pages that show one element each. */
const ELEMENTS: Readonly<Record<string, Page>> = {
  form: simple(
    '<h1>Order</h1><form><label>Customer <input name=c value="Northwind Pumps"></label><label>City <input value="Kiel"></label><input type=hidden value="token-4417"><select><option>Draft</option><option selected>Approved</option></select><textarea>Deliver before noon.</textarea><input type=checkbox checked> Express</form>',
    {
      texts: [
        'Order',
        'Customer Northwind Pumps',
        'City Kiel',
        'Approved',
        'Deliver before noon.',
        'Express',
      ],
      optional: ['Draft'],
    },
  ),
  definitions: simple(
    '<dl><dt>Torque</dt><dd>How hard a screw is turned.</dd><dt>Flow</dt><dd>How much water passes.</dd></dl>',
    {
      texts: ['Torque', 'How hard a screw is turned.', 'Flow', 'How much water passes.'],
    },
  ),
  'nested-table': simple(
    '<table><tr><th>Field</th><th>Value</th></tr><tr><td>Owner</td><td><table><tr><td>Ann</td><td>Kiel</td></tr></table></td></tr><tr><td>Phone</td><td>6100</td></tr></table><p>Call before noon.</p>',
    {
      texts: ['Call before noon.'],
      tables: [
        {
          labels: ['Field', 'Value'],
          rows: [
            ['Owner', 'Ann Kiel'],
            ['Phone', '6100'],
          ],
        },
      ],
    },
  ),
  'heading-in-cell': simple(
    '<table><tr><th>Part</th><th>Steps</th></tr><tr><td><h3>Valve</h3></td><td><ul><li>open slowly</li><li>read gauge</li></ul></td></tr><tr><td>Motor</td><td><p>first line</p><p>second line</p></td></tr></table>',
    {
      texts: [],
      tables: [
        {
          labels: ['Part', 'Steps'],
          rows: [
            ['Valve', ['open slowly read gauge', 'open slowly - read gauge']],
            ['Motor', 'first line second line'],
          ],
        },
      ],
    },
  ),
  spans: simple(
    '<table><thead><tr><th>Region</th><th>City</th><th>Price</th></tr></thead><tr><td rowspan=2>North</td><td>Kiel</td><td>12.50</td></tr><tr><td>Bremen</td><td>14.00</td></tr><tr><td colspan=2>Total of all</td><td>26.50</td></tr></table>',
    {
      texts: [],
      tables: [
        {
          labels: ['Region', 'City', 'Price'],
          rows: [
            ['North', 'Kiel', '12.50'],
            ['^', 'Bremen', '14.00'],
            ['Total of all', '<', '26.50'],
          ],
        },
      ],
    },
  ),
  'two-heading-rows': simple(
    '<table><thead><tr><th rowspan=2>Region</th><th colspan=2>Spring</th></tr><tr><th>Plan</th><th>Actual</th></tr></thead><tbody><tr><td>North</td><td>285</td><td>583</td></tr><tr><td>South</td><td>368</td><td>679</td></tr></tbody></table>',
    {
      texts: [],
      tables: [
        {
          labels: [['Region'], ['Spring Plan', 'Spring', 'Plan'], ['Spring Actual', 'Actual', 'Spring', '']],
          rows: [
            ['North', '285', '583'],
            ['South', '368', '679'],
          ],
        },
      ],
    },
  ),
  layout: simple(
    '<table><tr><td><h2>Left story</h2><p>The bridge is open again.</p></td><td><h2>Right story</h2><p>The harbour is closed.</p></td></tr></table>',
    {
      texts: ['Left story', 'The bridge is open again.', 'Right story', 'The harbour is closed.'],
    },
  ),
  inline: simple(
    '<p>The <b>gate</b> code is<br>4417<span>and</span> H<sub>2</sub>O.</p><div>first</div><div>second</div><p>one<wbr>word, a&nbsp;space, &copy; &#8211; dash</p>',
    {
      texts: ['The gate code is 4417and', 'first', 'second', 'oneword, a space, – dash'],
      optional: ['H O HO H2O 2'],
    },
  ),
  details: simple(
    '<details><summary>How do I return a pump?</summary><p>Send it to the northern workshop.</p></details><figure><img src=x.png alt="Plan of the hall"><figcaption>The hall in May</figcaption></figure>',
    {
      texts: ['How do I return a pump?', 'Send it to the northern workshop.', 'The hall in May'],
      optional: ['Plan of the hall'],
    },
  ),
  code: simple(
    '<p>Run this:</p><pre><code>def torque(valve):\n    return valve * 60\n</code></pre><p>and <code>npm test</code> after.</p>',
    {
      texts: ['Run this:', 'def torque(valve): return valve * 60', 'and npm test after.'],
    },
  ),
  data: simple(
    '<p>Before the picture.</p><img src="data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk" alt=""><p>After the picture.</p><svg><title>Logo</title><text>Pumps</text></svg>',
    {
      texts: ['Before the picture.', 'After the picture.'],
      optional: ['Logo Pumps'],
    },
  ),
  'links-article': simple(
    `<h1>Reading list</h1><p>These are the manuals of the plant, with a note on each.</p>${items(['Pump manual', 'Valve manual', 'Motor manual'])}<p>Ask the workshop for others.</p>`,
    {
      texts: [
        'Reading list',
        'These are the manuals of the plant, with a note on each.',
        'Pump manual',
        'Valve manual',
        'Motor manual',
        'Ask the workshop for others.',
      ],
    },
  ),
  'only-links': simple(
    items(['Pump manual', 'Valve manual', 'Motor manual', 'Gauge manual', 'Filter manual']),
    {
      texts: ['Pump manual', 'Valve manual', 'Motor manual', 'Gauge manual', 'Filter manual'],
    },
  ),
  ruby: simple('<p>駅は<ruby>東京<rp>(</rp><rt>とうきょう</rt><rp>)</rp></ruby>です。</p><p>別の文。</p>', {
    texts: ['別の文。'],
    optional: ['駅は東京です 駅は東京(とうきょう)です 駅は東京とうきょうです 駅は 東京 とうきょう です'],
  }),
};

const MENU = ['Home', 'Products', 'Solutions', 'Careers', 'Newsroom', 'Investors', 'Contact', 'Login'];

/** Pages in the way of templates of different sites, and small ones. */
export function pageCases(seed: string): Readonly<Record<string, Page>> {
  const pages = Object.entries(TEMPLATES).flatMap(([name, write]) =>
    [1, 2].map((round): [string, Page] => {
      const d = new Draw(`${seed}-${name}-${round}`);
      const parts: Parts = {
        title: d.title(),
        paragraphs: d.many(3, 7, () => escapeXml(d.text(3, 6))),
        menu: MENU.map((word) =>
          round === 1 ? word : `${word} ${['zone', 'desk', 'hub'][word.length % 3]}`,
        ),
        cookies: 'We use cookies and similar techniques to personalise advertising.',
        footer: '© 2024 Northwind Group. Imprint and privacy.',
      };
      const expected: Expected = { texts: parts.paragraphs, title: parts.title, optional: [parts.title] };
      return [`${name}-${round}`, { html: write(parts), expected }];
    }),
  );
  return { ...Object.fromEntries(pages), ...ELEMENTS };
}
