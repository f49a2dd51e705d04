import { html, useLayoutEffect, useRef, useState } from '../../html.js';
import { isDone, useAsk, withQuery } from '../../parts/ask.js';
import { useClients, useMembers } from '../../parts/names.js';
import { Missing, useRecord } from '../../parts/record.js';
import { Moment } from '../../parts/words.js';
import { SourceChanges } from './changes.js';
import { Facts } from './facts.js';
import { daysAfter, isExpired, rightsOn } from './labels.js';
import { CHUNKS, Passages } from './passages.js';

/**
 * @typedef {import('./labels.js').PageProps} PageProps
 * @typedef {import('./labels.js').SourceText} SourceText
 * @typedef {import('../../../../shared/schemas/memories.ts').ListedMemory} ListedMemory
 */

/**
 * One source, with its text and what can be done with it.
 * @param {PageProps & { id: string }} props
 */
export function SourceRecord(props) {
  const { id, session, team, link, query, setTitle } = props;
  const ask = useAsk(props);
  const clients = useClients(ask);
  const members = useMembers(ask);
  const read = useRecord(ask, `memory/sources/${encodeURIComponent(id)}?limit=${CHUNKS}`);
  const source = /** @type {SourceText | null} */ (read.value);
  const [said, setSaid] = useState('');
  const [isPurged, setPurged] = useState(false);
  const outcome = useRef(/** @type {HTMLElement | null} */ (null));
  const back = html`<p class="source-back"><a href=${link('/sources')}>All sources</a></p>`;

  const title = read.missing ? 'No such source' : (source?.title ?? '');
  useLayoutEffect(() => setTitle(title), [title]);
  // The button that was used can be gone.
  useLayoutEffect(() => {
    if (said !== '') outcome.current?.focus();
  }, [said, isPurged]);

  if (isPurged) {
    return html`
      <section class="card">
        <p class="source-said" role="status" tabindex="-1" ref=${outcome}>${said}</p>
        ${back}
      </section>
    `;
  }
  if (read.missing) return html`<${Missing} what="source" href=${link('/sources')} link="All sources" />`;
  if (source === null) {
    return html`
      <section class="card">
        <p role="status">${read.problem === '' ? 'Loading …' : ''}</p>
        <p role="alert">${read.problem}</p>
        ${read.problem !== '' && html`<button type="button" class="small" onClick=${read.reload}>Try again</button>`}
      </section>
    `;
  }
  const isQuestioned = team.access === 'full' && source.kind !== 'memory' && source.state === 'active';
  const shared = { ask, source, clients, session, team, link };
  return html`
    <div class="source-page">
      ${back}
      <section class="card source-head" aria-labelledby="source-heading">
        <div class="source-title">
          <h2 id="source-heading"><bdi>${source.title}</bdi></h2>
          ${source.state === 'archived' && html`<span class="tag">Archived</span>`}
        </div>
        ${
          source.tags.length > 0 &&
          html`<ul class="source-tags" aria-label="Tags">
            ${source.tags.map(
              (tag) =>
                html`<li key=${tag}><a class="tag" href=${link('/sources', { tag })}><bdi>${tag}</bdi></a></li>`,
            )}
          </ul>`
        }
        <p class="source-said" role="status" tabindex="-1" ref=${outcome}>${said}</p>
        <p role="alert">${read.problem}</p>
        <${Notice} ...${shared} rights=${rightsOn(props, source, clients)} />
        <${SourceChanges}
          ...${shared}
          rights=${rightsOn(props, source, clients)}
          reload=${read.reload}
          set=${read.set}
          say=${setSaid}
          purged=${(/** @type {string} */ text) => {
            setSaid(text);
            setPurged(true);
          }}
        />
      </section>
      <div class="source-side">
        <${Facts} ...${shared} members=${members} lost=${props.lost} />
        ${isQuestioned && html`<${Questions} ask=${ask} source=${source} link=${link} />`}
      </div>
      ${
        source.state === 'active' &&
        html`<${Passages} ask=${ask} source=${source} chunk=${query.get('chunk')} link=${link} reload=${read.reload} />`
      }
    </div>
  `;
}

/**
 * What the kind and the state of the source mean.
 * @param {{ source: SourceText, link: PageProps['link'], rights: ReturnType<typeof rightsOn> }} props
 */
function Notice({ source, link, rights }) {
  const { kind, state, memoryId, updatedAt, expiresAt } = source;
  if (state === 'archived') {
    return html`<p class="source-notice">
      ${
        isExpired(source) && expiresAt !== null
          ? html`It expired on <${Moment} at=${expiresAt} />, so searches no longer find it and its text is deleted.`
          : html`It was archived on <${Moment} at=${updatedAt} />: searches do not find it, and nobody can read its text.
              ${
                rights.restore
                  ? html` You can restore it until about <${Moment} at=${daysAfter(new Date(updatedAt))} />, unless the
                      operator of the service has set another time.`
                  : kind === 'memory' || kind === 'file'
                    ? ''
                    : ' The person who stored it, or someone with Full access, can restore it for some time.'
              }`
      }
    </p>`;
  }
  if (kind === 'memory') {
    return html`<p class="source-notice">
      This is the text of a memory, as searches find it. It is changed with the memory. ${' '}
      <a href=${link(memoryId === undefined ? '/memories' : `/memories/${memoryId}`)}>
        ${memoryId === undefined ? 'Show the memories' : 'Show the memory'}
      </a>
    </p>`;
  }
  if (kind === 'file') {
    return html`<p class="source-notice">
      This is the text of a workspace file, as searches find it. Its text, its name and its place change when the file is
      pushed again. <a href=${link('/files', { path: source.uri })}>Show the file</a>
    </p>`;
  }
  return null;
}

/** What each verdict is called. */
const VERDICTS = { useful: 'Useful', wrong: 'Wrong', outdated: 'Outdated' };

/**
 * The feedback on the source that waits for a decision.
 * @param {object} props
 * @param {import('../../parts/ask.js').Ask} props.ask
 * @param {SourceText} props.source
 * @param {PageProps['link']} props.link
 */
function Questions({ ask, source, link }) {
  const [feedback, setFeedback] = useState(/** @type {NonNullable<ListedMemory['feedback']>} */ ([]));
  useLayoutEffect(() => {
    async function read() {
      const reply = await ask('GET', withQuery('memory/memories', { state: 'review', sourceId: source.id }));
      if (isDone(reply)) setFeedback(reply.answer.items[0]?.feedback ?? []);
    }
    void read();
  }, [ask, source.id]);
  if (feedback.length === 0) return null;
  return html`
    <section class="card" aria-labelledby="questions-heading">
      <h2 id="questions-heading">Feedback to decide on</h2>
      <ul class="records">
        ${feedback.map(
          ({ verdict, note, createdAt }) => html`
            <li>
              <strong>${VERDICTS[verdict]}</strong>
              ${note !== null && html`<p class="text" dir="auto">${note}</p>`}
              <ul class="facts"><li><${Moment} at=${createdAt} /></li></ul>
            </li>
          `,
        )}
      </ul>
      <p class="source-review"><a href=${link('/review')}>Decide in the review</a></p>
    </section>
  `;
}
