import { ROOT } from '../../../shared/ask-service.js';
import { html, useLayoutEffect, useRef, useState } from '../../html.js';
import { problemOf, saveAs } from '../../parts/ask.js';
import { unreadWords } from '../../parts/imported-files.js';
import { Layer } from '../../parts/names.js';
import { count, KINDS, Moment, size, Uri } from '../../parts/words.js';
import { isExpired } from './labels.js';

/**
 * @typedef {import('./labels.js').PageProps} PageProps
 * @typedef {import('./labels.js').Source} Source
 * @typedef {import('./labels.js').SourceText} SourceText
 * @typedef {import('../../parts/names.js').Member} Member
 */

/**
 * What is known about a source, with its file.
 * @param {object} props
 * @param {SourceText} props.source
 * @param {readonly import('./labels.js').Client[] | null} props.clients
 * @param {readonly Member[] | null} props.members
 * @param {PageProps['session']} props.session
 * @param {PageProps['team']} props.team
 * @param {PageProps['lost']} props.lost
 * @param {PageProps['link']} props.link
 */
export function Facts({ source, clients, members, session, team, lost, link }) {
  const {
    createdBy,
    createdWith,
    createdAt,
    updatedAt,
    found,
    opened,
    lastFoundAt,
    expiresAt,
    original,
    unread,
    encoding,
    sameAs,
  } = source;
  const author =
    createdBy === session.user.id
      ? 'you'
      : html`<bdi>${members?.find(({ userId }) => userId === createdBy)?.name ?? 'someone who is not in this Team'}</bdi>`;
  /** @type {[string, unknown][]} */
  const pairs = [
    ['Kind', KINDS[source.kind]],
    [
      'Layer',
      html`<${Layer} id=${source.clientId} clients=${clients} />
        <small>${
          source.clientId === null
            ? 'Everyone in the Team can read it.'
            : 'Those with access to the client can read it.'
        }</small>`,
    ],
    [
      'Stored',
      html`<${Moment} at=${createdAt} />${(members !== null || createdBy === session.user.id) && html` by ${author}`}${createdWith !== null && html`, with the token <bdi>${createdWith.name}</bdi>`}`,
    ],
  ];
  if (updatedAt !== createdAt && source.state === 'active')
    pairs.push(['Changed', html`<${Moment} at=${updatedAt} />`]);
  pairs.push([
    isExpired(source) ? 'Expired' : 'Expires',
    expiresAt === null ? 'never' : html`<${Moment} at=${expiresAt} />`,
  ]);
  if (source.uri !== null) pairs.push(['Address', html`<${Uri} uri=${source.uri} />`]);
  if (source.externalId !== null) pairs.push(['External id', html`<bdi>${source.externalId}</bdi>`]);
  if (original !== null) {
    pairs.push([
      'Original',
      html`<${Original} source=${source} original=${original} session=${session} team=${team} lost=${lost} />`,
    ]);
  }
  if (encoding !== null) pairs.push(['Encoding', encoding]);
  if (unread.length > 0) pairs.push(['Not read', html`<bdi>${unreadWords(unread)}</bdi>`]);
  if (sameAs !== null)
    pairs.push([
      'Same text',
      html`<a href=${link(`/sources/${sameAs}`)}>the source that was stored first</a>`,
    ]);
  pairs.push(
    [
      'Found',
      lastFoundAt === null
        ? 'not yet by a search'
        : html`${count(found, 'time')}, last <${Moment} at=${lastFoundAt} />`,
    ],
    ['Opened', opened === 0 ? 'not yet' : count(opened, 'time')],
    ['Id', html`<code>${source.id}</code>`],
  );
  const metadata = Object.entries(source.metadata);
  return html`
    <section class="card" aria-labelledby="facts-heading">
      <h2 id="facts-heading">Details</h2>
      <dl class="named">${pairs.map(([name, value]) => html`<dt key=${name}>${name}</dt><dd>${value}</dd>`)}</dl>
      ${
        metadata.length > 0 &&
        html`<h3 id="metadata-heading">Metadata</h3>
          <dl class="named">
            ${metadata.map(
              ([name, value]) => html`
                <dt><bdi>${name}</bdi></dt>
                <dd><bdi>${typeof value === 'string' ? value : JSON.stringify(value)}</bdi></dd>
              `,
            )}
          </dl>`
      }
    </section>
  `;
}

/**
 * The file that the source was made of.
 * @param {object} props
 * @param {SourceText} props.source
 * @param {NonNullable<Source['original']>} props.original
 * @param {PageProps['session']} props.session
 * @param {PageProps['team']} props.team
 * @param {PageProps['lost']} props.lost
 */
function Original({ source, original, session, team, lost }) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const [saved, setSaved] = useState('');
  // A download ends with the page: nothing is saved after the user has signed out.
  const leaving = useRef(new AbortController());
  useLayoutEffect(() => () => leaving.current.abort(), []);

  async function download() {
    if (busy) return;
    setBusy(true);
    setProblem('');
    setSaved('');
    const failure = await save(source, {
      token: session.token,
      team: team.id,
      signal: leaving.current.signal,
    });
    setBusy(false);
    if (failure === null) return setSaved('Saved.');
    setProblem(
      failure.status === 404 ? 'The file is no longer stored. Reload this page.' : problemOf(failure),
    );
    if (failure.status === 401 || failure.answer?.code === 'team_forbidden') lost(failure);
  }

  return html`
    <span>${size(original.bytes)}, <bdi>${original.mediaType}</bdi></span>
    <div class="source-download">
      <button type="button" class="small" aria-busy=${busy ? 'true' : undefined} onClick=${download}>Download</button>
      <span role="status">${busy ? 'Downloading …' : saved}</span>
    </div>
    <p role="alert">${problem}</p>
  `;
}

/**
 * Downloads the original of a source, and saves it under its name.
 * @param {Pick<SourceText, 'id' | 'title'>} source
 * @param {{ token: string, team: string, signal: AbortSignal }} user and the signal that cancels it
 * @returns {Promise<import('../../parts/ask.js').Reply | null>} null, or why it could not be downloaded
 */
async function save({ id, title }, { token, team, signal }) {
  const NO_ANSWER = { status: 0, answer: null, retryAfter: 0, answeredAt: Number.NaN };
  try {
    const response = await fetch(new URL(`v1/memory/sources/${id}/original`, ROOT), {
      headers: { authorization: `Bearer ${token}`, 'memory-team': team },
      credentials: 'omit',
      signal,
    });
    const { status, ok, headers } = response;
    if (!ok) {
      const retryAfter = Number(headers.get('retry-after') ?? 0);
      return { ...NO_ANSWER, status, answer: await response.json().catch(() => null), retryAfter };
    }
    saveAs(fileName(headers.get('content-disposition') ?? '') ?? title, await response.arrayBuffer());
    return null;
  } catch {
    return NO_ANSWER;
  }
}

/**
 * The name in a Content-Disposition, as RFC 6266 defines it.
 * @param {string} disposition
 */
function fileName(disposition) {
  const extended = /filename\*=UTF-8''([^;]+)/i.exec(disposition)?.[1];
  if (extended !== undefined) return decodeURIComponent(extended);
  const quoted = /filename="((?:[^"\\]|\\.)*)"/i.exec(disposition)?.[1];
  return quoted?.replaceAll(/\\(.)/g, '$1') ?? /filename=([^;"]+)/i.exec(disposition)?.[1];
}
